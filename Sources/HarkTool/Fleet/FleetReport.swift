import HarkClient
import HarkWire

/// The reply of `fleet.status`, with all pages merged.
struct FleetReport {
    /// The first page.
    let first: JSONText
    let status: FleetStatus.Result
    /// The machines whose logs a hub has, by name.
    let machines: [FleetMachineInfo]
    /// The machines as raw JSON, because a newer daemon may report more about them.
    private let texts: [JSONText]
    /// Whether the hub has more machines than these.
    var isCut = false

    private static let pageSize: Int64 = 1_000

    init(_ first: JSONText, machines: [JSONText]) {
        self.first = first
        status = FleetStatus.Result(first)
        texts = machines
        self.machines = machines.map { FleetMachineInfo($0) }
    }

    /// - Parameters:
    ///   - name: Selects machines by name; nil for all.
    ///   - most: The maximum number of machines, rounded up to whole pages.
    init(_ connection: inout Connection, machine name: String?, most: Int = .max) throws(ClientError) {
        var machines: [JSONText] = []
        var first: JSONText?
        var request = FleetStatus()
        request.machine = name
        request.limit = Self.pageSize
        repeat {
            let page = try connection.call(request).text
            machines += page.member("machines")?.elements ?? []
            first = first ?? page
            let next = page.ending("next")?.string
            // A cursor that does not advance would loop for ever.
            guard next != request.after else { break }
            request.after = next
        } while request.after != nil && machines.count < most
        self.init(first ?? JSONText("{}"), machines: machines)
        isCut = request.after != nil && machines.count >= most
    }

    /// Fetches the status without the hub's machines.
    static func ask(_ connection: inout Connection) throws(ClientError) -> FleetStatus.Result {
        var request = FleetStatus()
        request.limit = 1
        return try connection.call(request).value
    }

    var role: FleetRole? { status.role }

    /// The first page with the machines of all pages.
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        first.forEachMember { key, value in
            json.key(String(decoding: key, as: UTF8.self))
            switch String(decoding: key, as: UTF8.self) {
            case "machines":
                json.beginArray()
                for text in texts { json.raw(Array(text.bytes)) }
                json.endArray()
            case "next": json.null()
            default: json.raw(Array(value.bytes))
            }
            return true
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
