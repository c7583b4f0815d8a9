import HarkCore
import HarkWire
import Testing

@Suite("Prompts of other kinds")
struct PromptKindTests {
    static let documents: [JSONValue] = [
        ["type": "number", "min": 0, "step": 0.25, "unit": "h"], ["type": "yes-no"], ["type": "csat"],
        ["type": "date", "min": "today", "max": "+2w"], ["type": "time"], ["type": "consent", "version": "1"],
        ["type": "ranking", "options": ["a", "b"], "top": 1],
        ["type": "scale", "min": 0, "max": 10, "labels": ["0": "none"], "lowLabel": "low"],
    ]

    @Test("a prompt is read back from the store as it was asked", arguments: documents)
    func packing(document: JSONValue) throws {
        let question = try PromptQuestion(name: "prompt", title: "Q?", kind: PromptQuestion.other(document))
        let id = Identifier(high: 1, low: 2)
        let prompt = Prompt(id: id, asker: 1, isKept: true, question: question)
        #expect(Prompt(id: id, packed: prompt.packed) == prompt)
        #expect(question.content.responseType == .questions)
        #expect(question.content.questionnaire.questions.map(\.id) == ["answer"])
    }

    @Test("a default has to be an answer")
    func defaults() throws {
        let kind = try PromptQuestion.other(["type": "number", "min": 1])
        let question = try PromptQuestion(name: "p", title: "Q?", kind: kind, fallback: 2.5)
        #expect(question.fallback["answer"] == ExactNumber("2.5").map(Answer.number))
        let error = #expect(throws: WireError.self) {
            try PromptQuestion(name: "p", title: "Q?", kind: kind, fallback: 0)
        }
        #expect(error?.path == "default" && error?.message.contains("at least 1") == true)
    }

    static let faults: [(JSONValue, String, String)] = [
        (["type": "numbr"], "kind.type", "must be single"),
        (["type": "number", "mim": 0], "kind.mim", "did you mean 'min'"),
        (["type": "date", "min": "soon"], "kind.min", "must be a date such as"),
        (["type": "note"], "kind", "a note cannot be answered"),
        (["type": "scale", "max": 10, "step": 3], "kind.max", "is not reached"),
        (
            ["type": "single", "options": [["value": "A", "image": "a.png", "alt": "An A"]]], "kind",
            "only options of surveys and forms have images"
        ),
        (["type": "single"], "kind", "the member 'options' is missing"),
        (["type": "text", "placeholder": .string(String(repeating: "x", count: 20_000))], "kind", "at most 16384"),
    ]

    @Test("a fault is told at its member", arguments: faults)
    func refusal(document: JSONValue, path: String, words: String) {
        let error = #expect(throws: WireError.self) { try PromptQuestion.other(document) }
        #expect(error?.path == path)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
