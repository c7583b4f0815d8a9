import HarkCore
import HarkServer
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

extension Daemon {
    fileprivate var sessions: SessionDesk { desks(SessionDesk.self) }
}

extension DaemonFixture {
    /// Ends sessions that are over.
    fileprivate func endIdleSessions() async throws {
        daemon.sessions.lookAtClock()
        await earlierJobs()
        try await eventually("sessions were looked at") { daemon.ledger.isSettled && !daemon.sessions.isLooking }
    }
}

extension FixtureClient {
    fileprivate func current(_ app: String = "default") async throws -> JSONValue {
        try await call("session.current", #"{"app":"\#(app)"}"#)["session"] ?? .null
    }

    fileprivate func record(_ name: String, _ more: String = "") async throws -> JSONValue {
        try await call("event.record", #"{"name":"\#(name)"\#(more)}"#)
    }
}

/// Sessions that end by themselves.
@Suite(.timeLimit(.minutes(45))) struct IdleSessionTests {
    private static let hour = 3_600.0

    @Test("a session ends a day after its last record, whatever else goes on, and what comes then is nobody's")
    func day() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            try await client.call("session.start", #"{"userId":"dora","app":"kiosk"}"#)
            fixture.clock.advance(seconds: 20 * Self.hour)
            _ = try await client.record("tap")
            fixture.clock.advance(seconds: 5 * Self.hour)
            try await fixture.endIdleSessions()
            #expect(try await client.current()["userId"] == "cleo", "something came five hours ago")
            #expect(try await client.current("kiosk") == .null)
            let started = TestClock.start
            let ended = try await client.call("session.list", #"{"userId":"dora"}"#)["sessions"]?.arrayValue?.first
            #expect(
                ended?["endedAt"]?.stringValue == started.adding(milliseconds: 86_400_000).description,
                "when the day was over, not when it was looked at")

            fixture.clock.advance(seconds: 19.1 * Self.hour)
            try await fixture.endIdleSessions()
            #expect(try await client.current() == .null)
            #expect(try await client.record("noise")["sessionId"] != nil)
            #expect(try await client.current()["anonymous"] == true)
            let removed = try await client.call("event.clear", #"{"userId":"cleo"}"#)
            #expect(removed["events"] == 1)
        }
    }

    @Test("what was over while the daemon did not run ends at its start; a session that goes on does not")
    func restart() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            var client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            fixture.clock.advance(seconds: 23 * Self.hour)
            try await fixture.restart()
            try await fixture.endIdleSessions()
            client = try fixture.connect()
            #expect(try await client.current()["userId"] == "cleo")
            fixture.clock.advance(seconds: 2 * Self.hour)
            try await fixture.restart()
            try await eventually("it has ended") {
                fixture.daemon.ledger.isSettled && !fixture.daemon.sessions.isLooking
            }
            client = try fixture.connect()
            #expect(try await client.current() == .null)
        }
    }

    @Test(
        "the settings say how long that is, or that sessions do not end",
        arguments: [("3600", true), ("null", false), ("86400", false)])
    func settings(seconds: String, ends: Bool) async throws {
        let settings = #"{"archive":false,"sessions":{"idleSeconds":\#(seconds)}}"#
        try await DaemonFixture.run(configuration: settings) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            #expect(fixture.daemon.sessions.dueAt == nil || seconds != "null")
            fixture.clock.advance(seconds: 2 * Self.hour)
            try await fixture.endIdleSessions()
            #expect(try await client.current() == .null || !ends)
            #expect(try await client.current() != .null || ends)
        }
    }

    @Test("a clock that has jumped ahead ends nothing")
    func clock() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            fixture.clock.jump(days: 400)
            try await fixture.endIdleSessions()
            #expect(try await client.current()["userId"] == "cleo")
        }
    }
}

