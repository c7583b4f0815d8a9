internal import Synchronization

/// A thread for work of clients, which runs sequentially in turns (`TurnQueue`), so that the most demanding user waits
/// longest.
package final class TurnThread: Sendable {
    private struct Job {
        let owner: TurnOwner
        let run: @Sendable () -> Void
        let cancel: @Sendable () -> Void
    }

    private let thread: WorkerThread
    private let waiting = Mutex(TurnQueue<Job>())

    /// - Parameters: As in `WorkerThread`.
    package init(name: String, niceness: Int32 = 0) {
        thread = WorkerThread(name: name, niceness: niceness)
    }

    /// Runs `body` on the thread in its owner's turn, and waits for the result.
    ///
    /// - Returns: nil if the owner was forgotten before.
    package func run<Value: Sendable>(
        for owner: TurnOwner, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let job = Job(
                owner: owner, run: { continuation.resume(returning: body()) },
                cancel: { continuation.resume(returning: nil) })
            waiting.withLock { $0.append(job, of: owner) }
            // One job per piece of work; the thread then picks an owner. A surplus job finds nothing.
            thread.perform { [self] in takeTurn() }
        }
    }

    private func takeTurn() {
        let start = SystemClock.monotonicMicroseconds
        guard let job = waiting.withLock({ $0.takeNext(at: start / TurnThread.tick) }) else { return }
        job.run()
        let end = SystemClock.monotonicMicroseconds
        waiting.withLock { $0.spend(end &- start, by: job.owner.uid, at: end / TurnThread.tick) }
    }

    /// In microseconds: a user's use is half forgotten after ten seconds, because the work may take as long.
    private static let tick: UInt64 = 100

    /// The number of waiting pieces of work.
    package var count: Int { waiting.withLock { $0.count } }

    /// Drops the waiting work of an owner that is gone.
    package func forget(_ owner: TurnOwner) {
        for job in waiting.withLock({ $0.removeAll(of: owner) }) { job.cancel() }
    }

    /// Finishes the waiting work and ends the thread; returns when it has ended.
    package func close() { thread.close() }
}
