import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkSettings

/// A clock that jumps ahead makes nothing old until it can be believed.
@Suite(.timeLimit(.minutes(45))) struct ClockJumpTests {
    // The current session is to stay current, however long nothing comes.
    private static let configuration =
        #"{"archive":false,"retention":{"maxAgeDays":30},"sessions":{"idleSeconds":null}}"#

    /// A session that has ended, and another one that is current.
    private static func record(_ client: FixtureClient) async throws {
        for user in ["ada", "bob"] { try await client.call("session.start", #"{"userId":"\#(user)"}"#) }
    }

    private static func users(_ client: FixtureClient) async throws -> [String] {
        let sessions = try await client.call("session.list")["sessions"]?.arrayValue ?? []
        return sessions.compactMap { $0["userId"]?.stringValue }
    }

    @Test("E9: a clock that jumps a year ahead removes nothing, neither daily nor by hand nor when a session starts")
    func jump() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            try await Self.record(client)
            #expect(try await client.call("retention.apply")["believedTime"] == nil)
            let before = fixture.clock.now
            fixture.clock.jump(days: 365)
            let applied = try await client.call("retention.apply")
            #expect(applied["sessions"] == 0)
            #expect(applied["believedTime"]?.stringValue == before.description)
            #expect(try await client.call("daemon.status")["believedTime"]?.stringValue == before.description)
            // The old session is of the same user as the one that starts.
            try await client.call("session.start", #"{"userId":"ada"}"#)
            #expect(try await Self.users(client) == ["ada", "bob", "ada"])

            fixture.clock.jump(days: -365)
            #expect(try await client.call("daemon.status")["believedTime"] == nil)
        }
    }

    @Test("E9: a session that starts is the first to notice a jump, and removes nothing")
    func sessionStart() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            try await Self.record(client)
            fixture.clock.jump(days: 365)
            try await client.call("session.start", #"{"userId":"ada"}"#)
            #expect(try await Self.users(client) == ["ada", "bob", "ada"])
        }
    }

    @Test("E9: once the clock has held for a day, a time server keeps it or somebody vouches for it, it counts")
    func believed() async throws {
        let ways: [@DaemonActor @Sendable (DaemonFixture) -> String] = [
            { fixture in
                for _ in 0..<24 {
                    fixture.clock.advance(seconds: 3_600)
                    _ = fixture.daemon.ledger.ageClock.now
                }
                return "{}"
            },
            { fixture in
                fixture.clock.setSynchronized(true)
                return "{}"
            },
            { _ in #"{"trustClock":true}"# },
        ]
        for way in ways {
            try await DaemonFixture.run(configuration: Self.configuration) { fixture in
                let client = try fixture.connect()
                try await Self.record(client)
                fixture.clock.jump(days: 365)
                #expect(try await client.call("retention.apply")["sessions"] == 0)
                let applied = try await client.call("retention.apply", way(fixture))
                #expect(applied["sessions"] == 1)
                #expect(applied["believedTime"] == nil)
                #expect(try await Self.users(client) == ["bob"])
            }
        }
    }

    @Test("E9: a restart does not make a clock believed, and what it has held for is remembered")
    func restart() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            try await Self.record(client)
            fixture.clock.jump(days: 365)
            for hours in [20.0, 3, 2] {
                try await fixture.restart()
                let client = try fixture.connect()
                try await client.call("retention.apply")
                #expect(try await Self.users(client) == ["ada", "bob"], "before \(hours) more hours")
                fixture.clock.advance(seconds: hours * 3_600)
                try await client.call("retention.apply", #"{"dryRun":true}"#)
            }
            let again = try fixture.connect()
            #expect(try await again.call("retention.apply")["sessions"] == 1)
        }
    }

    @Test("E9: time that passes is believed as it ever was")
    func time() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            let client = try fixture.connect()
            try await Self.record(client)
            fixture.clock.advance(seconds: 31 * 86_400)
            let applied = try await client.call("retention.apply")
            #expect(applied["sessions"] == 1)
            #expect(applied["believedTime"] == nil)
        }
    }

    @Test("L3: log entries that wait for a server are not dropped for their age by a clock that jumps")
    func logs() async throws {
        let destination = DaemonFixture.sensorcore(#","pendingLogMaxAge":86400"#)
        try await DaemonFixture.deliver(to: destination) { fixture, client, receiver in
            receiver.answer = { _ in .init(status: 503) }
            try await client.call("log.write", #"{"message":"before","userId":"ada"}"#)
            try await eventually("it was tried") { !receiver.requests.isEmpty }
            receiver.answer = { _ in .init() }
            fixture.clock.jump(days: 365)
            try await client.call("delivery.resume")
            try await fixture.settle("core")
            let status = try await client.call("delivery.status", #"{"destination":"core"}"#)
            let core = status["destinations"]?.arrayValue?.first
            #expect(core?["delivered"] == 1)
            #expect(core?["dropped"] == [:])
        }
    }
}
