/// The actor of all daemon state: its executor is the event loop's thread.
///
/// Exactly one thread of a process is that thread; it says so once with `bindToCurrentThread()` before it makes an
/// `EventLoop`. In `harkd` it is the main thread, in tests a thread of their own.
@globalActor
package actor DaemonActor {
    package static let shared = DaemonActor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        LoopExecutor.shared.asUnownedSerialExecutor()
    }
}

extension DaemonActor {
    /// Makes the calling thread the loop's thread, once and for all; saying it again on that thread changes nothing.
    package nonisolated static func bindToCurrentThread() {
        LoopExecutor.shared.bindToCurrentThread()
    }

    /// True on the loop's thread.
    package nonisolated static var isCurrent: Bool { LoopExecutor.shared.isCurrent }

    /// Runs `body` now, for callers that are on the loop's thread without the compiler knowing; traps anywhere else.
    package nonisolated static func assumeIsolated<Result: Sendable>(
        _ body: @DaemonActor () throws -> Result
    ) rethrows -> Result {
        LoopExecutor.shared.checkIsolated()
        return try withoutActuallyEscaping(body) { isolated in
            // The thread was checked, so dropping the isolation from the type is sound; MainActor does the same.
            try unsafeBitCast(isolated, to: (() throws -> Result).self)()
        }
    }

    /// Starts a task on the actor.
    ///
    /// A plain `Task` would come back from a continuation by way of Swift's own thread pool (three threads, a second's
    /// tick and two thread switches a resumption, seen with 6.3.1): it prefers the global executor, and is queued anew
    /// at every call of an isolated function, so that other work comes in between. This one prefers the loop, and only
    /// a real suspension suspends it.
    @discardableResult
    package nonisolated static func task<Value: Sendable>(
        _ body: @escaping @DaemonActor @Sendable () async -> Value
    ) -> Task<Value, Never> {
        Task(executorPreference: LoopExecutor.shared) { await body() }
    }

    /// Queues `body` for the loop, from any thread; bodies from one thread run in the order they were posted.
    ///
    /// Posting before the loop runs is fine. After its last turn nothing runs any more.
    package nonisolated static func post(_ body: @escaping @DaemonActor @Sendable () -> Void) {
        LoopExecutor.shared.add(.body(body))
    }
}
