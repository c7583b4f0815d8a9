import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `hello` and `daemon.*`: the daemon about itself. `config.*` and `retention.*` are in files of their own.
enum DaemonMethods {
    static let all: [Method] = [
        hello, status, repair, reload, configGet, configValidate, configReload, retentionApply,
    ]

    static let hello = Method(
        name: "hello", summary: "Tells who is there and what it can do.",
        details: "No client has to say hello; one that wants to know the version or the methods does.",
        parameters: [.init(name: "client", type: .string, meaning: "who asks, for whoever reads the traffic")],
        result: [
            .init(name: "name", type: .string, meaning: "`harkd`"),
            .init(name: "version", type: .string, meaning: "the daemon's"),
            .init(
                name: "protocol", type: .protocolVersions, meaning: "`min` and `max` of the protocol versions spoken"),
            .init(name: "capabilities", type: .strings, meaning: "the names of the methods"),
            .init(
                name: "features", type: .strings,
                meaning: "what else it can: `producer`, see [Sending again](#sending-again)"),
            .init(
                name: "mode", type: .oneOf(["user", "system"]),
                meaning: "`user`, or `system` when it serves the whole machine"),
            .init(name: "pid", type: .integer, meaning: "the daemon's"),
        ],
        examples: [
            .init(
                params: #"{"client":"door-camera 2.1"}"#,
                result: """
                    {"name":"harkd","version":"\(Version.current)","protocol":{"min":1,"max":1},\
                    "capabilities":["hello","session.start","event.record"],"features":["producer"],"mode":"user","pid":812}
                    """)
        ],
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
            for method in call.daemon.methods { json.string(method.name) }
            json.endArray()
            json.key("features")
            json.beginArray()
            json.string("producer")
            json.endArray()
            json.key("mode")
            json.string(call.daemon.options.isSystem ? "system" : "user")
            json.key("pid")
            json.int(Int(call.daemon.pid))
        })

    static let status = Method(
        name: "daemon.status", summary: "Tells how the daemon is doing.",
        details: """
            Who is no administrator of a system daemon gets `version`, `pid`, `mode`, `uptimeSeconds` and `state`: the rest \
            is about everybody.
            """,
        parameters: [
            .init(
                name: "format", type: .oneOf(["json", "openmetrics"]),
                meaning: "`json` (default), or `openmetrics` for its text format")
        ],
        result: [
            .init(name: "version", type: .string, isOptional: true, meaning: "the daemon's"),
            .init(name: "pid", type: .integer, isOptional: true, meaning: "the daemon's"),
            .init(name: "mode", type: .oneOf(["user", "system"]), isOptional: true, meaning: "`user` or `system`"),
            .init(name: "uptimeSeconds", type: .count, isOptional: true, meaning: "since the start"),
            .init(
                name: "state", type: .oneOf(["running", "degraded"]), isOptional: true,
                meaning: "`running`, or `degraded` while it cannot store"),
            .init(
                name: "degradedReason", type: .string, isOptional: true,
                meaning: "why, and what to do; only while `degraded`"),
            .init(
                name: "store", type: .storeStatus, isOptional: true,
                meaning: "`path`, `bytes`, `walBytes` (log not yet in the file), `freeBytes` on its disk, `events`, "
                    + "`sessions`, `lastSeq`, `unreadable` (rows that were met, could not be read and are passed over)"),
            .init(
                name: "rates", type: .rates, isOptional: true,
                meaning: "`eventsPerSecond1m`, `eventsPerSecond5m`: records committed"),
            .init(
                name: "commit", type: .commits, isOptional: true,
                meaning: "`count`, `p50Microseconds`, `p99Microseconds`, `lastBatch`; times are null before the first"),
            .init(
                name: "clients", type: .clients, isOptional: true,
                meaning: "`connections`, `subscriptions`, `refused`, `dropped`, `slowReaders`"),
            .init(
                name: "destinations", type: .array(.destination), isOptional: true, meaning: "as in `delivery.status`"),
            .init(
                name: "timers", type: .timers, isOptional: true,
                meaning: "`name` and `dueAt` of what the daemon will do by itself"),
            .init(name: "memoryBytes", type: .orNull(.count), isOptional: true, meaning: "resident memory"),
            believedTime,
            .init(
                name: "problems", type: .troubles, isOptional: true,
                meaning:
                    "`about` (`surveys`, `forms`, `flags`, `notify`) and `message` of what does not work as it is meant to"
            ),
            .init(
                name: "text", type: .string, isOptional: true,
                meaning: "with `openmetrics`: the whole text, instead of all above"),
        ],
        examples: [
            .init(
                before: [#"{"id":0,"method":"retention.apply"}"#], params: "{}",
                result: """
                    {"version":"\(Version.current)","pid":812,"mode":"user","uptimeSeconds":3601,"state":"running",\
                    "store":{"path":"/home/ada/.local/state/hark/hark.db","bytes":4096000,"walBytes":32992,\
                    "freeBytes":81604378624,"events":0,"sessions":0,"lastSeq":0,"unreadable":0},\
                    "rates":{"eventsPerSecond1m":0.0,"eventsPerSecond5m":0.0},\
                    "commit":{"count":1,"p50Microseconds":210,"p99Microseconds":640,"lastBatch":1},\
                    "clients":{"connections":1,"subscriptions":0,"refused":0,"dropped":0,"slowReaders":0},\
                    "destinations":[{"name":"archive","kind":"archive","state":"idle","cursor":0,"pending":0,\
                    "delivered":0,"dropped":{},"deadLetters":0,"lastError":null,"retryAt":null}],\
                    "timers":[{"name":"retention","dueAt":"2026-11-22T11:08:00.000Z"}],"memoryBytes":9437184,\
                    "problems":[]}
                    """),
            .init(
                params: #"{"format":"openmetrics"}"#,
                result: ##"{"text":"# TYPE hark_build info\n# HELP hark_build What runs here.\n…# EOF\n"}"##),
        ],
        handler: .deferred { call, json throws(WireError) in
            let format = try call.params.choice("format", of: ["json", "openmetrics"])
            guard call.peer.isAdministrator else {
                if format == "openmetrics" {
                    try call.requireAdministrator(for: "the text format of daemon.status")
                }
                return StatusReport.writeOutline(of: call.daemon, to: &json)
            }
            let report = try await StatusReport(call.daemon)
            if format == "openmetrics" {
                json.key("text")
                json.string(OpenMetrics.text(report))
            } else {
                report.write(to: &json)
            }
        })

    static let repair = Method(
        name: "daemon.repair", summary: "Removes rows of the store that cannot be read.",
        details: """
            Such a row is passed over and told in the log; `store.unreadable` of [daemon.status](#daemonstatus) counts them. \
            What was written anew in its place meanwhile stays.
            """,
        isForAdministrators: true, parameters: [],
        result: [.init(name: "removed", type: .count, meaning: "how many")],
        examples: [.init(params: "{}", result: #"{"removed":0}"#)],
        handler: .lasting { call throws(WireError) in
            let ledger = call.daemon.ledger
            let rows = ledger.store.unreadable.all
            let removed = try ledger.decide { engine, changes, _ in
                if !rows.isEmpty { engine.removeUnreadable(rows, into: &changes) }
            }
            return { json throws(WireError) in
                try await removed.stored()
                ledger.store.unreadable.forget(rows)
                json.key("removed")
                json.int(rows.count)
            }
        })

    static let reload = Method(
        name: "daemon.reload", summary: "Reads the configuration again, as SIGHUP does.",
        details: """
            A file with errors is refused, and what was in force stays in force. Limits of the socket hold for the \
            connections that come after; \(Configuration.needsRestart.map { "`\($0)`" }.joined(separator: " and ")) wait \
            for the daemon's next start. A changed destination whose request is under way begins anew once that is over, \
            after two seconds at most; the reply comes then.
            """,
        isForAdministrators: true, parameters: [],
        result: [
            .init(name: "reloaded", type: .bool, meaning: "true"),
            .init(
                name: "problems", type: .issues,
                meaning: "what the file says in vain: each with `path`, `message`, `line` and `column`"),
        ],
        refusals: [.init(reason: .invalidParams, when: "the file has errors; the message lists them")],
        examples: [.init(params: "{}", result: #"{"reloaded":true,"problems":[]}"#)],
        handler: .lasting { call throws(WireError) in try reload(call) })

    static let configReload = Method(
        name: "config.reload", summary: "The same as `daemon.reload`.", isForAdministrators: true, parameters: [],
        result: reload.result, refusals: reload.refusals, examples: reload.examples,
        handler: .lasting { call throws(WireError) in try reload(call) })

    @DaemonActor
    private static func reload(_ call: Call) throws(WireError) -> Method.Rest {
        let daemon = call.daemon
        return { json throws(WireError) in
            let problems = try await daemon.reload()
            try await daemon.ledger.settle()
            await daemon.delivery.comeIntoPlace()
            json.key("reloaded")
            json.bool(true)
            json.key("problems")
            write(problems, to: &json)
        }
    }

    static let believedTime = Shape.Member(
        name: "believedTime", type: .time, isOptional: true,
        meaning:
            "the time by which ages are told, only while the machine's clock has jumped ahead and is not believed yet")

    @DaemonActor
    static func writeBelievedTime(_ daemon: Daemon, to json: inout JSONWriter) {
        guard let time = daemon.ledger.ageClock.differingTime else { return }
        json.key("believedTime")
        json.timestamp(time)
    }
}
