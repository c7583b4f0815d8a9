import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// `retention.apply`.
extension DaemonMethods {
    static let retentionApply = Method(
        name: "retention.apply", summary: "Removes sessions that are too old or too many.",
        details: """
            The same happens at every session start and once a day. Current sessions are never removed. A clock that has \
            jumped more than three days ahead is not believed until a time server keeps it, it has held for a day of \
            running, or `trustClock` says that it is right; until then ages are told by the time before, which runs on. The reply comes \
            when the data is gone. Who is no administrator of a system daemon applies it to sessions of their own only.
            """,
        parameters: [
            .init(
                name: "policy", type: .givenPolicy,
                meaning: "`none`, `conservative` (90 days, 100 sessions a user), `standard` (30, 50), `aggressive` "
                    + "(7, 20), or an object with `maxAgeDays`, `maxSessionsPerUser`, `maxStoreBytes`; without it, what "
                    + "is configured"),
            .init(name: "dryRun", type: .bool, meaning: "true: only tell what would be removed"),
            .init(name: "trustClock", type: .bool, meaning: "true: the machine's clock is right; for administrators"),
        ],
        result: [
            .init(name: "sessions", type: .count, meaning: "how many sessions were removed"),
            .init(name: "events", type: .count, meaning: "how many events were removed"),
            .init(name: "policy", type: .retentionPolicy, meaning: "the numbers that were applied"),
            believedTime,
        ],
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
                applied = RetentionPolicy.read("policy", in: &reader)?.policy ?? applied
            }
            try issues.issues.check()
            let dryRun = try call.params.bool("dryRun") ?? false
            if try call.params.bool("trustClock") == true {
                guard call.peer.isAdministrator else {
                    throw WireError(
                        .permissionDenied, "only administrators may say that the clock is right",
                        path: Params.path("trustClock"))
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