/// Records without a person.
@Suite(.timeLimit(.minutes(45))) struct UnattendedTests {
    @Test("what comes without a person is nobody's, beside whoever has a session, and does not go with them")
    func beside() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            var client = try fixture.connect()
            let own = try await client.call("session.start", #"{"userId":"cleo"}"#)["session"]?["id"]
            let first = try await client.record("backup", #","unattended":true"#)["sessionId"]
            #expect(try await client.record("tap")["sessionId"] == own)
            #expect(first != own)
            try await fixture.restart()
            client = try fixture.connect()
            #expect(
                try await client.record("backup", #","unattended":true"#)["sessionId"] == first, "one, over restarts")
            #expect(try await client.current()["id"] == own)
            try await client.call("log.write", #"{"message":"done","unattended":true}"#)
            #expect(try await client.call("event.clear", #"{"userId":"cleo"}"#)["events"] == 1)
            let left = try await client.call("event.list")["events"]?.arrayValue ?? []
            #expect(left.map { $0["name"] } == ["backup", "backup"] && left.allSatisfy { $0["userId"] == nil })
            #expect(try await client.call("log.list")["entries"]?.arrayValue?.count == 1)

            // It can be ended as any other, and another begins.
            let id = try #require(first?.stringValue)
            try await client.call("session.start", #"{"userId":"dora"}"#)
            try await client.call("session.end", #"{"sessionId":"\#(id)"}"#)
            let refused = try await client.ask("session.end", #"{"sessionId":"\#(id)"}"#)
            #expect(refused["error"]?["data"]?["reason"] == "notFound")
            #expect(try await client.current()["userId"] == "dora")
            #expect(try await client.record("backup", #","unattended":true"#)["sessionId"] != first)
        }
    }

    @Test("it does not count for a session that somebody began for nobody in particular either")
    func anonymous() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            let nobody = try await client.record("backup", #","unattended":true"#)["sessionId"]
            #expect(try await client.record("tap")["sessionId"] == nobody, "there was no other to be told from")
            let visit = try await client.call("session.start")["session"]?["id"]
            #expect(try await client.record("backup", #","unattended":true"#)["sessionId"] != visit)
            let named = try await client.ask("event.record", #"{"name":"x","userId":"ada","unattended":true}"#)
            #expect(named["error"]?["data"]?["reason"] == "conflict", "a user that is named counts")
        }
    }

    @Test("clearing everybody anonymous, or all, takes it along, and the next lies in a session that is there")
    func cleared() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            _ = try await client.record("backup", #","unattended":true"#)
            #expect(try await client.call("event.clear", #"{"userId":null}"#)["events"] == 1)
            _ = try await client.record("backup", #","unattended":true"#)
            #expect(try await client.current()["userId"] == "cleo")
            #expect(try await client.call("event.list")["events"]?.arrayValue?.count == 1)
            try await client.call("event.clear", #"{"all":true}"#)
            _ = try await client.record("backup", #","unattended":true"#)
            #expect(try await client.call("event.list")["events"]?.arrayValue?.count == 1)
        }
    }

    @Test("a survey that listens to it asks whoever is there")
    func survey() async throws {
        let surveys = """
            {"surveys":[{"id":"alarm","title":"T","message":"M","options":["Yes","No"],
            "trigger":{"event":{"name":"failed"}}}]}
            """
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#, surveys: surveys) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            _ = try await client.record("failed", #","unattended":true"#)
            let waiting = try await client.call("survey.pending")["surveys"]?.arrayValue
            #expect(waiting?.map { $0["userId"] } == ["cleo"])
        }
    }

    @Test("what a watch tells is nobody's")
    func watch() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"notify":null}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("watch.add", #"{"id":"backup","everySeconds":60}"#)
            try await client.call("session.start", #"{"userId":"cleo"}"#)
            fixture.clock.advance(seconds: 61)
            #expect(try await fixture.told().map(\.name) == ["watch.missed"])
            let events = try await client.call("event.list", #"{"userId":"cleo"}"#)["events"]?.arrayValue
            #expect(events == [])
        }
    }
}
