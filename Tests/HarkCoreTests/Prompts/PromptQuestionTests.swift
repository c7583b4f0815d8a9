import HarkCore
import HarkWire
import Testing

@Suite("What a program may ask")
struct PromptQuestionTests {
    private static func make(
        title: String = "Now?", message: String = "", _ kind: PromptQuestion.Kind = .text, fallback: JSONValue? = nil
    ) throws -> PromptQuestion {
        try PromptQuestion(name: "prompt", title: title, message: message, kind: kind, fallback: fallback)
    }

    @Test(
        "what is empty, too long, too much or there twice is refused by the parameter at fault",
        arguments: [
            ("question", " ", "", PromptQuestion.Kind.text),
            ("question", String(repeating: "q", count: 1_025), "", .text),
            ("message", "?", String(repeating: "m", count: 4_097), .text), ("options", "?", "", .options([])),
            ("options", "?", "", .multiple((0..<51).map(String.init))), ("options[1]", "?", "", .options(["a", "a"])),
            ("options[0]", "?", "", .combined([" a"])), ("options[0]", "?", "", .options(["a||b"])),
            ("options[0]", "?", "", .options([String(repeating: "o", count: 257)])),
            ("scale", "?", "", .rating(scale: 11)),
        ])
    func refused(path: String, title: String, message: String, kind: PromptQuestion.Kind) {
        let error = #expect(throws: WireError.self) { try Self.make(title: title, message: message, kind) }
        #expect(error?.path == path)
    }

    @Test(
        "the default has to be an answer",
        arguments: [
            (PromptQuestion.Kind.options(["Yes", "No"]), JSONValue.string("Maybe")), (.rating(scale: 5), 6),
            (.text, .string(" ")), (.multiple(["a"]), .array([.string("b")])), (.text, .int(1)),
        ])
    func noAnswer(kind: PromptQuestion.Kind, fallback: JSONValue) {
        let error = #expect(throws: WireError.self) { try Self.make(kind, fallback: fallback) }
        #expect(error?.path?.hasPrefix("default") == true)
    }

    @Test(
        "it comes out of the store as it went in",
        arguments: [
            (PromptQuestion.Kind.options(["Yes", "No"]), JSONValue.string("No")), (.rating(scale: 7), 6),
            (.text, .string("é\n\"x\"")), (.multiple(["a", "b"]), .array([.string("b")])),
            (.combined(["Ja"]), .null),
        ])
    func packing(kind: PromptQuestion.Kind, fallback: JSONValue) throws {
        let question = try Self.make(message: "m", kind, fallback: fallback)
        let prompt = Prompt(id: Identifier(high: 1, low: 2), asker: 1000, isKept: true, question: question)
        #expect(Prompt(id: prompt.id, packed: prompt.packed) == prompt)
        #expect(Prompt(id: prompt.id, packed: Array(prompt.packed.dropLast())) == nil)
    }
}
