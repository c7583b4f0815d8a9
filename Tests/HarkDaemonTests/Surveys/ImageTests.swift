import HarkCore
import HarkWire
import Testing

@testable import HarkDaemon

/// Images on their way from the settings to a presenter.
@Suite struct ImageTests {
    private static let question = """
        {"id":"a","type":"single","question":"A?","image":"a.png","alt":"Both",
         "options":[{"value":"x","image":"pictures/x.png","alt":"An X"},{"value":"y","image":"/srv/y.png","alt":"A Y"}]}
        """
    private static let survey = """
        {"surveys":[{"id":"s","title":"t","message":"m","trigger":{"event":{"name":"go"}},"questions":[\(question)]}]}
        """
    private static let form = #"{"forms":[{"id":"f","title":"t","questions":[\#(question)]}]}"#

    /// Checks that the images of a question are those of the fixture's folder.
    private static func check(_ question: JSONValue?) {
        let file = question?["image"]?.stringValue ?? ""
        #expect(file.hasPrefix("/") && file.hasSuffix("/a.png"), "\(file)")
        #expect(question?["alt"] == "Both")
        let folder = file.dropLast("/a.png".count)
        #expect(question?["options"]?[0]?["image"]?.stringValue == "\(folder)/pictures/x.png")
        #expect(question?["options"]?[1]?["image"] == "/srv/y.png")
        #expect(question?["options"]?[1]?["alt"] == "A Y")
    }

    @Test("presenters are told absolute paths in all ways; the settings and what was shown keep theirs")
    func paths() async throws {
        let settings = #"{"notify":null}"#
        try await DaemonFixture.run(configuration: settings, surveys: Self.survey, forms: Self.form) { daemon in
            let (client, watcher) = (try daemon.connect(), try daemon.connect())
            try await watcher.call("survey.subscribe")
            try await client.call("event.record", #"{"name":"go"}"#)
            Self.check(try await watcher.notification()["params"]?["survey"]?["questions"]?[0])
            Self.check(try await client.call("survey.pending")["surveys"]?[0]?["questions"]?[0])
            let shown = try await client.call("survey.present", #"{"surface":"window"}"#)["survey"]
            Self.check(shown?["questions"]?[0])
            let list = try await client.call("survey.list")["surveys"]?[0]?["questions"]?[0]
            #expect(list?["image"] == "a.png" && list?["options"]?[0]?["image"] == "pictures/x.png")
            let id = shown?["presentationId"] ?? .null
            try await client.call("survey.answer", #"{"presentationId":\#(id),"answers":{"a":"y"}}"#)
            let results = try await client.call("survey.results", #"{"surveyId":"s"}"#)
            #expect(results["questions"]?[0]?["answers"]?[1]?["value"] == "y")
            let told = try await client.call("survey.definitions", #"{"surveyId":"s"}"#)
            #expect(told["definitions"]?[0]?["shown"]?["questions"]?[0]?["image"] == "a.png")
            Self.check(try await client.call("form.start", #"{"formId":"f","userId":"ada"}"#)["form"]?["questions"]?[0])
        }
    }
}
