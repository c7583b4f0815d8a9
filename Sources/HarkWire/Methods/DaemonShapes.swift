/// What `hello`, `daemon.*`, `config.*`, `retention.apply` and `rpc.discover` take and give.
extension MethodShape {
    package static let hello = MethodShape(
        "hello", [.optional(.client)],
        result: Greeting.members)

    package static let daemonStatus = MethodShape(
        "daemon.status", [.optional(.statusFormat)],
        result: DaemonStatusInfo.members)

    package static let daemonRepair = MethodShape(
        "daemon.repair", result: RepairReport.members)

    package static let daemonReload = MethodShape("daemon.reload", result: ReloadResult.members)
    package static let configReload = MethodShape("config.reload", result: ReloadResult.members)

    package static let configGet = MethodShape(
        "config.get", result: SettingsResult.members)

    package static let configValidate = MethodShape(
        "config.validate", [.required(.documentText), .optional(.documentKind)],
        result: DocumentCheck.members)

    package static let retentionApply = MethodShape(
        "retention.apply", [.optional(.retentionPolicy), .optional(.dryRun), .optional(.trustClock)],
        result: RetentionResult.members)

    package static let discover = MethodShape(
        "rpc.discover",
        result: [
            .always("openrpc", .string, "the version of OpenRPC"),
            .always("info", .object, "`title`, `version` (the daemon's) and `description`"),
            .always("methods", .array(.object), "the methods"),
            .always("components", .object, "`schemas` and `errors` that several methods have"),
        ])
}

extension Parameter<String> {
    package static var client: Parameter {
        Parameter("client", .string, "the name of the client, for people who read the traffic")
    }
    package static var documentText: Parameter { Parameter("text", .string, "the content of the file") }
}

extension Parameter<StatusFormat> {
    package static var statusFormat: Parameter {
        Parameter("format", .word, "`json` (default), or `openmetrics` for the text format of Prometheus")
    }
}

extension Parameter<ConfigurationDocument> {
    package static var documentKind: Parameter {
        Parameter("kind", .word, "`harkd` (default), `surveys`, or `forms`")
    }
}

extension Parameter<JSONValue> {
    /// Read as the settings' own.
    package static var retentionPolicy: Parameter {
        let shape = Shape.either([
            MemberType<RetentionPreset>.word.shape,
            .members([
                .maybe("maxAgeDays", .seconds), .maybe("maxSessionsPerUser", .count), .maybe("maxStoreBytes", .count),
                .maybe("answers", .members([.maybe("maxAgeDays", .seconds)])),
            ]),
        ])
        return Parameter(
            "policy", MemberType("a policy", shape) { $0 },
            "`none`, `long` (two years, at most 4 GB or a tenth of the disk), `conservative` (90 days, 100 sessions a "
                + "user), `standard` (30, 50), `aggressive` (7, 20), or an object with `maxAgeDays`, "
                + "`maxSessionsPerUser`, `maxStoreBytes` and `answers` (its `maxAgeDays`); without it, the configured policy"
        )
    }
}

extension Parameter<Bool> {
    package static var dryRun: Parameter { Parameter("dryRun", .bool, "true: only return what would be removed") }
    package static var trustClock: Parameter {
        Parameter("trustClock", .bool, "true: the machine's clock is right; for administrators")
    }
}
