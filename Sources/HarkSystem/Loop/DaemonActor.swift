/// The actor of all daemon state; its executor is the event loop's thread.
///
/// Exactly one thread of a process is bound to it, by `bindToCurrentThread()` before an `EventLoop` is created. In
/// `harkd` it is the main thread, in tests a dedicated one.
@globalActor
package actor DaemonActor {
    package static let shared = DaemonActor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        LoopExecutor.shared.asUnownedSerialExecutor()
    }
}

extension DaemonActor {
    /// Binds the actor to the calling thread, permanently; repeating it on that thread has no effect.
    package nonisolated static func bindToCurrentThread() {
        LoopExecutor.shared.bindToCurrentThread()
    }

    /// Whether the caller is on the loop's thread.
    package nonisolated static var isCurrent: Bool { LoopExecutor.shared.isCurrent }

    /// Runs `body` now on the loop's thread, where the compiler cannot prove it; traps on other threads.
    package nonisolated static func assumeIsolated<Result: Sendable>(
        _ body: @DaemonActor () throws -> Result
    ) rethrows -> Result {
        LoopExecutor.shared.checkIsolated()
        return try withoutActuallyEscaping(body) { isolated in
            // The thread was checked, so removing the isolation from the type is sound; MainActor does the same.
            try unsafeBitCast(isolated, to: (() throws -> Result).self)()
        }
    }

    /// Starts a task on the actor.
    ///
    /// A plain `Task` would be resumed through Swift's own thread pool (three threads, a tick per second and two thread
    /// switches per resumption, measured with 6.3.1): it prefers the global executor, and is queued again at every call
    /// of an isolated function, so that other work comes in between. This task prefers the loop, and only a real
    /// suspension suspends it.
    @discardableResult
    package nonisolated static func task<Value: Sendable>(
        _ body: @escaping @DaemonActor @Sendable () async -> Value
    ) -> Task<Value, Never> {
        Task(executorPreference: LoopExecutor.shared) { await body() }
    }

    /// Queues `body` for the loop, from any thread; bodies from one thread run in order.
    ///
    /// Posting before the loop runs is allowed. After its last turn nothing runs any more.
    package nonisolated static func post(_ body: @escaping @DaemonActor @Sendable () -> Void) {
        LoopExecutor.shared.add(.body(body))
    }
}
