/// What `hello`, `daemon.*`, `config.*`, `retention.apply` and `rpc.discover` take and give.
extension MethodShape {
    package static let hello = MethodShape(
        "hello", [.optional(.client)],
        result: [
            .always("name", .string, "`harkd`"), .always("version", .string, "the daemon's"),
            .always(
                "protocol", .members([.always("min", .count), .always("max", .count)]),
                "`min` and `max` of the protocol versions spoken"),
            .always("capabilities", .strings, "the names of the methods"),
            .always("features", .strings, "what else it can: `producer`, see [Sending again](#sending-again)"),
            .always("mode", MemberType<DaemonMode>.word.shape, "`user`, or `system` when it serves the whole machine"),
            .always("pid", .integer, "the daemon's"),
        ])

    package static let daemonStatus = MethodShape(
        "daemon.status", [.optional(.statusFormat)],
        result: [
            .maybe("version", .string, "the daemon's"), .maybe("pid", .integer, "the daemon's"),
            .maybe("mode", MemberType<DaemonMode>.word.shape, "`user` or `system`"),
            .maybe("uptimeSeconds", .count, "since the start"),
            .maybe(
                "state", MemberType<DaemonState>.word.shape, "`running`, or `degraded` while it cannot store"),
            .maybe("degradedReason", .string, "why, and what to do; only while `degraded`"),
            .maybe(
                "store", .store,
                "`path`, `bytes`, `walBytes` (log not yet in the file), `freeBytes` on its disk, `events`, "
                    + "`sessions`, `lastSeq`, `unreadable` (rows, pages and tables that were met, could not be read and are passed over), "
                    + "`lostRecords` (how many records that is at most)"),
            .maybe("rates", .rates, "`eventsPerSecond1m`, `eventsPerSecond5m`: records committed"),
            .maybe(
                "commit", .commits,
                "`count`, `p50Microseconds`, `p99Microseconds`, `lastBatch`; times are null before the first"),
            .maybe("clients", .clients, "`connections`, `subscriptions`, `refused`, `dropped`, `slowReaders`"),
            .maybe("destinations", .array(.destination), "as in `delivery.status`"),
            .maybe(
                "timers", .array(.members([.always("name", .string), .always("dueAt", .time)])),
                "`name` and `dueAt` of what the daemon will do by itself"),
            .maybe(
                "journal", .array(.journalSource),
                "how far each source of the settings has read systemd's journal: `name`; `state`, which is `waiting` for entries, "
                    + "`reading` what is there, or `failed`; `upTo`, the time up to which all is recorded; `taken`, `refused` and `gaps` "
                    + "since the start: entries recorded, entries that cannot be, and how often some were gone before they were read"
            ),
            .maybe("memoryBytes", .orNull(.count), "resident memory"), .believedTime,
            .maybe(
                "removedByRule", .array(.removedByRule),
                "what retention has removed since this store was made, for each `rule` (`age`, `count`, `size`): "
                    + "`sessions`, `events`, `showings`, and free `texts` that a mark has replaced"),
            .maybe(
                "problems", .array(.members([.always("about", .string), .always("message", .string)])),
                "`about` (`surveys`, `forms`, `flags`, `notify`) and `message` of what does not work as it is meant to"),
            .maybe("text", .string, "with `openmetrics`: the whole text, instead of all above"),
        ])

    package static let daemonRepair = MethodShape(
        "daemon.repair",
        result: [
            .always(
                "restarts", .bool,
                "whether the daemon starts again now, to make the store anew: the rest is done when it is asked again"),
            .always("removed", .count, "how many rows were removed, as they cannot be read"),
            .always("restoredSessions", .count, "how many sessions came back from the archive tree"),
            .always("restoredEvents", .count, "how many events did"),
            .always(
                "notRestored", .count,
                "how many lines of the tree could not: damaged ones, those of other machines, and those whose number another "
                    + "record has (`hark import` takes these in with new numbers)"),
            .always("isPartial", .bool, "whether the tree could not be read to its end; the log says why"),
            .always(
                "gone",
                .array(
                    .members([
                        .always("records", .count), .always("firstSeq", .count), .always("lastSeq", .count),
                        .maybe("earliest", .time), .maybe("latest", .time),
                    ])),
                "what is lost for good: how many `records` at most, with numbers from `firstSeq` to `lastSeq`, that happened "
                    + "between `earliest` and `latest`, as far as is known"),
        ])

