import HarkCore
import HarkFleet
import HarkWire

/// `fleet` in harkd.json: which fleet this daemon belongs to, as what, and how the broker is reached.
struct FleetSettings: SettingsSection {
    /// The URL of the broker; nil: no fleet.
    var broker: String?
    var name = ""
    var role = FleetRole.machine
    /// Nil: the id of the machine (`/etc/machine-id`).
    var machine: String?
    var group: String?
    var userName: String?
    var password: Secret?
    var authoritiesFile: String?
    var certificateFile: String?
    var keyFile: String?
    /// A hub takes a machine for gone of which it has heard nothing for so long, having asked it twice; nil: once the broker says so.
    var livenessSeconds: Double?
    /// How long a machine has to be gone until a hub records that it is away.
    var awaySeconds = 10.0
    /// How many logs of machines a hub takes.
    var mostMachines = 10_000
    /// How many shards the machines are dealt out to; the same at all of them and at the hubs.
    var shards = 1
    /// The shards that this hub serves; nil for all.
    var serves: [Int]?
    /// Whether a hub clears what was cleared on a machine.
    var followsClears = false
    /// How long a machine waits for the hub to acknowledge.
    var acknowledgeSeconds = 10.0
    /// What is sent, as of any destination.
    var destination = DestinationSettings(name: FleetSettings.destinationName, kind: .fleet, url: "")

    /// What it is called among the destinations.
    static let destinationName = "fleet"

    var isMachine: Bool { broker != nil && role == .machine }
    var isHub: Bool { broker != nil && role == .hub }

    var topics: FleetTopics { FleetTopics(fleet: name, shards: shards) }

    /// The destination that records of a machine go to.
    var asDestination: DestinationSettings? {
        guard isMachine else { return nil }
        var settings = destination
        settings.fleet = Terms(settings: self)
        return settings
    }

    /// The settings of the fleet that a destination is of, which in turn have that destination.
    final class Terms: Sendable, Equatable {
        let settings: FleetSettings

        init(settings: FleetSettings) { self.settings = settings }

        static func == (left: Terms, right: Terms) -> Bool { left.settings == right.settings }
    }
}

extension FleetSettings {
    func write(to json: inout JSONWriter) {
        json.key("fleet")
        guard let broker else { return json.null() }
        func text(_ key: StaticString, _ value: String?) {
            guard let value else { return }
            json.key(key)
            json.string(value)
        }
        json.beginObject()
        text("broker", broker)
        text("name", name)
        text("role", role.rawValue)
        text("machine", machine)
        text("group", group)
        text("userName", userName)
        password?.write(as: "password", to: &json)
        text("caFile", authoritiesFile)
        text("certificateFile", certificateFile)
        text("keyFile", keyFile)
        json.key("shards")
        json.int(shards)
        switch role {
        case .hub:
            if let serves {
                json.key("serves")
                json.value(.array(serves.map { .int(Int64($0)) }))
            }
            json.key("followClears")
            json.bool(followsClears)
            if let livenessSeconds {
                json.key("livenessSeconds")
                json.double(livenessSeconds)
            }
            json.key("awaySeconds")
            json.double(awaySeconds)
            json.key("mostMachines")
            json.int(mostMachines)
        case .machine:
            destination.writeFilters(to: &json)
            json.key("batchBytes")
            json.int(destination.batchBytes)
            json.key("ackTimeoutSeconds")
            json.double(acknowledgeSeconds)
        }
        json.endObject()
    }
}

extension Configuration {
    /// All that records go to.
    var allDestinations: [DestinationSettings] {
        destinations + (sections[FleetSettings.self].asDestination.map { [$0] } ?? [])
    }
}
