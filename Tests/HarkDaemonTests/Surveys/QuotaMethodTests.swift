import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// T3: quotas through the socket and the store.
@Suite(.timeLimit(.minutes(45))) struct QuotaMethodTests {
    private static let surveys = """
        {"surveys":[{"id":"rating","title":"T","message":"?","options":["Yes","No"],"oncePerSession":false,
        "trigger":{"event":{"name":"go"}},
        "quota":{"answers":2,"cells":[{"name":"pro","where":"plan = pro","answers":1}]}}]}
        """

    @Test("what was answered counts over a restart; who comes late is told, and the list says how many are wanted")
    func overRestart() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#, surveys: Self.surveys) {
            fixture in
            let client = try fixture.connect()
            try await client.go("pro")
            try await client.go("pro", app: "second")
            let waiting = try await client.waiting()
            try await client.answer(waiting[0])
            let late = try await client.ask(
                "survey.present", #"{"presentationId":"\#(waiting[1])"}"#)["error"]?["message"]?.stringValue
            #expect(
                late?.contains("all the answers it asks for (1 of 2 answers, 1 of 1 in 'pro')") == true, "\(late ?? "")"
            )
            let listed = try await client.call("survey.list")["surveys"]?[0]?["quota"]
            #expect(listed == ["2 answers", "1 answer where plan eq \"pro\" (pro)"])

            try await fixture.restart()
            let again = try fixture.connect()
            #expect(try await again.quota() == ["1 of 2 answers"], "without an event no cell is meant")
            try await again.go("free", app: "third")
            try await again.answer(try await again.waiting().last ?? "")
            #expect(try await again.quota() == ["2 of 2 answers"])
            let events = try await again.call("event.list", #"{"name":"survey_quota"}"#)["events"]?.arrayValue ?? []
            #expect(events.map { $0["properties"]?["cell"] } == ["pro", nil])
        }
    }
}

extension FixtureClient {
    /// An event of a user of its app alone.
    fileprivate func go(_ plan: String, app: String = "default") async throws {
        try await call("session.start", #"{"userId":"\#(app)","app":"\#(app)"}"#)
        try await call("event.record", #"{"name":"go","app":"\#(app)","properties":{"plan":"\#(plan)"}}"#)
    }

    fileprivate func waiting() async throws -> [String] {
        try await call("survey.pending")["surveys"]?.arrayValue?.compactMap { $0["presentationId"]?.stringValue } ?? []
    }

    fileprivate func answer(_ id: String) async throws {
        try await call("survey.answer", #"{"presentationId":"\#(id)","option":"Yes"}"#)
    }

    fileprivate func quota() async throws -> [String] {
        let checks = try await call("survey.explain", #"{"surveyId":"rating"}"#)["checks"]?.arrayValue ?? []
        return checks.filter { $0["check"] == "quota" }.compactMap { $0["explanation"]?.stringValue }
    }
}
