import Foundation
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Programs, surveys and notices that events bring about.
@Suite(.timeLimit(.minutes(45))) struct EventExecutionTests {
    private static let surveys = """
        {"surveys":[{"id":"nps","title":"T","message":"?",
        "questions":[{"id":"score","type":"nps","question":"How likely?"},{"id":"why","type":"text","question":"Why?","required":false}],
        "trigger":{"event":{"name":"done"}}},
        {"id":"sorry","title":"T","message":"?","options":["Yes"],"trigger":{"event":{"name":"never"}}}]}
        """

    private static func run(
        _ executions: String = "",
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        let settings = #"{"notify":null,"archive":false,"counters":{"c":{}},"executions":[\#(executions)]}"#
        try await DaemonFixture.run(configuration: settings, surveys: surveys) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await body(fixture, client)
        }
    }

    @Test("T4: a score below 7 runs a program, which is told of the answer; another score runs nothing")
    func lowScore() async throws {
        try await Self.run { fixture, client in
            let folder = fixture.folder.path
            let script = "env > \(folder)/env; cat > \(folder)/input.new; mv \(folder)/input.new \(folder)/input"
            let added = try await client.call(
                "execution.add",
                #"{"id":"low","on":{"event":{"name":"survey_response","where":"id = nps and answer.score < 7"}},"run":{"exec":["sh","-c","\#(script)"]}}"#
            )
            #expect(added["execution"]?["keepAlive"] == true && added["execution"]?["listensTo"] == [])
            #expect(added["execution"]?["on"]?["event"]?["name"] == "survey_response")
            try await client.answer(9)
            try await client.answer(6)
            let run = try await client.waitForRuns(1)[0]
            let environment = try String(contentsOfFile: folder + "/env", encoding: .utf8).split(separator: "\n")
            #expect(environment.contains("HARK_EVENT=survey_response") && environment.contains("HARK_COUNTER="))
            let input = try JSONReader.read(Data(contentsOf: URL(fileURLWithPath: folder + "/input")))
            let event = input["event"]
            let text = try String(contentsOfFile: folder + "/input", encoding: .utf8)
            #expect(text.split(separator: #""event":"#).count == 2, "it is told once")
            #expect(event?["name"] == "survey_response" && event?["userId"] == "ada")
            #expect(event?["properties"]?["answer.score"] == 6 && event?["properties"]?["answer.why"] == "slow")
            #expect(input["value"] == .null && input["counter"] == .null)
            #expect(run["event"] == ["name": "survey_response", "seq": event?["seq"] ?? .null], "no answer is kept")
            #expect(try await client.call("execution.list")["executions"]?[0]?["fired"] == 1)
        }
    }

    @Test("T4: each event fires it once, over a restart too; a condition on counters has to hold as well")
    func each() async throws {
        try await Self.run { fixture, client in
            try await client.add("each", #""on":{"event":{"name":"bought","where":"amount > 100"}},"#)
            try await client.add("once", #""on":{"event":{"name":"bought"}},"keepAlive":false,"#)
            try await client.add("counted", #""on":{"event":{"name":"bought"}},"when":"c >= 1","#)
            for amount in [500, 50, 101] { try await client.bought("\(amount)") }
            try await client.bought("\"500\"")
            #expect(try await client.fired() == ["each": 2, "counted": 0])
            try await fixture.restart()
            let again = try fixture.connect()
            try await again.call("event.record", #"{"name":"other","properties":{"amount":500}}"#)
            try await again.bought("600")
            try await again.call("counter.trigger", #"{"name":"c"}"#)
            try await again.bought("1")
            #expect(try await again.fired() == ["each": 3, "counted": 1])
            #expect(try await again.waitForRuns(5).map { $0["executionId"]?.stringValue }.contains("once"))
            try await again.call("execution.remove", #"{"id":"each"}"#)
            try await again.bought("600")
            #expect(try await again.fired() == ["counted": 2])
        }
    }

    @Test("T4: one of the settings has a survey asked after another was dismissed; subscribers hear of it")
    func configured() async throws {
        let ask =
            #"{"id":"ask","on":{"event":{"name":"survey_dismissed","where":"id = nps"}},"run":{"survey":"sorry"}},"#
            + #"{"id":"tell","app":"other","on":{"event":{"name":"done"}},"run":{"notify":true}}"#
        try await Self.run(ask) { fixture, client in
            let follower = try fixture.connect()
            try await follower.call("execution.subscribe")
            let presenter = try fixture.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await client.call("event.record", #"{"name":"done"}"#)
            let shown = try await presenter.next("survey.present")
            try await presenter.call(
                "survey.dismiss", #"{"presentationId":"\#(shown["presentationId"]?.stringValue ?? "")"}"#)
            #expect(try await presenter.next("survey.present")["surveyId"] == "sorry")
            let fired = try await follower.notification()["params"]
            #expect(fired?["execution"]?["id"] == "ask" && fired?["event"]?["name"] == "survey_dismissed")
            #expect(fired?["counter"] == .null && fired?["value"] == .null)
        }
    }

    @Test("T4: what a program is to be told of a person's event goes when the person's data is cleared")
    func cleared() async throws {
        try await Self.run { fixture, client in
            let folder = fixture.folder.path
            let script =
                "cat >> \(folder)/input; echo >> \(folder)/lines; until [ -e \(folder)/go ]; do sleep 0.01; done"
            try await client.call(
                "execution.add",
                #"{"id":"x","on":{"event":{"name":"bought"}},"run":{"exec":["sh","-c","\#(script)"]}}"#)
            try await client.bought("1")
            try await eventually("the first runs") { FileManager.default.fileExists(atPath: folder + "/lines") }
            try await client.bought("4711")
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            try await fixture.restart()
            #expect(FileManager.default.createFile(atPath: folder + "/go", contents: nil))
            let again = try fixture.connect()
            _ = try await again.waitForRuns(2)
            let input = try String(contentsOfFile: folder + "/input", encoding: .utf8)
            #expect(!input.contains("4711"), "\(input)")
        }
    }

    @Test("T4: what makes no sense is refused with its place")
    func refused() async throws {
        try await Self.run { _, client in
            let event = #""on":{"event":{"name":"e"}}"#
            for (members, path, words) in [
                (#"\#(event),"listensTo":["c"]"#, "listensTo", "leave it out with 'on'"),
                (#"\#(event),"validateImmediately":true"#, "validateImmediately", "is for counters"),
                (#"\#(event),"when":{"changed":["c"]}"#, "when.changed", "must be"),
                (#""on":{}"#, "on", "'event' is missing"),
                (#""on":{"event":{}}"#, "on.event", "'name' is missing"),
                (#""on":{"event":{"name":"e","where":"@user = ada"}}"#, "on.event.where", "@user"),
            ] {
                let error = try await client.ask("execution.add", #"{"id":"x",\#(members),"run":{"notify":true}}"#)[
                    "error"]
                #expect(
                    error?["data"]?["path"]?.stringValue?.hasPrefix("$.params.\(path)") == true,
                    "\(members): \(error ?? .null)")
                #expect(error?["message"]?.stringValue?.contains(words) == true, "\(error ?? .null)")
            }
        }
    }
}

extension FixtureClient {
    fileprivate func add(_ id: String, _ members: String) async throws {
        try await call("execution.add", #"{"id":"\#(id)",\#(members)"run":{"exec":["true"]}}"#)
    }

    fileprivate func bought(_ amount: String) async throws {
        try await call("event.record", #"{"name":"bought","properties":{"amount":\#(amount)}}"#)
    }

    /// Triggers the survey again, and answers it.
    fileprivate func answer(_ score: Int) async throws {
        try await call("survey.reset", #"{"userId":"ada"}"#)
        try await call("event.record", #"{"name":"done"}"#)
        let waiting = try await call("survey.pending")["surveys"]?[0]?["presentationId"]?.stringValue ?? ""
        try await call("survey.present", #"{"presentationId":"\#(waiting)"}"#)
        try await call(
            "survey.answer", #"{"presentationId":"\#(waiting)","answers":{"score":\#(score),"why":"slow"}}"#)
    }

    /// How often each execution has fired.
    fileprivate func fired() async throws -> [String: Int64] {
        let executions = try await call("execution.list")["executions"]?.arrayValue ?? []
        return Dictionary(
            uniqueKeysWithValues: executions.map { ($0["id"]?.stringValue ?? "", $0["fired"]?.intValue ?? -1) })
    }

    /// The runs, once that many have ended well and none is open.
    fileprivate func waitForRuns(_ count: Int) async throws -> [JSONValue] {
        var runs: [JSONValue] = []
        try await eventually("\(count) runs are done") {
            runs = try await call("execution.list")["runs"]?.arrayValue ?? []
            return runs.count == count && runs.allSatisfy { $0["endedAt"] != nil }
        }
        return runs
    }
}
