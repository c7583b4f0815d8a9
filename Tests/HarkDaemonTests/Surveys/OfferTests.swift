import Glibc
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer
@testable import HarkStore

/// When surveys are offered, and that none is forgotten.
@Suite(.timeLimit(.minutes(45))) struct OfferTests {
    private static let surveys = """
        {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}}]}
        """

    @Test("a survey whose showing the store refused is brought once it takes commits again")
    func refused() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let (app, presenter) = (try fixture.connect(), try fixture.connect())
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            // Shown: 2.
            try fixture.refuse("INSERT ON presentation WHEN NEW.state = 2")
            try await app.call("event.record", #"{"name":"a"}"#)
            try await fixture.refusal()
            try await fixture.recover()
            #expect(try await presenter.next("survey.present")["surveyId"] == "a")
        }
    }

    @Test("what a hook chose and the store refused is asked for again once it takes commits")
    func refusedAnswer() async throws {
        let configuration = #"{"notify":{"command":["echo","answer Yes"]}}"#
        try await DaemonFixture.run(configuration: configuration, surveys: Self.surveys) { fixture in
            let app = try fixture.connect()
            try await app.call("session.start", #"{"userId":"ada"}"#)
            // Answered: 3.
            try fixture.refuse("INSERT ON presentation WHEN NEW.state = 3")
            try await app.call("event.record", #"{"name":"a"}"#)
            try await fixture.refusal()
            try await fixture.recover()
            try await app.wait(for: "event.list", #"{"name":"survey_response"}"#) { $0["events"]?[0] != nil }
        }
    }

    @Test("nobody is notified of a survey that is not on disk yet")
    func early() async throws {
        let configuration = #"{"notify":{"command":["sh","-c","touch \"$(dirname \"$HARK_SOCKET\")/shown\""]}}"#
        try await DaemonFixture.run(configuration: configuration, surveys: Self.surveys) { fixture in
            let (app, other) = (try fixture.connect(), try fixture.connect())
            let shown = fixture.folder.path + "/shown"
            try await other.call("hello")
            let before = fixture.holdWriter()
            defer { before.end() }
            try app.send(#"{"id":1,"method":"session.start","params":{"userId":"ada"}}"# + "\n")
            for _ in 0..<20 { try await other.call("hello") }
            let after = fixture.holdWriter()
            defer { after.end() }
            try app.send(#"{"id":2,"method":"event.record","params":{"name":"a"}}"# + "\n")
            for _ in 0..<20 { try await other.call("hello") }
            // The session is stored, and the event with its survey waits behind it.
            before.end()
            #expect(try await app.reply()["id"] == 1)
            // A program that was started all the same would have done it by then.
            try await Task.sleep(for: .milliseconds(300))
            #expect(access(shown, F_OK) != 0)
            after.end()
            #expect(try await app.reply()["id"] == 2)
            try await eventually("it is shown") { access(shown, F_OK) == 0 }
        }
    }

    @Test("what was given back and taken again in one commit is ready again when the connection ends")
    func again() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let app = try fixture.connect()
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await app.call("event.record", #"{"name":"a"}"#)
            var window: FixtureClient? = try fixture.connect()
            let shown = try await window?.call("survey.present")
            let id = #"{"presentationId":"\#(shown?["survey"]?["presentationId"]?.stringValue ?? "")"}"#
            try window?.send(
                ["release", "present"].map { #"{"id":"\#($0)","method":"survey.\#($0)","params":\#(id)}"# + "\n" }
                    .joined())
            #expect(try await window?.reply()["result"]?["survey"]?["state"] == "ready")
            #expect(try await window?.reply()["result"]?["survey"]?["state"] == "presented")
            window = nil
            try await app.wait(for: "survey.pending") { $0["surveys"]?[0]?["state"] == "ready" }
        }
    }

    @Test("a presenter that was to show what the store refused does not show it beside another")
    func twice() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let (app, one, other) = (try fixture.connect(), try fixture.connect(), try fixture.connect())
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await one.call("survey.subscribe", #"{"presenter":true}"#)
            try fixture.refuse("INSERT ON presentation WHEN NEW.state = 2")
            try await app.call("event.record", #"{"name":"a"}"#)
            try await fixture.refusal()
            try await other.call("survey.subscribe", #"{"presenter":true}"#)
            try await fixture.recover()
            #expect(try await other.next("survey.present")["surveyId"] == "a")
            var told: [String?] = []
            repeat {
                told.append(try await one.notification()["method"]?.stringValue)
            } while told.last == "survey.ready"
            #expect(told.last == "survey.presented")
        }
    }

    @Test("a survey that was given back while the store refused is ready once it takes commits again")
    func givenBack() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let (app, presenter) = (try fixture.connect(), try fixture.connect())
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await app.call("event.record", #"{"name":"a"}"#)
            let id = try await presenter.next("survey.present")["presentationId"]?.stringValue ?? ""
            // Ready: 1.
            try fixture.refuse("INSERT ON presentation WHEN NEW.state = 1")
            let refused = try await presenter.ask("survey.release", #"{"presentationId":"\#(id)"}"#)
            #expect(refused["error"]?["data"]?["reason"] == "storeUnavailable")
            try await fixture.recover()
            try await app.wait(for: "survey.pending") { $0["surveys"]?[0]?["state"] == "ready" }
        }
    }

    @Test("a survey whose texts changed while the store refused is shown anew once it takes commits again")
    func changed() async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.surveys) { fixture in
            let (app, presenter) = (try fixture.connect(), try fixture.connect())
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await app.call("event.record", #"{"name":"a"}"#)
            #expect(try await presenter.next("survey.present")["title"] == "A")
            try fixture.refuse("INSERT ON presentation WHEN NEW.state = 1")
            try fixture.write(surveys: Self.surveys.replacing(#""title":"A""#, with: #""title":"B""#))
            try await fixture.refusal()
            try await fixture.recover()
            #expect(try await presenter.next("survey.present")["title"] == "B")
        }
    }
}
