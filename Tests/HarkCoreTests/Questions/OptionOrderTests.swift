import HarkWire
import Testing

@testable import HarkCore

@Suite("Options in an order by chance")
struct OptionOrderTests {
    private static func read(_ members: String) -> (questionnaire: Questionnaire?, issues: DocumentIssues) {
        let text = #"[{"id":"q","question":"Q",\#(members)}]"#
        guard let document = try? JSONDocument(Array(text.utf8), .json).value else {
            preconditionFailure("no JSON: \(text)")
        }
        return Questionnaire.read(document)
    }

    private static func values(_ questionnaire: Questionnaire) -> [String] {
        questionnaire.questions[0].kind.choices?.map(\.value) ?? []
    }

    private static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x0193_a7c0, low: number) }

    private static let letters = #""options":["a","b","c","d","e"]"#

    static let kinds = [
        #""type":"single","shuffle":true,\#(letters)"#, #""type":"multiple","shuffle":true,\#(letters)"#,
        #""type":"ranking","shuffle":true,\#(letters)"#,
    ]

    @Test("the order is another one from showing to showing, each as often, and the same for each", arguments: kinds)
    func chance(members: String) throws {
        let (read, issues) = Self.read(members)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        let questionnaire = try #require(read)
        #expect(Self.values(questionnaire) == ["a", "b", "c", "d", "e"])
        var firsts: [String: Int] = [:]
        var orders: Set<[String]> = []
        for number in 0..<2_000 as Range<UInt64> {
            let values = Self.values(questionnaire.drawn(for: Self.id(number)))
            #expect(values.sorted() == ["a", "b", "c", "d", "e"])
            #expect(values == Self.values(questionnaire.drawn(for: Self.id(number))))
            firsts[values[0], default: 0] += 1
            orders.insert(values)
        }
        #expect(orders.count == 120)
        // 400 each, give or take five times the standard deviation.
        #expect(firsts.count == 5 && firsts.values.allSatisfy { (310...490).contains($0) }, "\(firsts)")
    }

    @Test("what stands alone and Other stay last, and the last option where it is to")
    func last() throws {
        let several =
            #""type":"multiple","exclusive":["none"],"options":["none","a","b","c","z"],"other":true,"shuffle":"#
        let all = try #require(Self.read(several + "true").questionnaire)
        let exceptLast = try #require(Self.read(several + #""exceptLast""#).questionnaire)
        var ends: Set<[String]> = []
        for number in 0..<100 as Range<UInt64> {
            ends.insert(Array(Self.values(all.drawn(for: Self.id(number))).suffix(2)))
            #expect(Self.values(exceptLast.drawn(for: Self.id(number))).suffix(3) == ["none", "z", "other"])
        }
        #expect(ends == [["none", "other"]])
    }

    @Test("answers are recorded in the order of the document")
    func answers() throws {
        let questionnaire = try #require(Self.read(#""type":"multiple","shuffle":true,\#(Self.letters)"#).questionnaire)
        let answers = try questionnaire.accept([(id: "q", value: ["d", "a"])]) { $0 }
        #expect(answers["q"] == .choices(["a", "d"]))
    }

    @Test("it is told to presenters, read back, and told of each showing")
    func telling() throws {
        let questionnaire = try #require(
            Self.read(#""type":"single","shuffle":"exceptLast",\#(Self.letters)"#).questionnaire)
        let content = SurveyContent(title: "T", message: "M", responseType: .questions, questionnaire: questionnaire)
        let survey = Survey(id: "s", content: content, trigger: SurveyTrigger(event: nil))
        let shown = survey.shown(in: nil)
        #expect(String(decoding: shown, as: UTF8.self).contains(#""shuffle":"exceptLast","options":[{"value":"a""#))
        #expect(SurveyContent(shown: shown)?.questionnaire.questions[0].order == .exceptLast)
        var json = JSONWriter()
        json.beginObject()
        shown.withUnsafeBufferPointer { SurveyContent.writeOrders(in: $0, of: Self.id(7), to: &json) }
        json.endObject()
        let values = Self.values(questionnaire.drawn(for: Self.id(7))).map { "\"\($0)\"" }.joined(separator: ",")
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"order":{"q":[\#(values)]}}"#)
    }

    @Test("a survey without it tells no order, whatever its texts are")
    func none() throws {
        let questionnaire = try #require(
            Self.read(#""type":"single","options":["\"shuffle\":true}"]"#).questionnaire)
        let content = SurveyContent(title: "T", message: "M", responseType: .questions, questionnaire: questionnaire)
        let shown = Survey(id: "s", content: content, trigger: SurveyTrigger(event: nil)).shown(in: nil)
        var json = JSONWriter()
        json.beginObject()
        shown.withUnsafeBufferPointer { SurveyContent.writeOrders(in: $0, of: Self.id(7), to: &json) }
        json.endObject()
        #expect(json.bytes == Array("{}".utf8))
    }

    @Test("what is no order is told at its member, and kinds without options have none")
    func documents() {
        let errors = Self.read(#""type":"single","shuffle":"all",\#(Self.letters)"#).issues.errors
        #expect(
            errors.contains { $0.path == "$[0].shuffle" && $0.message == "must be true or 'exceptLast'" }, "\(errors)")
        for type in ["yes-no", "text", "nps"] {
            let warnings = Self.read(#""type":"\#(type)","shuffle":true"#).issues.warnings
            #expect(warnings.contains { $0.path == "$[0].shuffle" }, "\(warnings)")
        }
    }
}
