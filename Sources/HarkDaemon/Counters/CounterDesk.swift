import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// Tells everybody who watches counters what is committed of them.
@DaemonActor
final class CounterDesk {
    private let ledger: Ledger
    private var watchers: [CounterSubscription] = []
    private let telling = Telling()

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    func follow(_ changes: Changes) {
        guard !watchers.isEmpty else { return }
        for row in changes.rows {
            guard case .counters(.putCounter(let counter, let cause, let revision)) = row else { continue }
            for watcher in watchers where watcher.wants(counter) {
                telling.add { watcher.tell(counter, cause, revision) }
            }
        }
    }

    /// From here on the scope stays loaded, so that no reset goes by unseen.
    func add(_ watcher: CounterSubscription) {
        watchers.append(watcher)
        ledger.watchCounters(of: watcher.scope)
    }

    func remove(_ watcher: CounterSubscription) {
        guard let place = watchers.firstIndex(where: { $0 === watcher }) else { return }
        watchers.remove(at: place)
        ledger.unwatchCounters(of: watcher.scope)
    }

    /// A commit has failed, and the engine has forgotten what it had loaded: a reset would go by unseen. What cannot be
    /// read then is, once the store takes commits again.
    func recover() {
        do throws(WireError) {
            for watcher in watchers {
                try ledger.bring { reader, engine throws(StoreError) in
                    try reader.bringCounters(of: watcher.scope, to: &engine)
                }
            }
        } catch {
            Log.warning("counters that are watched could not be looked up: \(error.message)")
        }
    }
}
