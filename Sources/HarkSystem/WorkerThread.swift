internal import CLinux
internal import CSystemd
internal import Glibc
internal import Synchronization

/// A thread for blocking work: jobs run sequentially in the order they were given.
///
/// If no thread can be created, as under `TasksMax=` or without memory, jobs run on the caller's thread, still
/// sequentially, and each job tries to create the thread again.
package final class WorkerThread: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State: ~Copyable {
        var jobs: [Job] = []
        var isClosed = false
        var hasThread = false
        /// Whether the lack of a thread was logged; once, or each job would log a line.
        var isMissed = false
        /// Whether a caller runs the jobs for lack of a thread.
        var isStandingIn = false
        /// Whether a job that was taken off the list is running.
        var isBusy = false
    }

    private let name: String
    private let niceness: Int32
    private let isAwaited: Bool
    private let start: @Sendable (WorkerThread) -> Int32

    private let state = Mutex(State())
    private let wake = Semaphore()
    private let done = Semaphore()

    /// - Parameters:
    ///   - name: The name in `top -H` and `ps -L`; at most 15 bytes.
    ///   - niceness: 0 is normal, 19 runs only when the processor is free otherwise.
    ///   - isAwaited: Whether clients wait for its work, so that it must run soon (`ThreadTurns.takeShort`).
    ///   - start: Starts a thread; returns 0 or the error code.
    package init(
        name: String, niceness: Int32 = 0, isAwaited: Bool = false,
        start: @escaping @Sendable (WorkerThread) -> Int32 = WorkerThread.startThread
    ) {
        self.name = String(name.prefix(15))
        self.niceness = niceness
        self.isAwaited = isAwaited
        self.start = start
        tryToStart()
    }

    private func tryToStart() {
        let status = start(self)
        let isNews = state.withLock { state in
            state.hasThread = status == 0
            defer { state.isMissed = status != 0 }
            return status != 0 && !state.isMissed
        }
        guard isNews else { return }
        Log.warning(
            "there is no thread for \(name) (\(SystemError.text(of: status))), so all wait while its work is done, until there is "
                + "one; raise the limit of threads (TasksMax= in the unit, or ulimit -u) or of memory")
    }

    package static let startThread: @Sendable (WorkerThread) -> Int32 = { worker in
        let body = Unmanaged.passRetained(worker)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                // The pointer was retained above, and is consumed exactly once.
                Unmanaged<WorkerThread>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        if status == 0 { pthread_detach(thread) } else { body.release() }
        return status
    }

    private func run() {
        hark_name_thread(name)
        // On Linux niceness belongs to the thread; 0 means the calling one.
        if niceness != 0 { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        if isAwaited { ThreadTurns.takeShort() }
        work()
    }

    package func perform(_ job: @escaping Job) {
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            guard !state.hasThread, !state.isStandingIn, !state.isClosed else { return false }
            state.isStandingIn = true
            return true
        }
        if needsThread { standIn() } else { wake.signal() }
    }

    /// Runs a job on the caller's thread if no job waits or runs, and else on the thread; still sequentially. For jobs
    /// that take less time than a thread switch and back.
    package func performHere(_ job: @escaping Job) {
        let isFree = state.withLock { state in
            guard state.hasThread, state.jobs.isEmpty, !state.isBusy, !state.isClosed else { return false }
            state.isBusy = true
            return true
        }
        guard isFree else { return perform(job) }
        job()
        let isWanted = state.withLock { state in
            state.isBusy = false
            return !state.jobs.isEmpty || state.isClosed
        }
        if isWanted { wake.signal() }
    }

    /// Runs the jobs on the caller's thread, unless a thread can be created now.
    private func standIn() {
        tryToStart()
        while let job = state.withLock({ state in
            if state.hasThread || state.jobs.isEmpty {
                state.isStandingIn = false
                return nil as Job?
            }
            return state.jobs.removeFirst()
        }) { job() }
        wake.signal()
    }

    /// Runs `body` on the thread and waits for the result, without blocking the caller's thread.
    package func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            perform {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Finishes the jobs given so far and ends the thread; returns when it has ended.
    package func close() {
        let hasThread = state.withLock { state in
            state.isClosed = true
            return state.hasThread
        }
        wake.signal()
        if hasThread { done.wait() }
        // Jobs that came too late never run; this releases the objects that they retain.
        let late = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        withExtendedLifetime(late) {}
    }

    private func work() {
        while true {
            wake.wait()
            let (jobs, isClosed) = state.withLock { state in
                // The thread that runs a job signals when it is done.
                guard !state.isBusy else { return ([Job](), false) }
                defer { state.jobs = [] }
                state.isBusy = !state.jobs.isEmpty
                return (state.jobs, state.isClosed)
            }
            for job in jobs { job() }
            if !jobs.isEmpty { state.withLock { $0.isBusy = false } }
            if isClosed { break }
        }
        done.signal()
    }
}

/// A POSIX semaphore at a fixed address, for a thread that has nothing to do but wait for another.
package final class Semaphore: @unchecked Sendable {
    // sem_t is made for concurrent use; the memory is never moved and lives as long as the object.
    private let semaphore: UnsafeMutablePointer<sem_t>

    package init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    package func signal() { sem_post(semaphore) }

    package func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
