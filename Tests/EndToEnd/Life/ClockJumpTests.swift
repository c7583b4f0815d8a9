import Foundation
import HarkWire
import Testing

/// A machine whose clock is a year ahead for a while, as with a dead battery or a typing error.
@Suite(.endToEnd) struct ClockJumpTests {
    private let scene: SurveyScene
    private let clock: JumpedClock
    private var home: DaemonHome { scene.home }

    init() throws {
        scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("waits", more: #","expireAfterSeconds":86400"#),
                SurveyScene.plain("later", event: #"{"name":"later","scheduleAfterSeconds":3600}"#)),
            configuration: #"{"notify":null,"retention":{"maxAgeDays":30}}"#)
        clock = try JumpedClock(in: scene.home.files)
        scene.home.variables = clock.variables
    }

    /// Somebody's session that is over, and one with two surveys that is not.
    private func prepare(_ client: SocketClient) throws {
        for user in ["ada", "bob"] {
            try client.startSession(user)
            try client.record("before")
        }
        try client.record("go")
        try client.record("later")
    }

    @Test(
        "a clock beyond the year 2262, or before 1970, does not end the daemon",
        arguments: [110_000, 3_000_000, -40_000])
    func farAway(_ days: Int) throws {
        var daemon = try home.start()
        let client = try daemon.connect()
        try prepare(client)
        try clock.set(days: days)
        try client.record("go")
        try client.record("later")
        #expect(try client.call("daemon.status")["state"] == "running")
        #expect(try daemon.stop().ending == .exited(0))
        daemon = try home.start()
        try daemon.connect().record("go")
        #expect(try home.hark("status").output.contains("running"))
        #expect(try daemon.stop().ending == .exited(0))
    }

    private func users(_ client: SocketClient) throws -> [String] {
        try client.call("session.list")["sessions"]?.arrayValue?.compactMap { $0["userId"]?.stringValue } ?? []
    }

    private func states(_ client: SocketClient) throws -> [String] {
        try client.pending().map { "\($0["surveyId"]?.stringValue ?? "") \($0["state"]?.stringValue ?? "")" }.sorted()
    }

    private static let waiting = ["later scheduled", "waits ready"]
    private static let warning = "the clock has jumped 365 days ahead and is not trusted yet"

    @Test("E9: what jumps a year ahead while the machine is off removes nothing, ends nothing, and says so")
    func whileOff() throws {
        var daemon = try home.start()
        try prepare(daemon.connect())
        try daemon.stop()
        try clock.set(days: 365)
        daemon = try home.start()
        let client = try daemon.connect()
        try waitUntil("the jump is told") { try daemon.errors.contains(Self.warning) }
        // It looks for old records with each start of a session, and for due surveys with each commit.
        try client.startSession("bob")
        try client.record("after")
        #expect(try users(client) == ["ada", "bob", "bob"])
        #expect(try states(client) == Self.waiting)
        #expect(try home.hark("retention", "apply").errors.contains("not trusted"))
        #expect(try home.hark("status").output.contains("not trusted"))

        let trusted = try home.hark("retention", "apply", "--trust-clock")
        #expect(trusted.ending == .exited(0), "\(trusted.errors)")
        #expect(try users(client) == ["bob", "bob"])
        // Surveys that were due or over are so now.
        try waitUntil("the one has expired, the other is ready") { try states(client) == ["later ready"] }
        #expect(try client.results("waits")["expired"] == 1)
    }

    @Test("E9: a clock that jumps while the daemon runs, and is put right again, has changed nothing")
    func whileRunning() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try prepare(client)
        try clock.set(days: 365)
        // The first reader notices.
        #expect(try home.hark("retention", "apply").ending == .exited(0))
        try waitUntil("the jump is told") { try daemon.errors.contains(Self.warning) }
        try client.record("go")
        try client.record("later")
        #expect(try users(client) == ["ada", "bob"])
        #expect(try states(client) == Self.waiting)
        try client.startSession("cyd")
        try client.record("later")
        try clock.set(days: 0)
        try home.hark("retention", "apply")
        #expect(try daemon.errors.contains("the clock is trusted again"))
        #expect(try users(client) == ["ada", "bob", "cyd"])
        #expect(try states(client) == ["later scheduled", "later scheduled", "waits ready"])
        // A survey that was scheduled by the wrong clock is not due a year later.
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        for survey in try client.pending() where survey["state"] == "scheduled" {
            let due = try #require(survey["triggerAt"]?.stringValue.flatMap { Timestamp($0) })
            #expect(due > now && due < now.adding(milliseconds: 3_600_001), "\(survey)")
        }
    }
}
