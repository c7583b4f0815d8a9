internal import Synchronization

/// A thread of its own for work that clients ask for: one piece after the other, in turns (`TurnQueue`), so that the user who
/// asks for much waits longest.
package final class TurnThread: Sendable {
    private struct Job {
        let owner: TurnOwner
        let run: @Sendable () -> Void
        let cancel: @Sendable () -> Void
    }

    private let thread: WorkerThread
    private let waiting = Mutex(TurnQueue<Job>())

    /// - Parameters: see `WorkerThread`.
    package init(name: String, niceness: Int32 = 0) {
        thread = WorkerThread(name: name, niceness: niceness)
    }

    /// Runs `body` on the thread when it is its owner's turn, and waits for what it gives.
    ///
    /// - Returns: nil when the owner was forgotten before.
    package func run<Value: Sendable>(
        for owner: TurnOwner, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let job = Job(
                owner: owner, run: { continuation.resume(returning: body()) },
                cancel: { continuation.resume(returning: nil) })
            waiting.withLock { $0.append(job, of: owner) }
            // One for each piece; whose turn it is then is asked when the thread is free. One too many finds nothing.
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

    /// In microseconds: what a user had of the thread is half forgotten after ten seconds, as what is asked of it may take as long.
    private static let tick: UInt64 = 100

    /// How many pieces wait.
    package var count: Int { waiting.withLock { $0.count } }

    /// Drops what waits of somebody who is gone.
    package func forget(_ owner: TurnOwner) {
        for job in waiting.withLock({ $0.removeAll(of: owner) }) { job.cancel() }
    }

    /// Lets what waits finish, then ends the thread; returns when it is over.
    package func close() { thread.close() }
}
