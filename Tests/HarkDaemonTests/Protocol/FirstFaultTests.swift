import HarkServer
import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon

/// Which of several faults of a request is told: that of the parameter described first.
@Suite struct FirstFaultTests {
    @Test(
        "of two parameters of the wrong type, the one described first is told, whatever their order in the request",
        arguments: [
            ("flags.get", "key", "type"), ("form.answer", "userId", "app"), ("form.list", "after", "limit"),
            ("profile.import", "profile", "app"), ("prompt.ask", "question", "promptId"),
            ("study.join", "surveyId", "group"), ("study.plan", "userId", "date"), ("survey.answer", "hold", "try"),
            ("survey.history", "machine", "group"), ("survey.present", "presentationId", "locale"),
            ("user.export", "machine", "group"),
        ])
    func first(_ method: String, _ told: String, _ other: String) async throws {
        let method = try #require(MethodRegistry.all.first { $0.name == method })
        let example = try #require(method.examples.first).params
        let params = try #require(try read(#"{"method":"x","params":\#(example)}"#).params?.objectValue)
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for names in [[told, other], [other, told]] {
                var wrong = params
                for name in names { wrong[name] = nil }
                for name in names { wrong[name] = .array([.array([])]) }
                let error = try await client.ask(method.name, JSONValue.object(wrong).description)["error"]
                #expect(error?["data"]?["path"] == .string("$.params.\(told)"), "\(names)")
            }
        }
    }
}
