import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// Notifies the subscribers of counters of committed changes.
@DaemonActor
final class CounterDesk: Desk {
    private let ledger: Ledger
    private var watchers: [CounterSubscription] = []
    private let telling = Telling()

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        guard !watchers.isEmpty else { return }
        // A subscriber that ends meanwhile gets nothing; one that begins has had this change in its reply.
        let watchers = watchers
        for row in changes.value.rows {
            guard case .counters(.putCounter(let counter, let cause, let revision)) = row else { continue }
            let change = CounterChange(changes.map { _ in counter }, cause, revision)
            telling.add(watchers.count) { watchers[$0].tell(change) }
        }
    }

    /// Adds a subscriber. The scope stays loaded from here on, so that no reset is missed.
    func add(_ watcher: CounterSubscription) {
        watchers.append(watcher)
        ledger.adjust { $0.watchCounters(of: watcher.scope) }
    }

    func remove(_ watcher: CounterSubscription) {
        guard let place = watchers.firstIndex(where: { $0 === watcher }) else { return }
        watchers.remove(at: place)
        ledger.adjust { $0.unwatchCounters(of: watcher.scope) }
    }

    func begin() { ledger.bringWatchedCounters() }
}
