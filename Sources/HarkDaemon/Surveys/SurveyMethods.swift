import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `survey.*` and `debug.set`.
enum SurveyMethods {
    static let all: [Method] = [
        list, pending, history, definitions, present, notified, away, answer, change, dismiss, snooze, release, explain,
        results, look,
        reset, subscribe,
        debugSet,
    ]

    // MARK: What they share

    /// Lets the engine act on a presentation, which is read into the cache first.
    @DaemonActor
    static func act(
        _ call: Call, on id: Identifier,
        _ command: (inout Engine, inout Changes, Timestamp) throws(WireError) -> Presentation
    ) throws(WireError) -> Decided<Presentation> {
        try call.decide(needing: .presentation(id), command)
    }

    /// Writes a presentation, once it is stored, into the reply.
    @DaemonActor
    static func tell(
        _ decided: Decided<Presentation>, _ call: Call, in reply: inout HeldReply
    ) throws(WireError) {
        try decided.tell(in: &reply) { presentation, json in
            json.key("survey")
            presentation.write(to: &json, survey: call.desk(SurveyDesk.self).survey(of: presentation))
        }
    }
}
