import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `hello`, `daemon.*`, `config.*`, `delivery.*` and `retention.*`: the daemon about itself.
enum DaemonMethods {
    static let all: [Method] = [
        hello, status, reload, configGet, configValidate, configReload, deliveryStatus, retentionApply,
    ]

    static let hello = Method(
        name: "hello", summary: "Tells who is there and what it can do.",
        parameters: [.init(name: "client", type: .string, meaning: "who asks; for the log at level `debug`")],
        result: [
            .init(name: "name", meaning: "`harkd`"),
            .init(name: "version", meaning: "of the daemon"),
            .init(name: "protocol", meaning: "`min` and `max` of the protocol versions spoken"),
            .init(name: "capabilities", meaning: "the methods"),
            .init(name: "mode", meaning: "`user` or `system`"),
            .init(name: "pid", meaning: "of the daemon"),
        ],
        examples: [],
        handler: .read { call, json throws(WireError) in
            _ = try call.params.string("client")
            json.key("name")
            json.string("harkd")
            json.key("version")
            json.string(Version.current)
            json.key("protocol")
            json.object(["min": 1, "max": 1])
            json.key("capabilities")
            json.beginArray()
            for method in MethodRegistry.all { json.string(method.name) }
            json.endArray()
            json.key("mode")
            json.string(call.daemon.options.isSystem ? "system" : "user")
            json.key("pid")
            json.int(Int(call.daemon.pid))
        })

    static let status = Method(
        name: "daemon.status", summary: "Tells how the daemon is doing.",
        parameters: [
            .init(name: "format", type: .string, meaning: "`json` (default), or `openmetrics` for its text format")
        ],
        result: [
            .init(name: "version", meaning: "of the daemon, and `pid`, `mode`, `uptimeSeconds`"),
            .init(name: "state", meaning: "`running`, or `degraded` with `degradedReason` while it cannot store"),
            .init(
                name: "store",
                meaning: "`path`, `bytes`, `walBytes` (log not yet in the file), `freeBytes` on its disk, `events`, "
                    + "`sessions`, `lastSeq`"),
            .init(name: "rates", meaning: "`eventsPerSecond1m`, `eventsPerSecond5m`: records committed"),
            .init(name: "commit", meaning: "`count`, `p50Microseconds`, `p99Microseconds`, `lastBatch`"),
            .init(name: "clients", meaning: "`connections`, `subscriptions`, `refused`, `dropped`, `slowReaders`"),
            .init(name: "destinations", meaning: "as in `delivery.status`"),
            .init(name: "timers", meaning: "`name` and `dueAt` of what the daemon will do by itself"),
            .init(name: "memoryBytes", meaning: "resident memory"),
            .init(name: "text", meaning: "with `openmetrics`: the whole text instead of all above"),
        ],
        examples: [],
        handler: .deferred { call, json throws(WireError) in
            let format = try call.params.choice("format", of: ["json", "openmetrics"])
            let report = try await StatusReport(call.daemon)
            if format == "openmetrics" {
                json.key("text")
                json.string(OpenMetrics.text(report))
            } else {
                report.write(to: &json)
            }
        })

