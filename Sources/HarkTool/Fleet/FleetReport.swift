import HarkClient
import HarkWire

/// What `fleet.status` tells, all pages as one.
struct FleetReport {
    /// The first page.
    let status: JSONText
    /// The logs of machines that a hub has, by name.
    let machines: [JSONText]
    /// Whether there are more than these.
    var isCut = false

    private static let pageSize: Int64 = 1_000

    init(status: JSONText, machines: [JSONText]) {
        self.status = status
        self.machines = machines
    }

    /// - Parameters:
    ///   - name: only machines so called; nil: all.
    ///   - most: how many of them at most, in whole pages.
    init(_ connection: inout Connection, machine name: String?, most: Int = .max) throws(ClientError) {
        var machines: [JSONText] = []
        var first: JSONText?
        var after: String?
        repeat {
            let page = try connection.call(.fleetStatus) { params in
                params.member(.onlyMachinesNamed, name)
                params.member(.after, after)
                params.member(.machineLimit, Self.pageSize)
            }
            machines += page.member("machines")?.elements ?? []
            first = first ?? page
            let next = page.member("next")?.string
            // One that stays where it is has no end.
            guard next != after else { break }
            after = next
        } while after != nil && machines.count < most
        self.init(status: first ?? JSONText("{}"), machines: machines)
        isCut = after != nil && machines.count >= most
    }

    var role: FleetRole? { FleetWords.role(status) }

    /// The first page with the machines of all.
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        status.forEachMember { key, value in
            json.key(String(decoding: key, as: UTF8.self))
            switch String(decoding: key, as: UTF8.self) {
            case "machines":
                json.beginArray()
                for machine in machines { json.raw(Array(machine.bytes)) }
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
