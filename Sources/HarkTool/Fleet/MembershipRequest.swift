import HarkClient
import HarkFleet
import HarkWire

/// The fleet that a daemon is to join, and its role: the options of `hark fleet join` as settings.
struct MembershipRequest {
    /// The member `fleet` of harkd.json.
    let settings: JSONObject
    let broker: BrokerAddress
    let fleet: String
    let isHub: Bool

    static let name = Option("name", "n", value: "FLEET", "The fleet's name, if it is not in the address.")
    static let machine = Option(
        "machine", "m", value: "NAME", "The name of this machine in the fleet. Default: its id (/etc/machine-id).")
    static let group = Option("group", "g", value: "GROUP", "Its group; the hub may have surveys for a group.")
    static let hub = Option("hub", "Be the hub, to which the machines send.")
    static let user = Option("user", "u", value: "NAME", "The user name for the broker.")
    static let passwordFile = Option(
        "password-file", value: "FILE", values: .files, "The file of that user's password.")
    static let authorities = Option(
        "ca-file", value: "FILE", values: .files,
        "The certificate authority of the broker. Default: the system's authorities.")
    static let certificate = Option(
        "certificate", value: "FILE", values: .files, "The certificate of this machine for the broker.")
    static let key = Option("key", value: "FILE", values: .files, "The key of that certificate.")
    static let shards = Option(
        "shards", value: "N",
        "The number of parts into which the fleet's machines are divided; the same everywhere. Default: 1.")

    static let liveness = Option(
        "liveness", value: "SECONDS",
        "With --hub: how long a machine may be silent before it counts as gone. Default: until the broker says so.")

    static let options = [
        name, machine, group, hub, liveness, user, passwordFile, authorities, certificate, key, shards,
    ]

    /// - Parameter folder: The base of relative paths that were given; paths in the settings have another base.
    init(_ arguments: Arguments, folder: String) throws(ToolError) {
        broker = try BrokerAddress(arguments.operands.first ?? "")
        fleet = try Self.fleet(arguments[Self.name], broker)
        isHub = arguments.has(Self.hub)
        try arguments.atMostOne(of: Self.hub, Self.machine)
        try arguments.atMostOne(of: Self.hub, Self.group)
        if arguments.has(Self.liveness), !isHub {
            throw .usage("'--liveness' goes with '--hub'", hint: "Only the hub asks machines whether they are there.")
        }
        guard arguments.has(Self.certificate) == arguments.has(Self.key) else {
            throw .usage("'--certificate' and '--key' belong together", hint: "Give both, or neither.")
        }
        if arguments.has(Self.passwordFile), !arguments.has(Self.user) {
            throw .usage("'--password-file' is given, and no user", hint: "Give --user NAME as well.")
        }
        var settings: JSONObject = ["broker": .string(broker.url), "name": .string(fleet)]
        if isHub { settings["role"] = .string(FleetRole.hub.rawValue) }
        for (member, option) in [("machine", Self.machine), ("group", Self.group)] {
            guard let name = arguments[option] else { continue }
            try Self.check(name, option)
            settings[member] = .string(name)
        }
        if let user = arguments[Self.user] { settings["userName"] = .string(user) }
        let files = [
            ("passwordFile", Self.passwordFile), ("caFile", Self.authorities), ("certificateFile", Self.certificate),
            ("keyFile", Self.key),
        ]
        for (member, option) in files {
            guard let path = arguments[option] else { continue }
            settings[member] = .string(path.hasPrefix("/") ? path : "\(folder)/\(path)")
        }
        if let count = try arguments.integer(Self.shards, in: 1...Int64(FleetTopics.mostShards)) {
            settings["shards"] = .int(count)
        }
        if let seconds = try arguments.integer(Self.liveness, in: 1...3_600) {
            settings["livenessSeconds"] = .int(seconds)
        }
        self.settings = settings
    }

    private static func fleet(_ given: String?, _ broker: BrokerAddress) throws(ToolError) -> String {
        if let given, let path = broker.fleet, given != path {
            throw .usage(
                "the address names the fleet '\(path)', and '--name' says '\(given)'", hint: "Give one of them.")
        }
        guard let fleet = given ?? broker.fleet else {
            throw .usage("the name of the fleet is missing", hint: "Write \(broker.url)/NAME, or give --name NAME.")
        }
        try check(fleet, name)
        return fleet
    }

    private static func check(_ text: String, _ option: Option) throws(ToolError) {
        guard FleetName.isValid(text) else {
            throw .usage("'--\(option.name)' takes \(FleetName.words), not '\(text)'")
        }
    }
}