    package static let daemonReload = MethodShape("daemon.reload", result: reloaded)
    package static let configReload = MethodShape("config.reload", result: reloaded)

    private static let reloaded: [Shape.Member] = [.always("reloaded", .bool, "true"), .problems]

    package static let configGet = MethodShape(
        "config.get",
        result: [
            .always(
                "config", .object,
                "every setting, with the defaults filled in; `debug` as `debug.set` has left it"),
            .always("file", .orNull(.string), "where it was read from; null when there is no file"), .problems,
        ])

    package static let configValidate = MethodShape(
        "config.validate", [.required(.documentText), .optional(.documentKind)],
        result: [
            .always("valid", .bool, "whether the daemon would take it"),
            .always("errors", .issues, "each with `path`, `message`, `line` and `column`"),
            .always("problems", .issues, "what it says in vain, likewise"),
        ])

    package static let retentionApply = MethodShape(
        "retention.apply", [.optional(.retentionPolicy), .optional(.dryRun), .optional(.trustClock)],
        result: [
            .always("sessions", .count, "how many sessions were removed"),
            .always("events", .count, "how many events were removed"),
            .always(
                "showings", .count, "how many closed showings of surveys and prompts were removed, with their answers"),
            .always(
                "texts", .count,
                "in the place of how many free texts of answers a mark was put (`redactTextAfterSeconds` of surveys)"),
            .always(
                "policy",
                .members([
                    .always("maxAgeDays", .orNull(.seconds)), .always("maxSessionsPerUser", .orNull(.count)),
                    .always("maxStoreBytes", .orNull(.count)),
                    .always("answers", .members([.always("maxAgeDays", .orNull(.seconds))])),
                ]), "the numbers that were applied"),
            .believedTime,
        ])

    package static let discover = MethodShape(
        "rpc.discover",
        result: [
            .always("openrpc", .string, "the version of OpenRPC"),
            .always("info", .object, "`title`, `version` (the daemon's) and `description`"),
            .always("methods", .array(.object), "the methods"),
            .always("components", .object, "`schemas` and `errors` that several methods have"),
        ])
}

extension Shape.Member {
    fileprivate static let problems = always(
        "problems", .issues, "what the file says in vain: each with `path`, `message`, `line` and `column`")

    fileprivate static let believedTime = maybe(
        "believedTime", .time,
        "the time by which ages are told, only while the machine's clock has jumped ahead and is not believed yet")
}

extension Parameter<String> {
    package static var client: Parameter { Parameter("client", .string, "who asks, for whoever reads the traffic") }
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
                + "`maxSessionsPerUser`, `maxStoreBytes` and `answers` (its `maxAgeDays`); without it, what is configured"
        )
    }
}

extension Parameter<Bool> {
    package static var dryRun: Parameter { Parameter("dryRun", .bool, "true: only tell what would be removed") }
    package static var trustClock: Parameter {
        Parameter("trustClock", .bool, "true: the machine's clock is right; for administrators")
    }
}

extension Shape {
    fileprivate static let removedByRule = Shape.members([
        .always("rule", MemberType<RetentionRule>.word.shape), .always("sessions", .count), .always("events", .count),
        .always("showings", .count), .always("texts", .count),
    ])

    fileprivate static let store = Shape.members([
        .always("path", .string), .always("bytes", .count), .always("walBytes", .count),
        .always("freeBytes", .orNull(.count)), .always("events", .count), .always("sessions", .count),
        .always("lastSeq", .count), .always("unreadable", .count), .always("lostRecords", .count),
    ])

    fileprivate static let journalSource = Shape.members([
        .always("name", .string), .always("state", MemberType<JournalState>.word.shape),
        .always("upTo", .orNull(.time)), .always("taken", .count), .always("refused", .count),
        .always("gaps", .count),
    ])
    fileprivate static let rates = Shape.members([
        .always("eventsPerSecond1m", .number), .always("eventsPerSecond5m", .number),
    ])

    fileprivate static let commits = Shape.members([
        .always("count", .count), .always("p50Microseconds", .orNull(.count)),
        .always("p99Microseconds", .orNull(.count)), .always("lastBatch", .count),
    ])

    fileprivate static let clients = Shape.members([
        .always("connections", .count), .always("subscriptions", .count), .always("refused", .count),
        .always("dropped", .count), .always("slowReaders", .count),
    ])
}
