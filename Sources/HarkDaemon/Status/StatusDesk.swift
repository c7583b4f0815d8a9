import Glibc
import HarkLedger
import HarkStore
import HarkSystem

/// What only the daemon as a whole knows of itself.
@DaemonActor
final class StatusDesk: Desk {
    let pid = getpid()
    let totals: SharedTotals
    private let startedAtMicroseconds = SystemClock.monotonicMicroseconds

    init(_ store: Store) { totals = SharedTotals(store) }

    var uptimeSeconds: Int { Int((SystemClock.monotonicMicroseconds - startedAtMicroseconds) / 1_000_000) }
}
