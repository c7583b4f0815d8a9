import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Answers that are changed, or taken back, by a clock that the test moves.
@Suite(.timeLimit(.minutes(45))) struct ChangedAnswerTests {
    private static func survey(_ id: String, _ options: String, event: String = "go", more: String = "") -> String {
        #"{"id":"\#(id)","title":"t","message":"m","options":[\#(options)],"trigger":{"event":{"name":"\#(event)"}}\#(more)}"#
    }

    private static let changeable = #","changeableSeconds":600"#
    private static let surveys = document(survey("rating", #""Good","Bad""#, more: changeable))

    private static func document(_ surveys: String...) -> String {
        // A survey that an answer triggers, and one whose answers cannot be changed.
        let others = [
            survey("after", #""x""#, event: "survey_response"), survey("fixed", #""x","y""#, event: "other"),
        ]
        return #"{"surveys":[\#((surveys + others).joined(separator: ","))]}"#
    }

    private static func run(_ body: @escaping @DaemonActor @Sendable (DaemonFixture) async throws -> Void) async throws
    {
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: surveys, body)
    }

    /// Lets a user answer a survey.
    @DaemonActor
    private static func answer(
        _ client: FixtureClient, _ option: String = "Good", event: String = "go", user: String? = "ada"
    ) async throws -> String {
        if let user { try await client.call("session.start", #"{"userId":"\#(user)"}"#) }
        try await client.call("event.record", #"{"name":"\#(event)"}"#)
        let id = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
        try await client.call("survey.answer", #"{"presentationId":"\#(id)","option":"\#(option)"}"#)
        return id
    }

    @DaemonActor
    private static func change(_ client: FixtureClient, _ id: String, _ rest: String) async throws -> JSONValue {
        try await client.call("survey.change", #"{"presentationId":"\#(id)",\#(rest)}"#)["survey"] ?? .null
    }

    /// Why a change is refused; nil if it is not.
    @DaemonActor
    private static func refusal(
        _ client: FixtureClient, _ id: String, _ rest: String = #""option":"Bad""#
    ) async throws -> String? {
        try await client.ask("survey.change", #"{"presentationId":"\#(id)",\#(rest)}"#)["error"]?["data"]?["reason"]?
            .stringValue
    }

    @DaemonActor
    private static func versions(_ client: FixtureClient, _ more: String = "") async throws -> [JSONValue] {
        try await client.call("survey.history", #"{"surveyId":"rating"\#(more)}"#)["presentations"]?.arrayValue ?? []
    }

    @DaemonActor
    private static func answered(_ client: FixtureClient) async throws -> (
        answered: JSONValue, good: JSONValue, bad: JSONValue
    ) {
        let results = try await client.call("survey.results", #"{"surveyId":"rating"}"#)
        let answers = results["questions"]?[0]?["answers"]?.arrayValue ?? []
        func count(_ value: String) -> JSONValue { answers.first { $0["value"] == .string(value) }?["count"] ?? .null }
        return (results["answered"] ?? .null, count("Good"), count("Bad"))
    }

    @DaemonActor
    private static func events(_ client: FixtureClient, _ name: String) async throws -> [JSONValue] {
        let events = try await client.call("event.list", #"{"name":"\#(name)"}"#)["events"]?.arrayValue ?? []
        return events.compactMap { $0["properties"] }
    }

    @Test(
        "what is changed counts in the place of what was answered, both are kept and told apart, and nothing follows from it again"
    )
    func change() async throws {
        try await Self.run { daemon in
            let client = try daemon.connect()
            let first = try await Self.answer(client)
            #expect(try await client.call("survey.pending")["surveys"]?.arrayValue?.count == 1)
            daemon.clock.advance(seconds: 500)
            let changed = try await Self.change(client, first, #""option":"Bad""#)
            let second = changed["presentationId"]?.stringValue ?? ""
            #expect(changed["revises"]?.stringValue == first && changed["answers"]?["option"] == "Bad")
            let last = try await Self.versions(client)
            #expect(last.map { $0["presentationId"]?.stringValue } == [second])
            let all = try await Self.versions(client, #","allVersions":true"#)
            #expect(all.map { $0["answers"]?["option"] } == ["Good", "Bad"])
            #expect(all[0]["revisedBy"]?.stringValue == second && all[1]["revises"]?.stringValue == first)
            let counts = try await Self.answered(client)
            #expect(counts.answered == 1 && counts.good == 0 && counts.bad == 1)
            let told = try await Self.events(client, "survey_response")
            #expect(told.map { $0["option"] } == ["Good", "Bad"])
            #expect(told.map { $0["presentationId"]?.stringValue } == [first, second])
            #expect(told[0]["revises"] == nil && told[1]["revises"]?.stringValue == first)
            // The survey that follows an answer waits once, and there was one attempt.
            #expect(try await client.call("survey.pending")["surveys"]?.arrayValue?.count == 1)
            let items = try await client.call("user.export", #"{"userId":"ada"}"#)["items"]?.arrayValue ?? []
            #expect(items.first { $0["asking"]?["surveyId"] == "rating" }?["asking"]?["attempts"] == 1)
            #expect(items.count { $0["showing"]?["surveyId"] == "rating" } == 2)
            // The same once more is none, and the time does not begin anew with a change.
            let same = try await Self.change(client, second, #""option":"Bad""#)
            #expect(same["presentationId"]?.stringValue == second)
            #expect(try await Self.events(client, "survey_response").count == 2)
            daemon.clock.advance(seconds: 99)
            _ = try await Self.change(client, second, #""option":"Good""#)
            let third = try await Self.versions(client)[0]["presentationId"]?.stringValue ?? ""
            daemon.clock.advance(seconds: 1)
            #expect(try await Self.refusal(client, third) == "alreadyClosed")
            #expect(try await Self.answered(client).good == 1)
        }
    }

    @Test("what is taken back was shown and not answered, is told, and is asked for no more; over a restart as well")
    func takeBack() async throws {
        try await Self.run { daemon in
            var client = try daemon.connect()
            let first = try await Self.answer(client)
            try await daemon.restart()
            client = try daemon.connect()
            let back = try await Self.change(client, first, #""takeBack":true"#)
            #expect(back["state"] == "cancelled" && back["reason"] == "takenBack" && back["answers"] == nil)
            let results = try await client.call("survey.results", #"{"surveyId":"rating"}"#)
            #expect(results["shown"] == 1 && results["answered"] == 0 && results["cancelled"] == 1)
            let told = try await Self.events(client, "survey_taken_back")
            #expect(told.count == 1 && told[0]["id"] == "rating" && told[0]["revises"]?.stringValue == first)
            #expect(try await Self.refusal(client, first) == "conflict")
            #expect(try await Self.refusal(client, back["presentationId"]?.stringValue ?? "") == "alreadyClosed")
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await client.call("event.record", #"{"name":"go"}"#)
            let waiting = try await client.call("survey.pending")["surveys"]?.arrayValue ?? []
            #expect(!waiting.contains { $0["surveyId"] == "rating" })
        }
    }

    @Test("whoever may not change an answer is refused, and nothing is stored")
    func refusals() async throws {
        try await Self.run { daemon in
            let client = try daemon.connect()
            let fixed = try await Self.answer(client, "x", event: "other", user: "bob")
            #expect(try await Self.refusal(client, fixed, #""option":"y""#) == "conflict")
            let first = try await Self.answer(client)
            #expect(try await Self.refusal(client, first, #""option":"Great""#) == "invalidParams")
            #expect(try await Self.refusal(client, first, #""option":"Bad","takeBack":true"#) == "invalidParams")
            #expect(try await Self.refusal(client, first, #""takeBack":false"#) == "invalidParams")
            // Two at once: the second finds the first.
            for option in ["Bad", "Good"] {
                try client.send(
                    #"{"id":1,"method":"survey.change","params":{"presentationId":"\#(first)","option":"\#(option)"}}"#
                        + "\n")
            }
            let replies = [try await client.reply(), try await client.reply()]
            #expect(replies[0]["result"] != nil && replies[1]["error"]?["data"]?["reason"] == "conflict")
            #expect(try await Self.versions(client, #","allVersions":true"#).count == 2)
            // Another user has come to the same app.
            let second = try await Self.versions(client)[0]["presentationId"]?.stringValue ?? ""
            try await client.call("session.start", #"{"userId":"bob"}"#)
            #expect(try await Self.refusal(client, second) == "conflict")
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            #expect(try await Self.refusal(client, second) == "notFound")
            #expect(try await Self.versions(client, #","allVersions":true"#).isEmpty)
        }
    }

    @Test(
        "a clock that jumps ahead ends the time only once it is believed, and one that is set back gives no year more")
    func clock() async throws {
        try await Self.run { daemon in
            let client = try daemon.connect()
            let first = try await Self.answer(client)
            daemon.clock.jump(days: 365)
            let changed = try await Self.change(client, first, #""option":"Bad""#)
            let again = try await Self.change(
                client, changed["presentationId"]?.stringValue ?? "", #""option":"Good""#)
            daemon.clock.jump(days: -366)
            let second = again["presentationId"]?.stringValue ?? ""
            #expect(try await Self.refusal(client, second, #""option":"Bad""#) == "alreadyClosed")
        }
    }

    @Test("what was asked then says what is an answer, also when the survey asks something else by now, or is gone")
    func otherQuestions() async throws {
        try await Self.run { daemon in
            let client = try daemon.connect()
            let first = try await Self.answer(client)
            try daemon.write(surveys: Self.document(Self.survey("rating", #""Good","Great""#, more: Self.changeable)))
            try await client.wait(for: "survey.list", "{}") {
                $0["surveys"]?[0]?["questions"]?[0]?["options"]?[1]?["value"] == "Great"
            }
            #expect(try await Self.refusal(client, first, #""option":"Great""#) == "invalidParams")
            let changed = try await Self.change(client, first, #""option":"Bad""#)
            try daemon.write(surveys: Self.document())
            try await client.wait(for: "survey.list", "{}") { $0["surveys"]?.arrayValue?.count == 2 }
            let second = changed["presentationId"]?.stringValue ?? ""
            _ = try await Self.change(client, second, #""option":"Good""#)
            #expect(try await Self.versions(client).map { $0["answers"]?["option"] } == ["Good"])
        }
    }

    @Test("answers have 20 versions at most, also over restarts; then they can still be taken back")
    func bound() async throws {
        try await Self.run { daemon in
            var client = try daemon.connect()
            var id = try await Self.answer(client)
            for number in 2...20 {
                if number == 10 {
                    try await daemon.restart()
                    client = try daemon.connect()
                }
                let option = number % 2 == 0 ? "Bad" : "Good"
                let changed = try await Self.change(client, id, #""option":"\#(option)""#)
                id = changed["presentationId"]?.stringValue ?? ""
            }
            let refused = try await client.ask("survey.change", #"{"presentationId":"\#(id)","option":"Good"}"#)[
                "error"]
            #expect(refused?["data"]?["reason"] == "tooLarge")
            #expect(refused?["message"]?.stringValue?.contains("changed 19 times") == true, "\(refused ?? .null)")
            #expect(try await Self.refusal(client, id, #""option":"Good","try":true"#) == "tooLarge")
            // An unchanged answer is no version.
            #expect(try await Self.refusal(client, id) == nil)
            #expect(try await Self.versions(client, #","allVersions":true"#).count == 20)
            #expect(try await Self.refusal(client, id, #""takeBack":true"#) == nil)
            #expect(try await Self.answered(client).answered == 0)
        }
    }

    @Test("a change that is tried tells the way that the answers lead, and changes nothing")
    func tried() async throws {
        let questions = #"{"id":"one","type":"nps","question":"1","next":[{"when":{"op":"gte","value":9},"to":"end"}]}"#
        let survey =
            #"{"id":"rating","title":"t","message":"m","trigger":{"event":{"name":"go"}},"changeableSeconds":600,"#
            + #""questions":[\#(questions),{"id":"two","type":"text","question":"2"}]}"#
        try await DaemonFixture.run(configuration: #"{"notify":null}"#, surveys: Self.document(survey)) { daemon in
            let client = try daemon.connect()
            try await client.call("event.record", #"{"name":"go"}"#)
            let id = try await client.call("survey.present")["survey"]?["presentationId"]?.stringValue ?? ""
            try await client.call("survey.answer", #"{"presentationId":"\#(id)","answers":{"one":10}}"#)
            for (answers, route) in [
                (#"{"one":3}"#, ["one", "two"]), (#"{"one":3,"two":"Why"}"#, ["one", "two"]), (#"{"one":9}"#, ["one"]),
            ] {
                let tried = try await Self.change(client, id, #""answers":\#(answers),"try":true"#)
                #expect(tried["presentationId"]?.stringValue == id)
                #expect(tried["route"]?.arrayValue?.compactMap(\.stringValue) == route, "\(answers)")
            }
            #expect(try await Self.refusal(client, id, #""answers":{"one":11},"try":true"#) == "invalidParams")
            #expect(try await Self.refusal(client, id, #""takeBack":true,"try":true"#) == "invalidParams")
            let all = try await Self.versions(client, #","allVersions":true"#)
            #expect(all.count == 1 && all[0]["answers"] == ["one": 10])
            daemon.clock.advance(seconds: 600)
            #expect(try await Self.refusal(client, id, #""answers":{"one":3},"try":true"#) == "alreadyClosed")
        }
    }

    @Test("a hub counts the last version too, and has both")
    func fleet() async throws {
        try await FleetStage.run([FleetStage.Kiosk(surveys: Self.surveys)]) { stage in
            let client = try stage.machine.connect()
            let first = try await Self.answer(client)
            _ = try await Self.change(client, first, #""option":"Bad""#)
            try await stage.settle()
            let hub = try stage.hub.connect()
            try await client.wait(for: "survey.history", "{}") { $0["presentations"]?.arrayValue?.isEmpty == false }
            try await hub.wait(for: "survey.history", #"{"surveyId":"rating","allVersions":true}"#) {
                $0["presentations"]?.arrayValue?.count == 2
            }
            #expect(try await Self.versions(hub).map { $0["answers"]?["option"] } == ["Bad"])
            let counts = try await Self.answered(hub)
            #expect(counts.answered == 1 && counts.bad == 1)
            #expect(try await Self.events(hub, "survey_response").map { $0["option"] } == ["Good", "Bad"])
        }
    }
}
