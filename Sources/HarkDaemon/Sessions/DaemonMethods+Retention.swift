import HarkCore
import HarkHub
import HarkLedger
import HarkServer
import HarkSettings
import HarkStore
import HarkSystem
import HarkWire

/// `retention.apply`.
extension DaemonMethods {
    static let retentionApply = Method(
        RetentionApply.self, summary: "Removes sessions, and answers of surveys, that are too old or too many.",
        details: """
            The same happens at every session start and once a day. Current sessions are never removed. Showings of surveys \
            stay, with their answers, when their session is removed. They are removed by the age under `answers`, or by the \
            survey's own `keepAnswersSeconds`; otherwise only when the store is too large and no session is left that can be removed. A \
            clock that has jumped more than three days ahead is not trusted until a time server keeps it, it has held for a day \
            of running, or `trustClock` confirms it. Until then, ages are computed with the earlier time, which runs on. The \
            reply comes when the data is gone. On a system daemon, users who are no administrators apply the policy to their own \
            sessions only.
            """,
        refusals: [
            .init(
                reason: .permissionDenied, when: "`trustClock` is given, and you are no administrator of this machine")
        ],
        examples: [
            .init(
                params: #"{"policy":"aggressive","dryRun":true}"#,
                result: """
                    {"sessions":0,"events":0,"showings":0,"texts":0,"policy":{"maxAgeDays":7,"maxSessionsPerUser":20,\
                    "maxStoreBytes":null,"answers":{"maxAgeDays":730}}}
                    """),
            .init(
                params: #"{"policy":{"maxAgeDays":1}}"#,
                result: """
                    {"sessions":0,"events":0,"showings":0,"texts":0,\
                    "policy":{"maxAgeDays":1,"maxSessionsPerUser":null,"maxStoreBytes":null,\
                    "answers":{"maxAgeDays":null}}}
                    """),
        ],
        answering: { call, request throws(WireError) in
            let settings = call.desk(SettingsDesk.self)
            var applied = settings.configuration.retention
            let issues = IssueCollector()
            if let policy = request.policy?.value,
                var reader = ObjectReader(["policy": policy], path: "$.params", issues: issues),
                let read = RetentionPolicy.read("policy", in: &reader, answerDays: nil)
            {
                applied =
                    read.preset.map { RetentionPolicy($0, onDiskOf: settings.options.paths.state) } ?? read.policy
            }
            try issues.issues.check()
            if request.trustClock == true {
                guard call.peer.isAdministrator else {
                    throw WireError(
                        .permissionDenied, "only administrators may say that the clock is right",
                        path: Params.path("trustClock"))
                }
                call.ledger.ageClock.vouch()
            }
            let scope = call.peer.visibleUID.map(RetentionScope.uid) ?? .everybody
            let dryRun = request.dryRun ?? false
            let marked = try await call.desk(Sweeper.self).applyRetention(applied, to: scope, dryRun: dryRun)
            var result = RetentionResult()
            result.sessions = Int64(marked.sessions)
            result.events = Int64(marked.events)
            result.showings = Int64(marked.showings)
            result.texts = Int64(marked.texts)
            result.policy = AnyJSON(writing: { applied.write(to: &$0) })
            result.believedTime = call.ledger.ageClock.differingTime
            return result
        })
}
