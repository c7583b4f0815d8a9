import HarkWire
import Testing

@testable import HarkCore

@Suite("Other and an order by chance in a survey of one question")
struct ShortFormTests {
    private static func read(_ response: String, _ more: String = "") throws -> (Survey?, DocumentIssues) {
        let text =
            #"{"surveys":[{"id":"s","title":"How did you come?","message":"M","trigger":{"event":{"name":"e"}},"#
            + #""response":{\#(response)}\#(more)}]}"#
        let (configuration, issues) = SurveyConfiguration.read(try JSONDocument(Array(text.utf8), .json).value)
        return (configuration?.survey("s"), issues)
    }

    private static let named = #""type":"options","options":["bus","foot"],"other":true"#

    @Test("an Other makes it a survey of questions, as one press cannot answer both")
    func other() throws {
        let (survey, issues) = try Self.read(Self.named + #","submitLabel":"Send""#)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let content = try #require(survey?.content)
        #expect(content.responseType == .questions && content.submitLabel == "Send")
        #expect(content.questionnaire.questions.map(\.id) == ["option", "option.other"])
        let submission = SurveySubmission(answers: JSONObject([("option", "other"), ("option.other", "By boat")]))
        let answers = try content.questionnaire.complete(
            try content.questionnaire.accept(try submission.given(to: content)) { $0 }
        ) { $0 }
        let properties = answers.response(to: "s", shown: content, locale: nil)
        #expect(properties.contains { $0.0 == "answer.option" && $0.1 == .string("other") })
        #expect(properties.contains { $0.0 == "answer.option.other" && $0.1 == .string("By boat") })
        #expect(content.optionValues.isEmpty)
        // Without it all stays as it was.
        let usual = try #require(try Self.read(#""type":"options","options":["bus","foot"]"#).0?.content)
        #expect(usual.responseType == .options && usual.optionValues == ["bus", "foot"])
        #expect(
            try Self.read(Self.named.replacing("true", with: "7")).1.errors.map(\.path) == [
                "$.surveys[0].response.other"
            ])
    }

    @Test("translations have its label beside those of the options")
    func translation() throws {
        let translations = #","translations":{"de":{"options":["Bus","Zu Fuß"],"other":"Anders"}}"#
        let (survey, issues) = try Self.read(Self.named, translations)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let german = try #require(survey?.content.localized("de").questionnaire)
        #expect(german.questions[0].kind.choices?.map(\.label) == ["Bus", "Zu Fuß", "Anders"])
        #expect(german.questions[1].prompt == "Anders")
    }

    @Test("a fault in a text with values is told at the response")
    func paths() throws {
        let (_, issues) = try Self.read(
            #""type":"options","options":[{"value":"a","label":"{nothing}"},"b"],"other":true"#, #","piping":true"#)
        #expect(issues.errors.map(\.path) == ["$.surveys[0].response"], "\(issues)")
    }

    @Test(
        "options are shown in an order by chance",
        arguments: [
            #""type":"options","options":["a","b","c","d"],"shuffle":true"#,
            #""type":"combined","options":["a","b","c","d"],"shuffle":true,"textField":{"label":"Why?"}"#,
        ])
    func order(response: String) throws {
        let (survey, issues) = try Self.read(response)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let content = try #require(survey?.content)
        #expect(content.responseType != .questions && content.optionValues == ["a", "b", "c", "d"])
        let orders = Set(
            (0..<40 as Range<UInt64>).map { number in
                content.questionnaire.drawn(for: Identifier(high: 0x0193_a7c0, low: number)).questions[0].kind.choices?
                    .map(\.value) ?? []
            })
        #expect(orders.count > 5 && orders.allSatisfy { $0.sorted() == ["a", "b", "c", "d"] })
    }
}
