import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// `survey.explain` says why an event that came brings a survey about, or does not.
@Suite(.timeLimit(.minutes(45))) struct PastEventTests {
    private static let surveys = """
        {"surveys":[
        {"id":"first","title":"A","message":"?","options":["Yes","No"],
         "trigger":{"event":{"name":"bought","where":{"plan":"team"}}}},
        {"id":"big","title":"B","message":"?","options":["Yes","No"],
         "trigger":{"event":{"name":"bought","where":"amount > 100 and plan = pro and (region = eu or region = uk) and note contains thanks"}}},
        {"id":"counted","title":"C","message":"?","options":["Yes"],"trigger":{"counters":"opens >= 3"}}]}
        """

    private static func run(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#, surveys: surveys) { fixture in
            let app = try fixture.connect()
            try await app.call("session.start", #"{"userId":"ada"}"#)
            try await body(fixture, app)
        }
    }

    @Test("each part of the condition has the value that was found, and what people overlook")
    func values() async throws {
        try await Self.run { _, app in
            let seq = try await app.bought(#"{"amount":"500","plan":"Pro","region":"us"}"#)
            let reply = try await app.call("survey.explain", #"{"surveyId":"big","seq":\#(seq)}"#)
            #expect(reply["wouldShow"] == false)
            #expect(reply["event"]?["seq"] == .int(seq))
            #expect(reply["event"]?["name"] == "bought")
            #expect(
                reply.words("event").first?.hasPrefix("✓ event \(seq), 'bought', came on ") == true)
            #expect(
                reply.words("where") == [
                    "✗ amount is \"500\"; asks for amount gt 100: a number in quotes is a text, which never equals a number",
                    "✗ plan is \"Pro\"; asks for plan eq \"pro\": upper and lower case are different letters",
                    "✗ asks for region eq \"eu\" or region eq \"uk\"; region is \"us\"",
                    "✗ the event has no 'note'; asks for note contains \"thanks\"",
                ])
        }
    }

    @Test("an event that fits passes, one of another name does not, and the rival of this event is named")
    func passes() async throws {
        try await Self.run { _, app in
            let fits = #""amount":500,"region":"uk","note":"many thanks""#
            let seq = try await app.bought(#"{\#(fits),"plan":"pro"}"#)
            let reply = try await app.call("survey.explain", #"{"surveyId":"big","seq":\#(seq)}"#)
            #expect(reply.words("where").allSatisfy { $0.hasPrefix("✓") } && reply.words("where").count == 4)
            #expect(reply.words("firstInLine").first?.hasPrefix("✓") == true)
            #expect(reply.words("notPending").first?.hasPrefix("✗") == true, "it came, and waits")

            let rival = try await app.bought(#"{\#(fits),"plan":"team"}"#)
            let taken = try await app.call("survey.explain", #"{"surveyId":"big","seq":\#(rival)}"#)
            #expect(taken.words("firstInLine").first?.hasPrefix("✓") == true, "what is pending takes no turn")
            let other = try await app.call("survey.explain", #"{"surveyId":"first","seq":\#(rival)}"#)
            #expect(other.words("where") == ["✓ plan is \"team\"; asks for plan eq \"team\""])

            try await app.call("event.record", #"{"name":"opened"}"#)
            let opened = try await app.call("event.record", #"{"name":"opened"}"#)["seq"]?.intValue ?? 0
            let wrong = try await app.call("survey.explain", #"{"surveyId":"big","seq":\#(opened)}"#)
            #expect(wrong.words("event").first?.hasSuffix("; the survey listens to 'bought'") == true)
            #expect(wrong.words("where").isEmpty)
            let counted = try await app.call("survey.explain", #"{"surveyId":"counted","seq":\#(opened)}"#)
            #expect(
                counted.words("event").first?.hasSuffix("; counters bring the survey about, and no event does") == true)
        }
    }

    @Test("the last event of the name is found, in the app and of the account; its user is asked about")
    func last() async throws {
        try await Self.run { fixture, app in
            try await app.refuses(#"{"surveyId":"big","last":true}"#, .notFound, "no event 'bought' in this app")
            _ = try await app.bought(#"{"amount":1}"#)
            let seq = try await app.bought(#"{"amount":2}"#)
            try await app.call("event.record", #"{"name":"bought","app":"other"}"#)
            try await app.call("event.record", #"{"name":"boughtAll"}"#)
            try await app.call("session.start", #"{"userId":"bob"}"#)
            let reply = try await app.call("survey.explain", #"{"surveyId":"big","last":true}"#)
            #expect(reply["event"]?["seq"] == .int(seq))
            #expect(reply["userId"] == "ada")
            #expect(reply.words("session").first?.hasPrefix("✗") == true, "it is bob's session now")
            let bob = try await app.call("survey.explain", #"{"surveyId":"big","last":true,"userId":"bob"}"#)
            #expect(bob["userId"] == "bob")
        }
    }

    @Test("what names no event is refused with what is right")
    func refused() async throws {
        try await Self.run { _, app in
            try await app.refuses(
                #"{"surveyId":"big","seq":9223372036854775807}"#, .notFound, "no event 9223372036854775807")
            try await app.refuses(#"{"surveyId":"big","seq":1}"#, .notFound, "no event 1,")
            try await app.refuses(#"{"surveyId":"big","seq":0}"#, .invalidParams, "'seq' must be")
            try await app.refuses(#"{"surveyId":"big","seq":1,"last":true}"#, .invalidParams, "leave one out")
            try await app.refuses(#"{"surveyId":"counted","last":true}"#, .invalidParams, "listens to no event")
            try await app.refuses(#"{"surveyId":"none","last":true}"#, .notFound, "there is no survey 'none'")
        }
    }
}

extension FixtureClient {
    fileprivate func bought(_ properties: String) async throws -> Int64 {
        try await call("event.record", #"{"name":"bought","properties":\#(properties)}"#)["seq"]?.intValue ?? 0
    }

    fileprivate func refuses(_ params: String, _ reason: ErrorReason, _ words: String) async throws {
        let error = try await ask("survey.explain", params)["error"]
        #expect(error?["data"]?["reason"]?.stringValue == reason.rawValue)
        #expect(error?["message"]?.stringValue?.contains(words) == true, "\(error.map(String.init) ?? "")")
    }
}

extension JSONValue {
    /// The explanations of a check, each with its mark.
    fileprivate func words(_ check: String) -> [String] {
        (self["checks"]?.arrayValue ?? []).filter { $0["check"]?.stringValue == check }.map {
            "\($0["passed"] == true ? "✓" : "✗") \($0["explanation"]?.stringValue ?? "")"
        }
    }
}
