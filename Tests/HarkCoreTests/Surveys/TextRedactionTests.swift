import HarkWire
import Testing

@testable import HarkCore

@Suite struct TextRedactionTests {
    @Test(
        "the texts of an answer go from its event, whatever the question is called",
        arguments: ["why", "\u{301}x", "größe"])
    func event(_ question: String) {
        var answers = Answers()
        answers[question] = .text("a secret")
        answers["score"] = .number(3)
        #expect(Answers(packed: answers.packed) == answers)
        let source = Source(uid: 1, pid: 1)
        let session = SessionIdentity(
            row: 1, id: Identifier(high: 1, low: 1), scope: Scope(uid: 1, app: "a"), userId: "ada",
            startedAt: Stage.start,
            metadata: .none, isImplicit: false)
        let record = Record(
            sequence: 1, id: Identifier(high: 2, low: 2), at: Stage.start, kind: .event, session: session,
            name: SurveyEvents.response, source: source,
            properties: Properties([
                ("id", .string("s")), ("answer.score", .integer(3)), ("answer." + question, .string("a secret")),
            ]))
        let showing = RedactedShowing(
            id: Identifier(high: 3, low: 3), survey: "s", closedAt: Stage.start, answers: answers)
        let left = showing.properties(redacting: record)
        #expect(
            left
                == Properties([
                    ("id", .string("s")), ("answer.score", .integer(3)),
                    ("answer." + question, .string(Answers.redactedText)),
                ]))
    }
}
