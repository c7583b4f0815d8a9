import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// The properties that a showing keeps of its event, in replies (R4).
@Suite(.timeLimit(.minutes(45))) struct EventBehindTests {
    private static let surveys = """
        {"surveys":[{"id":"s","title":"t","message":"m","options":["Good","Bad"],"oncePerSession":false,
        "trigger":{"event":{"name":"go"}},"changeableSeconds":600},
        {"id":"counted","title":"t","message":"m","options":["x"],
        "trigger":{"counters":{"n":{"op":"gte","value":1}}}}]}
        """

    /// Triggers the survey by an event with these properties, and answers it.
    @DaemonActor @discardableResult
    private static func show(_ client: FixtureClient, _ properties: String, _ option: String = "Good") async throws
        -> String
    {
        try await client.call("event.record", #"{"name":"go","properties":\#(properties)}"#)
        let id = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
        try await client.call("survey.answer", #"{"presentationId":"\#(id)","option":"\#(option)"}"#)
        return id
    }

    /// Each part, with how many were answered.
    @DaemonActor
    private static func parts(_ client: FixtureClient, _ by: String) async throws -> [String] {
        let results = try await client.call("survey.results", #"{"surveyId":"s","by":"\#(by)"}"#)
        return (results["parts"]?.arrayValue ?? []).map { "\($0["by"] ?? "?"): \($0["answered"] ?? "?")" }
    }

    @Test("results are parted by the value that it had, of each type, also after a restart")
    func results() async throws {
        try await DaemonFixture.run(
            configuration: #"{"notify":null,"debug":{"bypassGating":true}}"#, surveys: Self.surveys
        ) { daemon in
            let client = try daemon.connect()
            let long = String(repeating: "x", count: 2_000)
            for properties in [
                #"{"plan":"pro","locale":"de"}"#, #"{"plan":"pro"}"#, #"{"plan":3}"#, #"{"plan":3.0}"#,
                #"{"plan":"3"}"#,
                #"{"plan":true}"#, #"{"plan":null}"#, #"{"plan":"\#(long)"}"#, "{}", #"{"@plan":1,"plan":2.5}"#,
            ] {
                try await Self.show(client, properties)
            }
            let found = [
                "null: 3", #""3": 1"#, #""pro": 2"#, "3: 2", "2.5: 1", "true: 1",
            ]
            #expect(try await Self.parts(client, "plan") == found)
            #expect(try await Self.parts(client, "property.locale") == ["null: 9", #""de": 1"#])
            #expect(try await Self.parts(client, "locale") == ["null: 10"])
            #expect(try await Self.parts(client, "@@plan") == ["null: 9", "1: 1"])
            try await daemon.restart()
            let next = try daemon.connect()
            #expect(try await Self.parts(next, "plan") == found)
            let refused = try await next.ask("survey.results", #"{"surveyId":"s","by":"@pln"}"#)["error"]
            #expect(refused?["message"]?.stringValue?.contains("written '@@pln'") ?? false, "\(refused ?? .null)")
        }
    }

    @Test("it is told with the showing, by each version of its answers, and there is none without an event")
    func history() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { daemon in
            let client = try daemon.connect()
            let id = try await Self.show(client, #"{"plan":"pro","n":1}"#)
            try await client.call("survey.change", #"{"presentationId":"\#(id)","option":"Bad"}"#)
            let told = try await client.call("survey.history", #"{"surveyId":"s","allVersions":true}"#)
            let versions = told["presentations"]?.arrayValue ?? []
            #expect(
                versions.map { $0["properties"] } == [["plan": "pro", "n": 1], ["plan": "pro", "n": 1]], "\(told)")
            #expect(try await Self.parts(client, "plan") == [#""pro": 1"#])
            try await client.call("counter.register", #"{"name":"n"}"#)
            try await client.call("counter.set", #"{"name":"n","value":1}"#)
            let counted = try await client.call("survey.history", #"{"surveyId":"counted"}"#)["presentations"]
            #expect(counted?.arrayValue?.count == 1 && counted?[0]?["properties"] == nil, "\(counted ?? .null)")
        }
    }
}
