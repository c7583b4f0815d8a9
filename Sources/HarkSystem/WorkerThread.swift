internal import CLinux
internal import CSystemd
internal import Glibc
internal import Synchronization

/// A thread of its own for work that blocks: jobs run one after the other, in the order in which they were given.
///
/// Where no thread can be had, as under `TasksMax=` or without memory, jobs are done by whoever gives them, still one after the
/// other, and a thread is tried again with each.
package final class WorkerThread: Sendable {
    package typealias Job = @Sendable () -> Void

    private struct State: ~Copyable {
        var jobs: [Job] = []
        var isClosed = false
        var hasThread = false
        /// That there is no thread was told. It is told once: each job would be a line else.
        var isMissed = false
        /// Somebody does what jobs there are, for lack of a thread.
        var isStandingIn = false
        /// A job is being done that was taken off the list.
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
    ///   - name: shown by `top -H` and `ps -L`; at most 15 bytes.
    ///   - niceness: 0 is normal, 19 runs only when nobody else wants the processor.
    ///   - isAwaited: clients wait for what it does, so it is to run as soon as it can (`ThreadTurns.takeShort`).
    ///   - start: starts a thread, and says 0 or why it could not.
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
                // The pointer is the one retained above, handed over exactly once.
                Unmanaged<WorkerThread>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        if status == 0 { pthread_detach(thread) } else { body.release() }
        return status
    }

    private func run() {
        hark_name_thread(name)
        // On Linux niceness belongs to the thread; 0 names the calling one.
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

    /// Does a job on the caller's thread if nothing waits and nothing is under way, and else leaves it to the thread: still one
    /// after the other. For what takes less time than waking a thread and being told by it.
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

    /// Does what there is to do, unless a thread can be had for it now.
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

    /// Runs `body` on the thread and waits for what it gives, without blocking the caller's thread.
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

    /// Lets the jobs given so far finish, then ends the thread; returns when it is over.
    package func close() {
        let hasThread = state.withLock { state in
            state.isClosed = true
            return state.hasThread
        }
        wake.signal()
        if hasThread { done.wait() }
        // What came too late is never done, and holds nobody any longer.
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
                // Whoever is doing a job wakes this up when it is done.
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

/// A POSIX semaphore at a fixed address.
private final class Semaphore: @unchecked Sendable {
    // sem_t is made for concurrent use; the memory is never moved and lives as long as the object.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
