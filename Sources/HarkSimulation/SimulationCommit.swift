import HarkStore
import HarkSystem
import Synchronization

/// Waits for a commit on the thread that decides. A simulation has nothing else to do meanwhile.
final class SimulationCommit: Sendable {
    private let outcome = Mutex<Result<Void, StoreError>>(.success(()))
    private let signal = Semaphore()

    func end(_ result: Result<Void, StoreError>) {
        outcome.withLock { $0 = result }
        signal.signal()
    }

    func wait() throws(StoreError) {
        signal.wait()
        try outcome.withLock { $0 }.get()
    }
}
