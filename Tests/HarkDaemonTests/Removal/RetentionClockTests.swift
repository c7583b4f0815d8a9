import HarkCore
import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon

/// Retention that is applied by itself.
@Suite(.timeLimit(.minutes(10))) struct RetentionClockTests {
    @Test("retention looks at the size of the store again when it has grown while it was being applied")
    func growth() async throws {
        let configuration = #"{"archive":false,"retention":{"maxStoreBytes":1000000000}}"#
        try await DaemonFixture.run(configuration: configuration) { fixture in
            let daemon = fixture.daemon
            var applied = 0
            daemon.ledger.onCommit.append { changes, _ in
                applied += changes.upkeep.count { if case .retire = $0 { true } else { false } }
            }
            try await eventually("it was applied at the start") { applied == 1 }
            for _ in 0..<10 { await Task.yield() }
            let hold = fixture.holdWriter()
            defer { hold.end() }
            for _ in 0..<2 { daemon.retention.noticeGrowth(records: 5_000) }
            hold.end()
            try await eventually("it was applied") { applied > 1 && daemon.ledger.isSettled }
            for _ in 0..<10 { await Task.yield() }
            try await eventually("nothing is under way") { daemon.ledger.isSettled }
            #expect(applied == 3)
        }
    }
}
