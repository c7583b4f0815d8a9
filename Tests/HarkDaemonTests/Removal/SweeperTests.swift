import Glibc
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// Removals that come while another is under way.
@Suite(.timeLimit(.minutes(45))) struct SweeperTests {
    @Test("what is marked while the space of an earlier removal is given back goes too, though nobody waits for it")
    func meanwhile() async throws {
        try await DaemonFixture.run(configuration: #"{"retention":{"maxSessionsPerUser":1}}"#) { fixture in
            let (daemon, client) = (fixture.daemon, try fixture.connect())
            try await daemon.sweeper.finish()
            // With the first space that is given back another session begins, and the one before it has to go.
            var isBegun = false
            daemon.ledger.alsoOnCommit { changes, _ in
                let isShrinking = changes.upkeep.contains { if case .shrink = $0 { true } else { false } }
                guard isShrinking, !isBegun else { return }
                isBegun = true
                do throws(WireError) {
                    try SweeperTests.startSession(daemon)
                } catch {
                    Issue.record(error)
                }
            }
            for _ in 0..<2 { try await client.call("session.start", #"{"userId":"ada"}"#) }
            try await eventually("the removal is over") {
                isBegun && daemon.ledger.isSettled && !daemon.sweeper.isRunning
            }
            let left = try daemon.ledger.lookUp { reader throws(StoreError) in try reader.removedSessions(limit: 9) }
            #expect(left.isEmpty)
        }
    }

    @Test("very many sessions are cleared, and retired, a part in each commit")
    func many() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"retention":"none"}"#) { fixture in
            let (daemon, client) = (fixture.daemon, try fixture.connect())
            var most = 0
            daemon.ledger.alsoOnCommit { _, report in
                most = max(most, report.marked.reduce(0) { $0 + $1.sessions })
            }
            for user in ["ada", "bob"] { try await Self.fill(user, daemon) }
            #expect(try await client.call("event.clear", #"{"userId":"ada"}"#)["sessions"] == 1_600)
            let preview = try await client.call("retention.apply", #"{"policy":{"maxAgeDays":1},"dryRun":true}"#)
            #expect(preview["sessions"] == 1_600)
            let applied = try await client.call("retention.apply", #"{"policy":{"maxAgeDays":1}}"#)
            #expect(applied["sessions"] == 1_600)
            #expect(try await client.call("session.list")["sessions"] == [])
            #expect(most <= 1_000)
        }
    }

    @Test("a clear of which a part was marked when the daemon ended goes on after the start")
    func interrupted() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false,"retention":"none"}"#) { fixture in
            try await Self.fill("ada", fixture.daemon)
            try await Self.fill("bob", fixture.daemon)
            let (_, report) = try await fixture.daemon.ledger.decide { engine, changes, now in
                engine.clear(.user("ada"), uid: getuid(), now: now, into: &changes)
            }.reported()
            #expect(report.marked.first?.isPartial == true)
            try await fixture.restart()
            let client = try fixture.connect()
            try await client.wait(for: "session.list", #"{"userId":"ada"}"#) { $0["sessions"] == [] }
            #expect(try await client.call("session.list", #"{"limit":9}"#)["sessions"]?.arrayValue?.count == 9)
            try await eventually("it is over") {
                try fixture.daemon.ledger.lookUp { reader throws(StoreError) in try reader.unfinishedClears() }.isEmpty
            }
        }
    }

    @DaemonActor
    private static func fill(_ user: String, _ daemon: Daemon) async throws {
        let scope = Scope(uid: getuid(), app: Scope.defaultApp)
        try await daemon.ledger.decide { engine, changes, now throws(WireError) in
            for _ in 0..<1_600 {
                let id = engine.makeIdentifier(at: now)
                let past = now.adding(milliseconds: -86_400_000 * 10)
                _ = try engine.importSession(
                    id: id, scope: scope, userId: user, metadata: .none, startedAt: past, endedAt: past,
                    source: Source(uid: scope.uid, pid: 1), into: &changes)
            }
        }.stored()
    }

    @DaemonActor
    private static func startSession(_ daemon: Daemon) throws(WireError) {
        let scope = Scope(uid: getuid(), app: Scope.defaultApp)
        try daemon.ledger.decide(needing: .scope(scope)) { engine, changes, now throws(WireError) in
            _ = try engine.startSession(
                scope, userId: "ada", metadata: .none, source: Source(uid: scope.uid, pid: 1), now: now, into: &changes)
        }
    }
}
