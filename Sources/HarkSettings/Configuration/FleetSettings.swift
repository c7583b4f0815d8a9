package import HarkCore
package import HarkFleet
package import HarkWire

/// `fleet` in harkd.json: the fleet of this daemon, its role, and how the broker is reached.
package struct FleetSettings: SettingsSection {
    /// The URL of the broker; nil: no fleet.
    package var broker: String?
    package var name = ""
    package var role = FleetRole.machine
    /// Nil: the id of the machine (`/etc/machine-id`).
    package var machine: String?
    package var group: String?
    package var userName: String?
    package var password: Secret?
    package var authoritiesFile: String?
    package var certificateFile: String?
    package var keyFile: String?
    /// After this time without a message, and two pings, a hub counts a machine as gone; nil: once the broker says so.
    package var livenessSeconds: Double?
    /// How long a machine must be gone until a hub records that it is away.
    package var awaySeconds = 10.0
    /// The maximum number of machine logs that a hub accepts.
    package var mostMachines = 10_000
    /// The number of shards among which machines are divided; it must be the same at all machines and hubs.
    package var shards = 1
    /// The shards that this hub serves; nil for all.
    package var serves: [Int]?
    /// Whether a hub clears records that were cleared on a machine.
    package var followsClears = false
    /// How long a machine may use its credits for quotas without hearing from the hub.
    package var creditSeconds = 2_592_000.0
    /// How long a machine waits for the hub's acknowledgement.
    package var acknowledgeSeconds = 10.0
    /// The filters and limits for sent records, as of any destination.
    package var destination = DestinationSettings(name: FleetSettings.destinationName, kind: .fleet, url: "")

    /// Its name among the destinations.
    static let destinationName = "fleet"

    package init() {}

    package var isMachine: Bool { broker != nil && role == .machine }
    package var isHub: Bool { broker != nil && role == .hub }

    package var topics: FleetTopics { FleetTopics(fleet: name, shards: shards) }

    /// The destination for the records of a machine.
    var asDestination: DestinationSettings? {
        guard isMachine else { return nil }
        var settings = destination
        settings.fleet = Terms(settings: self)
        return settings
    }

    /// A reference from a destination to its fleet's settings, which contain that destination.
    package final class Terms: Sendable, Equatable {
        package let settings: FleetSettings

        package init(settings: FleetSettings) { self.settings = settings }

        package static func == (left: Terms, right: Terms) -> Bool { left.settings == right.settings }
    }
}

extension FleetSettings {
    package func write(to json: inout JSONWriter) {
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
            json.key("creditSeconds")
            json.double(creditSeconds)
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
    /// All destinations of records, including the fleet.
    package var allDestinations: [DestinationSettings] {
        destinations + (sections[FleetSettings.self].asDestination.map { [$0] } ?? [])
    }
}
