import HarkClient
import HarkWire

/// What `fleet.status` tells, all pages as one.
struct FleetReport {
    /// The first page.
    let first: JSONText
    let status: FleetStatus.Result
    /// The logs of machines that a hub has, by name.
    let machines: [FleetMachineInfo]
    /// The same as they came: a daemon of a later version may say more of them.
    private let texts: [JSONText]
    /// Whether there are more than these.
    var isCut = false

    private static let pageSize: Int64 = 1_000

    init(_ first: JSONText, machines: [JSONText]) {
        self.first = first
        status = FleetStatus.Result(first)
        texts = machines
        self.machines = machines.map { FleetMachineInfo($0) }
    }

    /// - Parameters:
    ///   - name: only machines so called; nil: all.
    ///   - most: how many of them at most, in whole pages.
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
            // A cursor that stays where it is has no end.
            guard next != request.after else { break }
            request.after = next
        } while request.after != nil && machines.count < most
        self.init(first ?? JSONText("{}"), machines: machines)
        isCut = request.after != nil && machines.count >= most
    }

    /// Without the machines of a hub.
    static func ask(_ connection: inout Connection) throws(ClientError) -> FleetStatus.Result {
        var request = FleetStatus()
        request.limit = 1
        return try connection.call(request).value
    }

    var role: FleetRole? { status.role }

    /// The first page with the machines of all.
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
