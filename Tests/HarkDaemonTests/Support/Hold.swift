import HarkCore
import HarkStore
import HarkSystem
import HarkTesting

@testable import HarkDaemon
@testable import HarkLedger

extension Ledger {
    /// Calls `body` after each commit, before all other followers.
    func alsoOnCommit(_ body: @escaping @DaemonActor (Changes, CommitReport) -> Void) {
        let others = onCommit
        onCommit = { changes, report in
            body(changes.value, report)
            others(changes, report)
        }
    }
}

extension DaemonFixture {
    /// Lets no commit come to its end.
    func holdWriter() -> Hold {
        let hold = Hold()
        let batch = Batch(changes: Changes(), watermark: daemon.ledger.store.watermark)
        daemon.ledger.store.commit(batch) { _, _ in hold.wait() }
        return hold
    }

    /// Lets no query come to its end that is made after this.
    func holdReader() async throws -> Hold {
        let hold = Hold()
        let store = daemon.ledger.store
        // Only that it waits matters.
        DaemonActor.task { try? await store.read { _ in hold.wait() } }
        try await eventually("the reader is busy") { hold.isReached }
        return hold
    }
}
