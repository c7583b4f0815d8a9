import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// Audiences with events from before in the log, through the socket and the store.
@Suite(.timeLimit(.minutes(45))) struct PastEventMethodTests {
    private static let settings = #"{"archive":false,"notify":null}"#

    private static func surveys(_ rule: String = #"{"name":"export","where":"n >= 5000","atLeast":80}"#) -> String {
        """
        {"surveys":[{"id":"often","title":"T","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"go"}},
            "audience":{"events":[\(rule)]}},
        {"id":"calm","title":"T","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"go"}},
            "audience":{"events":[{"name":"crash","never":true}]}}]}
        """
    }

    private static let none = #"{"surveys":[]}"#

    @Test("a rule counts ten thousand events from before it, while clients are served, and once over restarts")
    func many() async throws {
        try await DaemonFixture.run(configuration: Self.settings, surveys: Self.none) { fixture in
            let client = try fixture.connect()
            try await client.record(10_000)
            try fixture.write(surveys: Self.surveys())
            try await client.call("config.reload")
            try await eventually("a page is counted") {
                try await client.standing().first?.hasPrefix("'export' where n gte 5000 has come 0 times") == false
            }
            try await fixture.restart()
            let again = try fixture.connect()
            try await again.waitForPast(fixture)
            let ends = ["has come 80 times, asks for at least 80 times", "'crash' has come 0 times, asks for never"]
            let told = try await again.standing()
            #expect(zip(told, ends).allSatisfy { $0.hasSuffix($1) } && told.count == 2, "\(told)")
            try await again.call("session.start", #"{"userId":"ada"}"#)
            try await again.call("event.record", #"{"name":"go"}"#)
            let pending = try await again.call("survey.pending")["surveys"]?.arrayValue ?? []
            #expect(pending.map { $0["surveyId"] } == ["often"])
        }
    }

    @Test("where two pages meet, each event is counted once")
    func pages() async throws {
        try await DaemonFixture.run(configuration: Self.settings, surveys: Self.none) { fixture in
            let client = try fixture.connect()
            // A page has 100 events at most.
            try await client.record(300)
            try fixture.write(surveys: Self.surveys(#"{"name":"export","where":"n >= 150 and n < 240","atLeast":100}"#))
            try await client.call("config.reload")
            try await client.waitForPast(fixture)
            let told = try await client.standing().first
            #expect(told?.contains(" has come 90 times, ") == true, "\(told ?? "")")
        }
    }

    @Test("what came while a rule was out of the file is counted when it is back, and what is cleared is not")
    func outOfTheFile() async throws {
        let rule = Self.surveys(#"{"name":"export","atLeast":3}"#)
        try await DaemonFixture.run(configuration: Self.settings, surveys: rule) { fixture in
            let client = try fixture.connect()
            try await client.record(2)
            try fixture.write(surveys: Self.none)
            try await client.call("config.reload")
            try await client.record(3)
            try await client.call("session.start", #"{"userId":"ben"}"#)
            try await client.call("event.record", #"{"name":"export"}"#)
            try await client.call("event.clear", #"{"userId":"ben"}"#)
            try fixture.write(surveys: rule)
            try await client.call("config.reload")
            try await client.waitForPast(fixture)
            #expect(try await client.standing().first == "'export' has come 5 times, asks for at least 3 times")
            #expect(
                try await client.standing("ben").first == "'export' has come 0 times, asks for at least 3 times")
        }
    }

    @Test("a store that refuses a count is asked again, and no event is lost or counted twice")
    func refused() async throws {
        try await DaemonFixture.run(configuration: Self.settings, surveys: Self.none) { fixture in
            let client = try fixture.connect()
            try await client.record(7)
            try fixture.refuse("INSERT ON eventTimes")
            try fixture.write(surveys: Self.surveys(#"{"name":"export","atLeast":3}"#))
            // Its own commit may be the one that is refused.
            _ = try await client.ask("config.reload")
            try await fixture.refusal()
            try fixture.accept()
            try await client.record(1)
            try await fixture.daemon.ledger.settle()
            try await client.waitForPast(fixture)
            #expect(try await client.standing().first == "'export' has come 8 times, asks for at least 3 times")
        }
    }
}

extension FixtureClient {
    /// Events of ada's, numbered.
    fileprivate func record(_ count: Int) async throws {
        try await call("session.start", #"{"userId":"ada"}"#)
        for start in stride(from: 0, to: count, by: 500) {
            let lines = (start..<min(start + 500, count)).map {
                #"{"method":"event.record","params":{"name":"export","properties":{"n":\#($0)}}}"# + "\n"
            }
            try send(lines.joined())
            try await call("session.current")
        }
    }

    /// How the surveys stand with their audiences.
    fileprivate func standing(_ user: String = "ada") async throws -> [String] {
        var told: [String] = []
        for survey in ["often", "calm"] {
            let checks = try await call("survey.explain", #"{"surveyId":"\#(survey)","userId":"\#(user)"}"#)["checks"]
            told +=
                checks?.arrayValue?.filter { $0["check"] == "audience" }
                .compactMap { $0["explanation"]?.stringValue } ?? []
        }
        return told
    }

    @DaemonActor
    fileprivate func waitForPast(_ fixture: DaemonFixture) async throws {
        try await eventually("all is counted") {
            fixture.daemon.ledger.pastToRead == nil && fixture.daemon.ledger.isSettled
        }
    }
}
