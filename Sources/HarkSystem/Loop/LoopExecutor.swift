import CSystemd
import Glibc
import Synchronization

/// The executor behind `DaemonActor`: two queues, one of the loop's thread and one that other threads may reach.
///
/// Work from the loop's thread costs no lock. Work from elsewhere wakes the loop only if it sleeps, so a burst of
/// posts costs one write to the eventfd.
final class LoopExecutor: SerialExecutor, TaskExecutor {
    enum Work {
        case job(UnownedJob)
        case body(@DaemonActor @Sendable () -> Void)
    }

    private struct Inbox {
        var queue: [Work] = []
        /// Set just before the loop sleeps; whoever clears it owes the loop a wake-up.
        var loopSleeps = false
    }

    static let shared = LoopExecutor()

    /// How long tasks may have the loop in a turn. What is a single step of one is not interrupted.
    private static let taskMicroseconds: UInt64 = 2_000

    /// Written to in order to end the loop's sleep. Watched edge-triggered, so nobody needs to read it.
    let wakeUp: Int32
    private let inbox = Mutex(Inbox())
    /// The loop's pthread_t, 0 before it is known.
    private let thread = Atomic<UInt>(0)
    /// Only touched on the loop's thread, as every accessor checks.
    private nonisolated(unsafe) var local: [Work] = []
    /// The emptied storage of the last batch, kept to spare an allocation a turn; same rule as `local`.
    private nonisolated(unsafe) var spare: [Work] = []
    /// Tasks for which a turn had no time left, before all that came later; same rule.
    private nonisolated(unsafe) var late = Queue<UnownedJob>()

    private init() {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // Made once, with the loop: without it there is no daemon.
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
            // Any other error would be of a descriptor that is none, or of 2^64 turns that nobody slept in between.
            precondition(errno == EINTR, "eventfd: \(SystemError.text(of: errno))")
        }
    }

    /// Runs the work there is now; what that work queues in turn is left for the next turn, so sources never starve.
    ///
    /// Tasks beyond some milliseconds are left as well, in their order: hundreds may go on with one commit, each with a long reply to
    /// write. What was posted is not: commits and what other threads have done come that way, and it is short. Each turn goes on with one
    /// task at least.
    /// - Parameter isLast: there is no next turn.
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

    /// - Parameter left: microseconds that tasks have left in this turn.
    private func run(_ job: UnownedJob, _ left: inout UInt64) {
        let start = SystemClock.monotonicMicroseconds
        // Both executors are named, or a task that prefers this one would be queued anew at every call of an isolated
        // function: a suspension where the code has none.
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        left -= min(left, SystemClock.monotonicMicroseconds &- start)
    }

    /// Whether work of other threads waits for the end of the turn: what they did is done, and somebody waits for it.
    var hasWorkOfOthers: Bool { inbox.withLock { !$0.queue.isEmpty } }

    /// Tells whether the loop may sleep; if so, the next `add` from another thread wakes it.
    func maySleep() -> Bool {
        checkIsolated()
        guard local.isEmpty, late.isEmpty else { return false }
        return inbox.withLock { inbox in
            inbox.loopSleeps = inbox.queue.isEmpty
            return inbox.loopSleeps
        }
    }
}
