import Glibc
import Synchronization

/// A barrier that threads wait for.
package final class Hold: Sendable {
    private nonisolated(unsafe) let turnstile = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let reached = Atomic(false)

    package init() { sem_init(turnstile, 0, 0) }

    deinit {
        sem_destroy(turnstile)
        turnstile.deallocate()
    }

    package func wait() {
        reached.store(true, ordering: .relaxed)
        while sem_wait(turnstile) != 0 {}
        // Lets the next one through as well.
        sem_post(turnstile)
    }

    package func end() { sem_post(turnstile) }

    /// Whether a thread waits, or has waited.
    package var isReached: Bool { reached.load(ordering: .relaxed) }
}
