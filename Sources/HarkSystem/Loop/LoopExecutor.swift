import CSystemd
import Glibc
import Synchronization

/// The executor behind `DaemonActor`, with two queues: one for the loop's thread and one for other threads.
///
/// Work from the loop's thread needs no lock. Work from other threads wakes the loop only if it sleeps, so a burst of
/// posts costs one write to the eventfd.
final class LoopExecutor: SerialExecutor, TaskExecutor {
    enum Work {
        case job(UnownedJob)
        case body(@DaemonActor @Sendable () -> Void)
    }

    private struct Inbox {
        var queue: [Work] = []
        /// Set just before the loop sleeps; a thread that clears it must wake the loop.
        var loopSleeps = false
    }

    static let shared = LoopExecutor()

    /// The time for tasks in one turn; a single step of a task is not interrupted.
    private static let taskMicroseconds: UInt64 = 2_000

    /// Written to end the loop's sleep. Watched edge-triggered, so it need not be read.
    let wakeUp: Int32
    private let inbox = Mutex(Inbox())
    /// The loop's pthread_t, 0 before it is known.
    private let thread = Atomic<UInt>(0)
    /// Used only on the loop's thread, as every accessor checks.
    private nonisolated(unsafe) var local: [Work] = []
    /// The emptied storage of the last batch, which saves an allocation per turn; same rule as `local`.
    private nonisolated(unsafe) var spare: [Work] = []
    /// Tasks for which a turn had no time left; they precede all later work. Same rule as `local`.
    private nonisolated(unsafe) var late = Queue<UnownedJob>()

    private init() {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // Created once, with the loop: there is no daemon without it.
        guard wakeUp >= 0 else { fatalError("eventfd: \(SystemError.text(of: errno))") }
    }

    func bindToCurrentThread() {
        let (_, previous) = thread.compareExchange(expected: 0, desired: pthread_self(), ordering: .relaxed)
        precondition(previous == 0 || previous == pthread_self(), "DaemonActor already belongs to another thread")
    }

    /// Relaxed is enough: a thread always sees the value it stored itself, and only that one matters.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

    func checkIsolated() {
        precondition(isCurrent, "this must run on the event loop's thread")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    func add(_ work: Work) {
        if isCurrent {
            local.append(work)
            return
        }
        let owesWakeUp = inbox.withLock { inbox in
            inbox.queue.append(work)
            defer { inbox.loopSleeps = false }
            return inbox.loopSleeps
        }
        if owesWakeUp { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        while write(wakeUp, &one, MemoryLayout<UInt64>.size) < 0 {
            // Any other error would mean an invalid descriptor, or 2^64 turns without a sleep in between.
            precondition(errno == EINTR, "eventfd: \(SystemError.text(of: errno))")
        }
    }

    /// Runs the current work; work that this queues is left for the next turn, so that sources never starve.
    ///
    /// Tasks beyond some milliseconds are left too, in order: hundreds may resume with one commit, each with a long
    /// reply to write. Posted bodies are not left: commits and results of other threads come that way, and are short.
    /// Each turn runs at least one task.
    /// - Parameter isLast: Whether there is no next turn.
    func drain(isLast: Bool = false) {
        checkIsolated()
        inbox.withLock { inbox in
            inbox.loopSleeps = false
            guard !inbox.queue.isEmpty else { return }
            local.append(contentsOf: inbox.queue)
            inbox.queue.removeAll(keepingCapacity: inbox.queue.capacity <= 4096)
        }
        guard !local.isEmpty || !late.isEmpty else { return }
        var batch: [Work] = []
        swap(&batch, &spare)
        swap(&batch, &local)
        var left = isLast ? UInt64.max : LoopExecutor.taskMicroseconds
        while left > 0, let job = late.popFirst() { run(job, &left) }
        for work in batch {
            switch work {
            case .job(let job): if left > 0 { run(job, &left) } else { late.append(job) }
            case .body(let body): DaemonActor.assumeIsolated(body)
            }
        }
        batch.removeAll(keepingCapacity: batch.capacity <= 4096)
        spare = batch
    }

    /// - Parameter left: The microseconds left for tasks in this turn.
    private func run(_ job: UnownedJob, _ left: inout UInt64) {
        let start = SystemClock.monotonicMicroseconds
        // Both executors are named; otherwise a task that prefers this one would be queued again at every call of an
        // isolated function, a suspension that the code does not have.
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        left -= min(left, SystemClock.monotonicMicroseconds &- start)
    }

    /// Whether results of other threads wait for the end of the turn.
    var hasWorkOfOthers: Bool { inbox.withLock { !$0.queue.isEmpty } }

    /// Whether the loop may sleep; if so, the next `add` from another thread wakes it.
    func maySleep() -> Bool {
        checkIsolated()
        guard local.isEmpty, late.isEmpty else { return false }
        return inbox.withLock { inbox in
            inbox.loopSleeps = inbox.queue.isEmpty
            return inbox.loopSleeps
        }
    }
}
