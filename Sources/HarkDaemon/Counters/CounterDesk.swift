import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Tells everybody who watches counters what is committed of them.
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
        // Who ends meanwhile is told nothing, and who begins was told already.
        let watchers = watchers
        for row in changes.value.rows {
            guard case .counters(.putCounter(let counter, let cause, let revision)) = row else { continue }
            let change = CounterChange(changes.map { _ in counter }, cause, revision)
            telling.add(watchers.count) { watchers[$0].tell(change) }
        }
    }

    /// From here on the scope stays loaded, so that no reset goes by unseen.
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
