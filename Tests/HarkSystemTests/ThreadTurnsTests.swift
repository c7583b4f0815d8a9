import CLinux
import Glibc
import Synchronization
import Testing

@testable import HarkSystem

/// Threads that others wait for.
@Suite struct ThreadTurnsTests {
    @Test("a thread that takes short turns keeps its niceness and its policy, and only it takes them")
    func keepsTheRest() async throws {
        let here = hark_turn_length()
        let worker = WorkerThread(name: "short-turns", niceness: 7, isAwaited: true)
        defer { worker.close() }
        let (nice, policy, length) = await worker.run {
            (getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0), sched_getscheduler(0), hark_turn_length())
        }
        #expect(nice == 7)
        #expect(policy == SCHED_OTHER)
        #expect(hark_turn_length() == here)
        // Kernels before 6.12 know of no such length, and say 0.
        if here > 0 { #expect(length == 100_000) }
    }
}
