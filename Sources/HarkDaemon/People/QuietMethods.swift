import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// `quiet.*`: the quiet hours of an account.
enum QuietMethods {
    static let all: [Method] = [set, get]

    static let set = Method(
        QuietSet.self, summary: "Sets the hours at which surveys do not ask this account.",
        details: """
            Surveys that would be shown in these hours wait until they end. The hours follow local time, including daylight \
            saving. Hours over midnight belong to the day on which they begin. They override the settings of surveys and the \
            debug mode. Only a survey with `alarm` may ask in quiet hours, if `alarms` is true; questions of programs are asked \
            at any hour. See [quiet hours](guides/being-left-alone.md#quiet-hours).
            """,
        refusals: [
            .init(
                reason: .invalidParams, when: "they take the whole week, or are not valid hours",
                params: #"{"hours":[{"from":"00:00","until":"24:00"}]}"#)
        ],
        examples: [
            .init(
                params: #"{"hours":[{"from":"12:00","until":"12:01","days":["wed"]}],"alarms":true}"#,
                result: #"{"hours":[{"from":"12:00","until":"12:01","days":["wed"]}],"alarms":true,"quietUntil":null}"#)
        ],
        deciding: { call, request throws(WireError) in
            let uid = call.peer.uid
            let hours = try request.hours.map { spans throws(WireError) in
                do throws(WireError) {
                    return try QuietHours.read(spans.value?.arrayValue ?? [])
                } catch {
                    throw WireError(error.reason, error.message, path: spans.path + (error.path ?? ""))
                }
            }
            let desk = call.desk(SurveyDesk.self)
            let now = call.ledger.now
            return try call.decide(needing: .quiet(of: uid, at: now)) { engine, changes, _ in
                var quiet = engine.wishes.quiet(of: uid)
                if let hours { quiet.hours = hours }
                quiet.allowsAlarms = request.alarms ?? quiet.allowsAlarms
                engine.setQuiet(quiet, of: uid, now: now, into: &changes)
                return QuietInfo(quiet, until: engine.quietEnd(of: uid, now: now))
            }.note { _ in DaemonActor.post { desk.lookAtWhatIsReady() } }
        })

    static let get = Method(
        QuietGet.self, summary: "Returns the quiet hours of this account.",
        examples: [
            .init(params: "{}", result: #"{"hours":[],"alarms":false,"quietUntil":null}"#)
        ],
        deciding: { call, _ throws(WireError) in
            let uid = call.peer.uid
            return try call.decide(needing: .wishes) { engine, _, now in
                QuietInfo(engine.wishes.quiet(of: uid), until: engine.quietEnd(of: uid, now: now))
            }
        })
}

extension QuietInfo {
    fileprivate init(_ quiet: PersonalQuiet, until: Timestamp?) {
        self.init()
        hours = quiet.hours?.told ?? []
        alarms = quiet.allowsAlarms
        quietUntil = until
    }
}
