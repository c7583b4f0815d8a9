import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// Questions of programs, as clients of the socket see them.
@Suite struct PromptTests {
    private static let id = "0199e0f4-8c7a-7000-8000-00000000000a"
    private static let byId = #"{"promptId":"\#(id)"}"#

    private static func run(
        surveys: String? = nil,
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys) { daemon in
            try await body(daemon, try daemon.connect())
        }
    }

    private static func ask(_ members: String = "") -> String {
        #"{"question":"Deploy now?","options":["Yes","No"],"promptId":"\#(id)"\#(members)}"#
    }

    @DaemonActor
    private static func presentation(_ client: FixtureClient) async throws -> String {
        let asked = try await client.call("prompt.get", byId)
        return asked["prompt"]?["presentations"]?[0]?["presentationId"]?.stringValue ?? ""
    }

    /// Asks on a connection that ends then.
    @DaemonActor
    private static func askAndGo(_ daemon: DaemonFixture) async throws {
        let script = try daemon.connect()
        try await script.call("prompt.ask", ask())
    }

    @DaemonActor
    private static func send(_ method: String, _ client: FixtureClient) throws {
        try client.send(#"{"id":99,"method":"\#(method)","params":\#(byId)}"# + "\n")
    }

    @Test("who waits is told of the answer that a presenter has given, where no surveys are configured at all")
    func answered() async throws {
        try await Self.run { daemon, script in
            let presenter = try daemon.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            let asked = try await script.call("prompt.ask", Self.ask())
            #expect(asked["prompt"]?["state"] == "open")
            try Self.send("prompt.wait", script)
            let brought = try await presenter.next("survey.present")
            #expect(brought["promptId"]?.stringValue == Self.id && brought["title"] == "Deploy now?")
            #expect(script.isSilent)
            try await presenter.call(
                "survey.answer", #"{"presentationId":"\#(brought["presentationId"]?.stringValue ?? "")","option":"No"}"#
            )
            let told = try await script.reply()
            #expect(told["result"]?["prompt"]?["state"] == "answered")
            #expect(told["result"]?["prompt"]?["answers"] == ["option": "No"])
            #expect(try await script.call("prompt.wait", Self.byId)["prompt"]?["state"] == "answered")
            #expect(try await script.call("survey.results", #"{"surveyId":"prompt"}"#)["answered"] == 1)
        }
    }

    @Test("of two who answer, one wins and the other is told")
    func race() async throws {
        try await Self.run { daemon, script in
            try await script.call("prompt.ask", Self.ask())
            let id = try await Self.presentation(script)
            let both = [try daemon.connect(), try daemon.connect()]
            for client in both {
                let params = #"{"presentationId":"\#(id)","option":"Yes"}"#
                try client.send(#"{"id":1,"method":"survey.answer","params":\#(params)}"# + "\n")
            }
            var outcomes: [String] = []
            for client in both {
                let reply = try await client.reply()
                outcomes.append(reply["error"]?["data"]?["reason"]?.stringValue ?? "answered")
            }
            #expect(outcomes.sorted() == ["alreadyClosed", "answered"])
            let events = try await script.call("event.list", #"{"name":"survey_response"}"#)["events"]
            #expect(events?.arrayValue?.count == 1)
        }
    }

    @Test("it outlives a restart of the daemon, is found again by its id, and is not asked twice")
    func restart() async throws {
        try await Self.run { daemon, script in
            try await script.call("prompt.ask", Self.ask())
            try await daemon.restart()
            let again = try daemon.connect()
            #expect(try await again.call("prompt.ask", Self.ask())["prompt"]?["state"] == "open")
            #expect(try await again.call("survey.pending")["surveys"]?.arrayValue?.count == 1)
            try Self.send("prompt.wait", again)
            let id = try await Self.presentation(daemon.connect())
            try await daemon.connect().call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes"}"#)
            #expect(try await again.reply()["result"]?["prompt"]?["answers"] == ["option": "Yes"])
        }
    }

    @Test("in time or not at all: it expires with its default, and who waits is told")
    func expiry() async throws {
        try await Self.run { daemon, script in
            try await script.call("prompt.ask", Self.ask(#","timeoutSeconds":60,"default":"No""#))
            try Self.send("prompt.wait", script)
            daemon.clock.advance(seconds: 61)
            daemon.daemon.surveys.lookAtClock()
            let told = try await script.reply()["result"]?["prompt"]
            #expect(told?["state"] == "expired" && told?["answers"] == ["option": "No"])
            #expect(told?["answeredBy"] == nil)
        }
    }

    @Test(
        "what nobody waits for any more is taken back, at the end of the connection and after a start; a kept one stays"
    )
    func abandoned() async throws {
        try await Self.run { daemon, watcher in
            daemon.daemon.prompts.graceAfterConnection = 1
            try await Self.askAndGo(daemon)
            try await watcher.wait(for: "prompt.get", Self.byId) { $0["prompt"]?["state"] == "cancelled" }
            #expect(try await watcher.call("prompt.get", Self.byId)["prompt"]?["reason"] == "abandoned")
            let kept = Self.byId.replacing("00a", with: "00b")
            let lost = Self.byId.replacing("00a", with: "00c")
            let script = try daemon.connect()
            try await script.call("prompt.ask", Self.ask(#","keep":true"#).replacing("00a", with: "00b"))
            try await script.call("prompt.ask", Self.ask().replacing("00a", with: "00c"))
            try await daemon.restart()
            let later = try daemon.connect()
            // It has a minute to come back.
            #expect(try await later.call("prompt.get", lost)["prompt"]?["state"] == "open")
            daemon.daemon.prompts.graceAfterStart = 1
            try daemon.daemon.prompts.begin()
            try await later.wait(for: "prompt.get", lost) { $0["prompt"]?["state"] == "cancelled" }
            #expect(try await later.call("prompt.get", kept)["prompt"]?["state"] == "open")
        }
    }

    @Test("a clear ends the waiting")
    func cleared() async throws {
        try await Self.run { daemon, script in
            try await script.call("prompt.ask", Self.ask())
            try Self.send("prompt.wait", script)
            try await daemon.connect().call("event.clear", #"{"all":true}"#)
            #expect(try await script.reply()["error"]?["data"]?["reason"] == "notFound")
        }
    }

    @Test("where nothing would show it, it is refused if that was asked for, and nothing is stored")
    func nobody() async throws {
        try await Self.run { daemon, script in
            let params = Self.ask(#","requirePresenter":true"#)
            let refused = try await script.ask("prompt.ask", params)
            #expect(refused["error"]?["data"]?["reason"] == "notFound")
            #expect(refused["error"]?["data"]?["path"] == "$.params.requirePresenter")
            #expect(try await script.call("survey.pending")["surveys"] == [])
            let presenter = try daemon.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            #expect(try await script.call("prompt.ask", params)["prompt"]?["state"] == "open")
        }
    }

    @Test("kinds of answers that contradict each other, or none, are refused")
    func kinds() async throws {
        try await Self.run { _, script in
            for members in [
                "", #","options":["a"],"scale":5"#, #","multiple":true"#,
                #","options":["a"],"multiple":true,"text":true"#,
                #","text":true,"scale":3"#, #","options":[]"#, #","text":true,"uids":[]"#,
                #","text":true,"uids":[1,1]"#,
                #","text":true,"timeoutSeconds":0"#, #","text":true,"timeoutSeconds":2678401"#,
            ] {
                let reply = try await script.ask("prompt.ask", #"{"question":"?"\#(members)}"#)
                #expect(reply["error"]?["data"]?["reason"] == "invalidParams", "\(members)")
            }
            for (members, type) in [
                (#","text":true"#, "text"), (#","scale":10"#, "questions"),
                (#","options":["a"],"text":true"#, "combined"),
                (#","options":["a"],"multiple":true"#, "questions"),
            ] {
                let reply = try await script.call("prompt.ask", #"{"question":"?"\#(members)}"#)
                #expect(reply["prompt"]?["responseType"]?.stringValue == type)
            }
        }
    }
}
