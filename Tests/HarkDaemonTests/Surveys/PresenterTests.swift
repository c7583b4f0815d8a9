import HarkSystem
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkServer

/// The presenter of a survey, and the next one.
@Suite struct PresenterTests {
    private static let surveys = """
        {"surveys":[
        {"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"a"}}},
        {"id":"b","title":"B","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"b"}}},
        {"id":"many","title":"M","message":"?","trigger":{"event":{"name":"many"}},"questions":[
        {"id":"one","type":"nps","question":"1","next":[{"when":{"op":"gte","value":9},"to":"three"}]},
        {"id":"two","type":"text","question":"2","required":false},
        {"id":"three","type":"text","question":"3"}]}]}
        """

    private static func run(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys) { daemon in
            let app = try daemon.connect()
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await body(daemon, app)
        }
    }

    @Test("a presenter that comes late is brought what is ready")
    func late() async throws {
        try await Self.run { daemon, app in
            try await app.call("event.record", #"{"name":"a"}"#)
            let presenter = try daemon.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            let brought = try await presenter.notification()
            #expect(brought["method"] == "survey.present")
            #expect(brought["params"]?["survey"]?["surveyId"] == "a")
        }
    }

    @Test("what was given back is ready for others, and what comes after it is brought all the same")
    func release() async throws {
        try await Self.run { daemon, app in
            let presenter = try daemon.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await app.call("event.record", #"{"name":"a"}"#)
            try await app.call("event.record", #"{"name":"b"}"#)
            let first = try await presenter.next("survey.present")
            let id = try #require(first["presentationId"]?.stringValue)
            let refused = try await app.ask("survey.release", #"{"presentationId":"\#(id)"}"#)
            #expect(refused["error"]?["data"]?["reason"] == "conflict")
            let released = try await presenter.call("survey.release", #"{"presentationId":"\#(id)"}"#)
            #expect(released["survey"]?["state"] == "ready")
            let second = try await presenter.next("survey.present")
            #expect(second["surveyId"] == "b")
            let answered = try await presenter.call(
                "survey.answer", #"{"presentationId":"\#(second["presentationId"]?.stringValue ?? "")","option":"Yes"}"#
            )
            #expect(answered["survey"]?["state"] == "answered")
            // The first one is not brought here again, but to another it is.
            let other = try daemon.connect()
            try await other.call("survey.subscribe", #"{"presenter":true}"#)
            #expect(try await other.next("survey.present")["presentationId"]?.stringValue == id)
        }
    }

    /// Presents a survey on a connection of its own, which ends with this, and holds an answer.
    @DaemonActor
    private static func hold(
        _ daemon: DaemonFixture, _ app: FixtureClient,
        _ body: @DaemonActor (FixtureClient, String) async throws -> Void
    ) async throws {
        try await app.call("event.record", #"{"name":"a"}"#)
        let window = try daemon.connect()
        let id = try await window.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
        let held = try await window.call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes","hold":true}"#)
        #expect(held["survey"]?["state"] == "presented")
        try await body(window, id)
    }

    @DaemonActor
    private static func responses(_ app: FixtureClient) async throws -> Int {
        try await app.call("event.list", #"{"name":"survey_response"}"#)["events"]?.arrayValue?.count ?? 0
    }

    @Test("an answer that is held counts once its connection has ended, and not before")
    func heldUntilGone() async throws {
        try await Self.run { daemon, app in
            try await Self.hold(daemon, app) { _, _ in
                let responses = try await Self.responses(app)
                #expect(responses == 0)
            }
            try await app.wait(for: "survey.history", "{}") { $0["presentations"]?[0]?["state"] == "answered" }
            let history = try await app.call("survey.history", "{}")
            #expect(history["presentations"]?[0]?["answers"] == ["option": "Yes"])
            #expect(try await Self.responses(app) == 1)
        }
    }

    @Test("an answer that is held counts when it is sent, and only once")
    func heldAndSent() async throws {
        try await Self.run { daemon, app in
            try await Self.hold(daemon, app) { window, id in
                let sent = try await window.call("survey.answer", #"{"presentationId":"\#(id)","option":"No"}"#)
                #expect(sent["survey"]?["state"] == "answered")
            }
            try await app.call("daemon.status")
            #expect(try await Self.responses(app) == 1)
            #expect(try await app.call("survey.history", "{}")["presentations"]?[0]?["answers"] == ["option": "No"])
        }
    }

    @Test("an answer that is undone is not there any more, and the survey is ready again once its window has gone")
    func undone() async throws {
        try await Self.run { daemon, app in
            try await Self.hold(daemon, app) { window, id in
                let undone = try await window.call(
                    "survey.answer", #"{"presentationId":"\#(id)","answers":{"option":null},"partial":true}"#)
                #expect(undone["survey"]?["answers"] == nil)
            }
            try await app.wait(for: "survey.pending", "{}") { $0["surveys"]?[0]?["state"] == "ready" }
            #expect(try await Self.responses(app) == 0)
        }
    }

    @Test("an answer is held complete, and only by the connection that shows the survey")
    func mayHold() async throws {
        try await Self.run { daemon, app in
            try await app.call("event.record", #"{"name":"many"}"#)
            let window = try daemon.connect()
            let id = try await window.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
            let begun = #"{"presentationId":"\#(id)","answers":{"one":3},"hold":true"#
            let refused = try await window.ask("survey.answer", begun + "}")
            #expect(refused["error"]?["data"]?["path"] == "$.params.answers.three")
            let contrary = try await window.ask("survey.answer", begun + #","partial":true}"#)
            #expect(contrary["error"]?["data"]?["path"] == "$.params.hold")
            let elsewhere = try await app.ask("survey.answer", begun + "}")
            #expect(elsewhere["error"]?["data"]?["reason"] == "conflict")
        }
    }

    @Test("where answers can be changed, or the survey would expire, an answer counts at once")
    func countsAtOnce() async throws {
        let surveys = """
            {"surveys":[{"id":"a","title":"A","message":"?","options":["Yes"],"changeableSeconds":60,
            "trigger":{"event":{"name":"a"}}},{"id":"b","title":"B","message":"?","options":["Yes"],
            "expireAfterSeconds":30,"trigger":{"event":{"name":"b"}}}]}
            """
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys) { daemon in
            let app = try daemon.connect()
            for event in ["a", "b"] {
                try await app.call("event.record", #"{"name":"\#(event)"}"#)
                let id = try await app.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
                let answered = try await app.call(
                    "survey.answer", #"{"presentationId":"\#(id)","option":"Yes","hold":true}"#)
                #expect(answered["survey"]?["state"] == "answered")
            }
        }
    }

    @Test("a survey of several questions tells the way that its answers lead")
    func route() async throws {
        try await Self.run { daemon, app in
            try await app.call("event.record", #"{"name":"many"}"#)
            let shown = try #require(try await app.call("survey.present")["survey"])
            #expect(shown["route"] == ["one"])
            let id = shown["presentationId"]?.stringValue ?? ""
            for (score, route) in [(9, ["one", "three"]), (3, ["one", "two", "three"])] as [(Int, JSONValue)] {
                let kept = try await app.call(
                    "survey.answer", #"{"presentationId":"\#(id)","answers":{"one":\#(score)},"partial":true}"#)
                #expect(kept["survey"]?["route"] == route)
                #expect(kept["survey"]?["state"] == "presented")
            }
        }
    }

    @Test("a presenter of all apps is brought one survey at a time, and the next of another app when it is done")
    func oneOfAllApps() async throws {
        try await Self.run { daemon, app in
            let presenter = try daemon.connect()
            try await presenter.call("survey.subscribe", #"{"presenter":true}"#)
            try await app.call("event.record", #"{"name":"a"}"#)
            try await app.call("event.record", #"{"name":"b","app":"other"}"#)
            let first = try await presenter.next("survey.present")
            #expect(first["surveyId"] == "a")
            try await app.wait(for: "survey.pending", #"{"app":"other"}"#) { $0["surveys"]?[0]?["state"] == "ready" }
            // Another presenter, of that app alone, is free.
            let other = try daemon.connect()
            try await other.call("survey.subscribe", #"{"presenter":true,"app":"third"}"#)
            try await app.call("event.record", #"{"name":"a","app":"third"}"#)
            #expect(try await other.next("survey.present")["app"] == "third")
            for next in ["b", nil] {
                let pending = try await app.call("survey.pending", #"{"app":"other"}"#)
                #expect(pending["surveys"]?[0]?["state"] == (next == nil ? "presented" : "ready"))
                guard let next else { break }
                try await presenter.call(
                    "survey.dismiss", #"{"presentationId":"\#(first["presentationId"]?.stringValue ?? "")"}"#)
                let brought = try await presenter.next("survey.present")
                #expect(brought["surveyId"]?.stringValue == next && brought["app"] == "other")
            }
        }
    }

    @Test("what waits is listed a page at a time, each once")
    func pages() async throws {
        try await Self.run { daemon, app in
            for user in 0..<5 {
                try await app.call("session.start", #"{"userId":"u\#(user)"}"#)
                try await app.call("event.record", #"{"name":"a"}"#)
            }
            var users: [String?] = []
            var cursor: JSONValue = .null
            repeat {
                let after = cursor.stringValue.map { #","after":"\#($0)""# } ?? ""
                let page = try await app.call("survey.pending", #"{"limit":2\#(after)}"#)
                let surveys = page["surveys"]?.arrayValue ?? []
                #expect(surveys.count <= 2)
                users += surveys.map { $0["userId"]?.stringValue }
                cursor = page["next"] ?? .null
            } while cursor != .null && users.count < 20
            #expect(users == (0..<5).map { "u\($0)" })
            let refused = try await app.ask("survey.pending", #"{"after":"x"}"#)
            #expect(refused["error"]?["data"]?["path"] == "$.params.after")
        }
    }
}

extension FixtureClient {
    /// The survey of the next notification of that kind; others are passed over.
    func next(_ method: String) async throws -> JSONValue {
        while true {
            let notification = try await notification()
            if notification["method"]?.stringValue == method, let survey = notification["params"]?["survey"] {
                return survey
            }
        }
    }
}
