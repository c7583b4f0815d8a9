import Foundation
import HarkWire
import Testing

/// How long answers are kept (row R1), through the socket and through `hark`.
@Suite(.endToEnd) struct AnswerRetentionTests {
    private static func answer(_ count: Int, _ client: SocketClient, _ survey: String = "rating") throws {
        for number in 0..<count {
            try client.startSession("visitor-\(number % 3)")
            try client.record("go")
            let shown = try client.presentNext()
            try client.call("survey.answer", try shown.params(#","option":"Good""#))
        }
    }

    private static func answered(_ client: SocketClient, _ survey: String = "rating") throws -> JSONValue? {
        try client.results(survey)["answered"]
    }

    @Test("R1: of twenty answers all are left when only five sessions of a user are kept, also after kill -9")
    func sessions() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("rating", more: #","oncePerSession":false"#)),
            configuration: #"{"notify":null,"debug":{"bypassGating":true},"retention":{"maxSessionsPerUser":2}}"#)
        let daemon = try scene.home.start()
        try Self.answer(20, try daemon.connect())
        daemon.kill()
        let again = try scene.home.start()
        let client = try again.connect()
        try client.call("retention.apply")
        let sessions = try client.call("session.list")["sessions"]?.arrayValue?.count ?? 0
        #expect(sessions <= 7, "\(sessions) sessions")
        #expect(try Self.answered(client) == 20)
        let table = try scene.home.hark("sql", "SELECT count(*) FROM answers WHERE survey = 'rating'")
        #expect(table.output.contains("20"), "\(table.output)")
        let rules: [JSONValue] = try client.call("daemon.status")["removedByRule"]?.arrayValue ?? []
        let byCount: JSONValue =
            rules.first { (rule: JSONValue) -> Bool in rule["rule"]?.stringValue == "count" } ?? .null
        let expected = Int64(20 - sessions)
        #expect(byCount["sessions"]?.intValue == expected, "\(rules)")
        #expect(try scene.home.hark("status").output.contains("by count"))
        // A clear of the person takes them, though their sessions are long gone.
        try scene.home.hark("clear", "--user", "visitor-1", "--yes")
        #expect(try Self.answered(client) == 13)
        try scene.home.hark("clear", "--all", "--yes")
        #expect(try Self.answered(client) == 0)
    }

    @Test("R1: answers go by their age or the survey's own rule, which is told beforehand")
    func age() throws {
        let scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("rating", more: #","oncePerSession":false,"keepAnswersSeconds":0.001"#),
                SurveyScene.plain("other", event: #"{"name":"come"}"#)),
            configuration: #"{"notify":null,"debug":{"bypassGating":true}}"#)
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try Self.answer(3, client)
        try client.record("come")
        try client.call("survey.answer", try client.presentNext().params(#","option":"Bad""#))
        let tried = try scene.home.hark("retention")
        #expect(
            tried.output.contains("would remove 0 sessions with 0 events, and 3 showings of surveys"), "\(tried.output)"
        )
        #expect(try Self.answered(client) == 3)
        #expect(try client.call("retention.apply")["showings"] == 3)
        #expect(try Self.answered(client) == 0)
        #expect(try Self.answered(client, "other") == 1)
        // By hand, answers go only where that is asked for.
        #expect(try client.call("retention.apply", #"{"policy":{"maxAgeDays":0.0000000001}}"#)["showings"] == 0)
        let applied = try scene.home.hark("retention", "apply", "--max-answer-age-days", "0.0000000001")
        #expect(applied.output.contains("and 1 showing of surveys"), "\(applied.output)\(applied.errors)")
        #expect(try scene.home.hark("retention", "apply", "--max-answer-age-days", "never").ending == .exited(64))
    }

    @Test("E9: by default sixty sessions of one event each are all kept")
    func standing() throws {
        let home = try DaemonHome()
        let client = try home.start().connect()
        for _ in 0..<60 {
            try client.call("session.start")
            try client.record("visit")
        }
        try client.call("retention.apply")
        #expect(try client.call("event.list", #"{"name":"visit","limit":1000}"#)["events"]?.arrayValue?.count == 60)
        #expect(try client.call("config.get")["config"]?["retention"] == "long")
    }
}
