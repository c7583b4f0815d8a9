import Glibc
import HarkCore
import HarkStore
import HarkSystem
import Synchronization

@testable import HarkDaemon

/// What a thread of the store does not get past before it is over.
final class Hold: Sendable {
    private let isOver = Mutex(false)

    func wait() { while !isOver.withLock({ $0 }) { usleep(1_000) } }
    func end() { isOver.withLock { $0 = true } }
}

extension DaemonFixture {
    /// Lets no commit come to its end.
    func holdWriter() -> Hold {
        let hold = Hold()
        let batch = Batch(changes: Changes(), watermark: daemon.ledger.engine.watermark)
        daemon.ledger.store.commit(batch) { _, _ in hold.wait() }
        return hold
    }

    /// Lets no query come to its end that is made after this.
    func holdReader() async -> Hold {
        let hold = Hold()
        let store = daemon.ledger.store
        DaemonActor.task { try? await store.read { _ in hold.wait() } }
        await Task.yield()
        return hold
    }
}
