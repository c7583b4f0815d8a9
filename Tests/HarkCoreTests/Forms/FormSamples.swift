import Foundation
import HarkCore
import HarkTesting
import HarkWire
import Testing

/// Documents of forms, and their content.
enum FormSamples {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let folder = root.appending(path: "Tests/Fixtures/forms")

    static func document(_ name: String) throws -> JSONValue {
        try JSONReader.read(Data(contentsOf: folder.appending(path: name)))
    }

    static func read(_ name: String) throws -> FormConfiguration {
        let read = FormConfiguration.read(try document(name))
        #expect(read.issues == DocumentIssues())
        return try #require(read.configuration)
    }

    /// The sample that is installed.
    static func onboarding() throws -> FormConfiguration {
        let file = root.appending(path: "packaging/samples/onboarding.json")
        let read = FormConfiguration.read(try JSONReader.read(Data(contentsOf: file)))
        #expect(read.issues == DocumentIssues())
        return try #require(read.configuration)
    }

    /// One form of these questions, whose answers go to a server.
    static func remote(_ questions: [Question]) -> FormConfiguration {
        var form = Form(id: "remote", title: "T", questionnaire: Questionnaire(questions))
        form.submission = FormServer("https://forms.example.org/answers")
        return FormConfiguration([form])
    }
}
