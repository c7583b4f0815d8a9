import Glibc
import HarkLedger
import HarkStore
import HarkSystem

/// The part of the status that only the whole daemon knows.
@DaemonActor
final class StatusDesk: Desk {
    let pid = getpid()
    let totals: SharedTotals
    private let startedAtMicroseconds = SystemClock.monotonicMicroseconds

    init(_ store: Store) { totals = SharedTotals(store) }

    var uptimeSeconds: Int { Int((SystemClock.monotonicMicroseconds - startedAtMicroseconds) / 1_000_000) }
}
