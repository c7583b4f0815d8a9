import Foundation
import HarkCore
import HarkTesting
import HarkWire

/// Surveys and documents for tests.
enum Samples {
    static func survey(
        _ id: String = "rating", event: String = "done", condition: Condition = .always, delay: Int64 = 0,
        content: SurveyContent = Samples.options, notification: SurveyNotification? = nil,
        _ limit: (inout SurveyLimits) -> Void = { _ in }
    ) -> Survey {
        var limits = SurveyLimits()
        limit(&limits)
        return Survey(
            id: id, content: content, trigger: SurveyTrigger(event: event, condition: condition, delay: delay),
            limits: limits, notification: notification)
    }

    static let options = SurveyContent(
        title: "Title", message: "Message", responseType: .options,
        questionnaire: Questionnaire([
            Question(id: "option", kind: .single([.init("Great"), .init("Okay"), .init("Poor")]))
        ]))

    static func text(
        isRequired: Bool = true, minLength: Int? = nil, maxLength: Int? = nil, title: String = "Title"
    ) -> SurveyContent {
        SurveyContent(
            title: title, message: "Message", responseType: .text,
            questionnaire: Questionnaire([
                Question(
                    id: "text", kind: .text(.init(minLength: minLength, maxLength: maxLength)), isRequired: isRequired)
            ]))
    }

    static func json(_ text: String) throws -> JSONValue {
        try JSONReader.read(text)
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/surveys")

    static func document(_ name: String) throws -> JSONValue {
        try JSONReader.read(Data(contentsOf: folder.appending(path: name)))
    }

    static func configuration(_ name: String) throws -> SurveyConfiguration {
        let read = SurveyConfiguration.read(try document(name))
        guard let configuration = read.configuration else { throw Refused(issues: read.issues.errors) }
        return configuration
    }

    struct Refused: Error {
        let issues: [DocumentIssue]
    }

    /// One survey read from the members given, put into a whole document.
    static func read(_ members: String) throws -> (survey: Survey?, issues: DocumentIssues) {
        let read = SurveyConfiguration.read(try json("{\"surveys\": [{\(members)}]}"))
        return (read.configuration?.surveys.first, read.issues)
    }

    static let base = #""id": "s", "title": "T", "message": "M", "trigger": {"event": {"name": "e"}}"#
}
