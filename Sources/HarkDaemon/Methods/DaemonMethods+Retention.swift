import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `retention.apply`.
extension DaemonMethods {
    static let retentionApply = Method(
        .retentionApply, summary: "Removes sessions that are too old or too many.",
        details: """
            The same happens at every session start and once a day. Current sessions are never removed. A clock that has \
            jumped more than three days ahead is not believed until a time server keeps it, it has held for a day of \
            running, or `trustClock` says that it is right; until then ages are told by the time before, which runs on. The reply comes \
            when the data is gone. Who is no administrator of a system daemon applies it to sessions of their own only.
            """,
        refusals: [
            .init(
                reason: .permissionDenied, when: "`trustClock` is given, and you are no administrator of this machine")
        ],
        examples: [
            .init(
                params: #"{"policy":"aggressive","dryRun":true}"#,
                result: """
                    {"sessions":0,"events":0,"policy":{"maxAgeDays":7,"maxSessionsPerUser":20,"maxStoreBytes":null}}
                    """),
            .init(
                params: #"{"policy":{"maxAgeDays":1}}"#,
                result: """
                    {"sessions":0,"events":0,\
                    "policy":{"maxAgeDays":1,"maxSessionsPerUser":null,"maxStoreBytes":null}}
                    """),
        ],
        handler: .deferred { call, json throws(WireError) in
            let daemon = call.daemon
            var applied = daemon.configuration.retention
            let issues = IssueCollector()
            if var reader = call.params.reader(issues) {
                applied =
                    RetentionPolicy.read(Parameter<JSONValue>.retentionPolicy.name, in: &reader)?.policy ?? applied
            }
            try issues.issues.check()
            let dryRun = try call.params.read(.dryRun) ?? false
            if try call.params.read(.trustClock) == true {
                guard call.peer.isAdministrator else {
                    throw WireError(
                        .permissionDenied, "only administrators may say that the clock is right",
                        path: .trustClock)
                }
                daemon.ledger.ageClock.vouch()
            }
            let scope = call.peer.visibleUID.map(RetentionScope.uid) ?? .everybody
            let marked = try await daemon.sweeper.applyRetention(applied, to: scope, dryRun: dryRun)
            json.key("sessions")
            json.int(marked.sessions)
            json.key("events")
            json.int(marked.events)
            json.key("policy")
            applied.write(to: &json)
            writeBelievedTime(daemon, to: &json)
        })
}