    static let reload = Method(
        name: "daemon.reload", summary: "Reads the configuration again, as SIGHUP does.",
        details: "A file with errors is refused; what was in force stays in force.",
        parameters: [],
        result: [
            .init(name: "reloaded", meaning: "true"), .init(name: "warnings", meaning: "what the file says in vain"),
        ],
        examples: [.init(params: "{}", result: #"{"reloaded":true}"#)],
        handler: .write { call, json throws(WireError) in try reload(call, &json) })

    static let configReload = Method(
        name: "config.reload", summary: "The same as `daemon.reload`.", parameters: [], result: reload.result,
        examples: [.init(params: "{}", result: #"{"reloaded":true}"#)],
        handler: .write { call, json throws(WireError) in try reload(call, &json) })

    @DaemonActor
    private static func reload(_ call: Call, _ json: inout JSONWriter) throws(WireError) {
        try call.requireAdministrator("reload the configuration")
        let warnings = try call.daemon.reload()
        json.key("reloaded")
        json.bool(true)
        if !warnings.isEmpty { Router.write(warnings.map { "\($0.path): \($0.message)" }, in: &json) }
    }

    static let configGet = Method(
        name: "config.get", summary: "Tells the configuration in force.", parameters: [],
        result: [
            .init(name: "config", meaning: "every setting, with the defaults filled in"),
            .init(name: "file", meaning: "where it was read from; null when there is no file"),
            .init(name: "problems", meaning: "what the file says in vain, with its JSON path"),
        ],
        examples: [
            .init(
                params: "{}",
                result: """
                    {"config":{"retention":"standard","archive":true,"limits":{"lineBytes":1048576,\
                    "connectionsPerUser":256,"queuedBytes":8388608,"nesting":32},"adminGroup":"adm",\
                    "logLevel":"info"},"file":null,"problems":[]}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            let daemon = call.daemon
            json.key("config")
            daemon.configuration.write(to: &json)
            json.key("file")
            if daemon.hasConfigurationFile { json.string(daemon.options.paths.configurationFile) } else { json.null() }
            json.key("problems")
            write(daemon.configurationWarnings, to: &json)
        })

    static let configValidate = Method(
        name: "config.validate", summary: "Checks a configuration without using it.",
        parameters: [.init(name: "text", type: .string, isRequired: true, meaning: "the content of a `harkd.json`")],
        result: [
            .init(name: "valid", meaning: "whether the daemon would take it"),
            .init(name: "errors", meaning: "each with `path` and `message`"),
            .init(name: "problems", meaning: "what it says in vain"),
        ],
        examples: [
            .init(
                params: #"{"text":"{ \"retention\": \"forever\" } // none?"}"#,
                result: """
                    {"valid":false,"errors":[{"path":"$.retention","message":"must be one of none, conservative, \
                    standard, aggressive, or an object with numbers"}],"problems":[]}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            let text = try call.params.required("text", call.params.string("text"), .string)
            let reader = ConfigurationReader(text: Array(text.utf8))
            json.key("valid")
            json.bool(reader.errors.isEmpty)
            json.key("errors")
            write(reader.errors, to: &json)
            json.key("problems")
            write(reader.warnings, to: &json)
        })

    private static func write(_ issues: [ConfigurationIssue], to json: inout JSONWriter) {
        json.beginArray()
        for issue in issues {
            json.beginObject()
            json.key("path")
            json.string(issue.path)
            json.key("message")
            json.string(issue.message)
            json.endObject()
        }
        json.endArray()
    }

    static let deliveryStatus = Method(
        name: "delivery.status", summary: "Tells how far each destination has come.", parameters: [],
        result: [
            .init(
                name: "destinations",
                meaning:
                    "each with `name`, `kind`, `state` (`idle`, `delivering`, `waiting`, `off`), `cursor` (the last "
                    + "number accepted), `pending` (numbers to go), `delivered` (records since the start), `lastError`")
        ],
        examples: [
            .init(
                params: "{}",
                result: """
                    {"destinations":[{"name":"archive","kind":"archive","state":"idle","cursor":0,"pending":0,\
                    "delivered":0,"lastError":null}]}
                    """)
        ],
        handler: .read { call, json throws(WireError) in
            json.key("destinations")
            json.beginArray()
            for courier in call.daemon.couriers { StatusReport.write(courier, to: &json) }
            json.endArray()
        })

    static let retentionApply = Method(
        name: "retention.apply", summary: "Removes sessions that are too old or too many.",
        details: "The same happens at every session start and once a day. The current sessions are never removed.",
        parameters: [
            .init(
                name: "policy", type: .stringOrObject,
                meaning: "`none`, `conservative` (90 days, 100 sessions a user), `standard` (30, 50), `aggressive` "
                    + "(7, 20), or an object with `maxAgeDays`, `maxSessionsPerUser`, `maxStoreBytes`; without it, what "
                    + "is configured"),
            .init(name: "dryRun", type: .bool, meaning: "true: only tell what would be removed"),
        ],
        result: [
            .init(name: "sessions", meaning: "how many sessions were removed"),
            .init(name: "events", meaning: "how many events were removed"),
            .init(name: "policy", meaning: "the numbers that were applied"),
        ],
        examples: [
            .init(
                params: #"{"policy":"aggressive","dryRun":true}"#,
                result: """
                    {"sessions":0,"events":0,"policy":{"maxAgeDays":7,"maxSessionsPerUser":20,"maxStoreBytes":null}}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let daemon = call.daemon
            let policy = try call.params.object["policy"].map { value throws(WireError) in
                try RetentionReader.read(value, path: Params.path("policy")).0
            }
            let dryRun = try call.params.bool("dryRun") ?? false
            let scope = call.peer.visibleUID.map(RetentionScope.uid) ?? .everybody
            let applied = policy ?? daemon.configuration.retention
            let marked = try await daemon.applyRetention(applied, to: scope, dryRun: dryRun)
            json.key("sessions")
            json.int(marked.sessions)
            json.key("events")
            json.int(marked.events)
            json.key("policy")
            applied.write(to: &json)
        })
}

extension Call {
    func requireAdministrator(_ what: String) throws(WireError) {
        guard peer.isAdministrator else {
            throw WireError(
                .permissionDenied,
                "only root and members of group '\(daemon.configuration.administratorGroup)' may \(what)")
        }
    }
}
