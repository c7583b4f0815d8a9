import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// A survey that is ready and that nobody sees says why, in one sentence.
@Suite(.timeLimit(.minutes(45))) struct UnshownTests {
    private static let surveys = """
        {"surveys":[
        {"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}},
        {"id":"b","title":"B","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"b"}}},
        {"id":"late","title":"L","message":"?","options":["Yes"],"trigger":{"event":{"name":"late","scheduleAfterSeconds":60}}}]}
        """

    private static func run(
        notify: String = "null",
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":\#(notify)}"#, surveys: surveys) {
            fixture in
            let app = try fixture.connect()
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await body(fixture, app)
        }
    }

    @Test("without anybody who shows surveys: explain, what waits, and the status say so until somebody comes")
    func nobody() async throws {
        try await Self.run { fixture, app in
            #expect(try await app.reason("a") == nil, "nothing waits yet")
            #expect(try await app.problems().isEmpty)
            try await app.call("event.record", #"{"name":"a"}"#)
            #expect(try await app.reason("a")?.contains("nothing here shows surveys") == true)
            let pending = try await app.call("survey.pending")["notifyProblem"]?.stringValue
            #expect(pending?.contains("app 'default'") == true && pending?.contains("hark agent") == true)
            let problems = try await app.problems()
            #expect(
                problems.map { $0["about"] } == ["waiting surveys"] && problems[0]["message"]?.stringValue == pending)

            let presenter = try fixture.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            _ = try await presenter.next("survey.present")
            #expect(try await app.reason("a") == nil)
            #expect(try await app.problems().isEmpty)
            #expect(try await app.call("survey.pending")["notifyProblem"] == .null)
        }
    }

    @Test("what is not due, is another user's, or waits behind another survey says so")
    func turns() async throws {
        try await Self.run { fixture, app in
            try await app.call("event.record", #"{"name":"late"}"#)
            let due = TestClock.start.adding(milliseconds: 60_000)
            #expect(try await app.reason("late") == "it is due on \(due)")
            let presenter = try fixture.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await app.call("event.record", #"{"name":"a"}"#)
            let shown = try await presenter.next("survey.present")
            try await app.call("event.record", #"{"name":"b"}"#)
            #expect(try await app.reason("b") == "'a' is being shown in app 'default', and one is shown at a time")
            try await app.call("event.record", #"{"name":"b","app":"other"}"#)
            #expect(try await app.reason("b", #","app":"other""#)?.contains("busy with another one") == true)

            try await presenter.call(
                "survey.release", #"{"presentationId":"\#(shown["presentationId"]?.stringValue ?? "")"}"#)
            _ = try await presenter.next("survey.present")
            try await app.call("session.start", #"{"userId":"bob"}"#)
            #expect(try await app.reason("a", #","userId":"ada""#)?.contains("is another user's") == true)
        }
    }

    @Test("what a hook has said is told in one line, and comes before all else")
    func hook() async throws {
        try await Self.run(notify: #"{"command":["sh","-c","echo no >&2; echo ' way ' >&2; exit 3"]}"#) {
            fixture, app in
            try await app.call("event.record", #"{"name":"a"}"#)
            try await eventually("the hook has failed") { fixture.daemon.surveys.hooks.trouble != nil }
            let message =
                "surveys that are ready are not shown: the notify hook failed, it ended with exited(3), saying: no way"
            #expect(try await app.problems() == [["about": "notify", "message": .string(message)]])
            #expect(try await app.reason("a") == message)
        }
    }
}

extension FixtureClient {
    fileprivate func reason(_ survey: String, _ more: String = "") async throws -> String? {
        try await call("survey.explain", #"{"surveyId":"\#(survey)"\#(more)}"#)["notShown"]?.stringValue
    }

    fileprivate func problems() async throws -> [JSONValue] {
        try await call("daemon.status")["problems"]?.arrayValue ?? []
    }
}
