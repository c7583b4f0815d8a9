import HarkCore
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// `hello` and `daemon.*`: the daemon about itself. `config.*` and `retention.*` are in files of their own.
enum DaemonMethods {
    static let all: [Method] = [
        hello, status, repair, reload, configGet, configValidate, configReload, retentionApply,
    ]

    static let hello = Method(
        Hello.self, summary: "Returns the daemon's version and its methods.",
        details: "A client need not call this; it is for clients that want to know the version or the methods.",
        examples: [
            .init(
                params: #"{"client":"door-camera 2.1"}"#,
                result: """
                    {"name":"harkd","version":"\(Version.current)","protocol":{"min":1,"max":1},\
                    "capabilities":["hello","session.start","event.record"],"features":["producer"],"mode":"user","pid":812}
                    """)
        ],
        handler: .read { call, _, json throws(WireError) in
            var greeting = Greeting()
            greeting.name = "harkd"
            greeting.version = Version.current
            (greeting.versions.min, greeting.versions.max) = (1, 1)
            greeting.capabilities = call.methods.map(\.name)
            greeting.features = Feature.allCases.map(\.rawValue)
            greeting.mode = (call.desk(SettingsDesk.self).options.isSystem ? DaemonMode.system : .user).rawValue
            greeting.pid = Int64(call.desk(StatusDesk.self).pid)
            greeting.writeMembers(to: &json)
        })

    static let status = Method(
        DaemonStatus.self, summary: "Returns the state of the daemon.",
        details: """
            On a system daemon, users who are no administrators get only `version`, `pid`, `mode`, `uptimeSeconds` and `state`, \
            as the rest is about everybody.
            """,
        examples: [
            .init(
                before: [#"{"id":0,"method":"retention.apply"}"#], params: "{}",
                result: """
                    {"version":"\(Version.current)","pid":812,"mode":"user","uptimeSeconds":3601,"state":"running",\
                    "store":{"path":"/home/ada/.local/state/hark/hark.db","bytes":4096000,"walBytes":32992,\
                    "freeBytes":81604378624,"events":0,"sessions":0,"lastSeq":0,"unreadable":0,"lostRecords":0},\
                    "removedByRule":[{"rule":"age","sessions":0,"events":0,"showings":0,"texts":0},\
                    {"rule":"count","sessions":0,"events":0,"showings":0,"texts":0},\
                    {"rule":"size","sessions":0,"events":0,"showings":0,"texts":0}],\
                    "rates":{"eventsPerSecond1m":0.0,"eventsPerSecond5m":0.0},\
                    "commit":{"count":1,"p50Microseconds":210,"p99Microseconds":640,"lastBatch":1},\
                    "clients":{"connections":1,"subscriptions":0,"refused":0,"dropped":0,"slowReaders":0},\
                    "destinations":[{"name":"archive","kind":"archive","state":"idle","cursor":0,"pending":0,\
                    "delivered":0,"dropped":{},"deadLetters":0,"lastError":null,"retryAt":null}],\
                    "journal":[],"timers":[{"name":"retention","dueAt":"2026-11-22T11:08:00.000Z"}],"memoryBytes":9437184,\
                    "problems":[]}
                    """),
            .init(
                params: #"{"format":"openmetrics"}"#,
                result:
                    ##"{"text":"# HELP hark_build_info What runs here; the value is 1.\n# TYPE hark_build_info gauge\n…# EOF\n"}"##
            ),
        ],
        handler: .deferred { call, request, json throws(WireError) in
            guard call.peer.isAdministrator else {
                if request.format == .openmetrics {
                    try call.requireAdministrator(for: "the text format of daemon.status")
                }
                return StatusReport.outline(call).writeMembers(to: &json)
            }
            let report = try await StatusReport(call)
            if request.format == .openmetrics {
                var status = DaemonStatusInfo()
                status.text = OpenMetrics.text(report)
                status.writeMembers(to: &json)
            } else {
                report.info.writeMembers(to: &json)
            }
        })

    static let repair = Method(
        DaemonRepair.self, summary: "Repairs a damaged store, and restores lost records from the archive tree.",
        details: """
            Damage to a row or a page of the file loses only the data there. The daemon passes it over and logs it, `store` of \
            [daemon.status](#daemonstatus) counts it, and replies that lack data say so in `warnings`. This method checks the \
            whole store. If pages are damaged, the daemon restarts and rebuilds the store from everything that can be read: \
            `restarts` is true, and the next call does the rest. The old file stays next to it as `hark.db.damaged` until data \
            is removed the next time. Then the method removes rows that cannot be read, and restores what the archive tree has \
            and the store lacks: sessions, and events with their numbers, ids and times. The tree has no log entries and no \
            answers to forms. A lost store is restored from its archive in the same way. Streams do not report restored records.
            """,
        isForAdministrators: true,
        examples: [
            .init(
                params: "{}",
                result: """
                    {"restarts":false,"removed":0,"restoredSessions":0,"restoredEvents":0,"notRestored":0,"isPartial":false,"gone":[]}
                    """)
        ],
        handler: .lasting { call, _ throws(WireError) in
            let repair = StoreRepair(call)
            return { json throws(WireError) in
                try await repair.run()
                repair.report.writeMembers(to: &json)
            }
        })

    static let reload = Method(
        DaemonReload.self, summary: "Reads the configuration again, as SIGHUP does.",
        details: """
            A file with errors is refused, and the configuration in force stays. Limits of the socket apply to later \
            connections; \(Configuration.needsRestart.map { "`\($0)`" }.joined(separator: " and ")) take effect at the daemon's \
            next start. A changed destination with a request under way starts again when that request is over, after two seconds \
            at most; the reply comes then.
            """,
        isForAdministrators: true,
        refusals: [.init(reason: .invalidParams, when: "the file has errors; the message lists them")],
        examples: [.init(params: "{}", result: #"{"reloaded":true,"problems":[]}"#)],
        handler: .lasting { call, _ throws(WireError) in try reload(call) })

    static let configReload = Method(
        ConfigReload.self, summary: "The same as `daemon.reload`.", isForAdministrators: true,
        refusals: reload.refusals, examples: reload.examples,
        handler: .lasting { call, _ throws(WireError) in try reload(call) })

    @DaemonActor
    private static func reload(_ call: Call) throws(WireError) -> Method.Rest {
        return { json throws(WireError) in
            let problems = try await call.desk(SettingsDesk.self).reload(call.desks)
            try await call.ledger.settle()
            await call.desk(DeliveryDesk.self).comeIntoPlace()
            var result = ReloadResult()
            result.reloaded = true
            result.problems = problems.map { IssueInfo($0) }
            result.writeMembers(to: &json)
        }
    }
}
