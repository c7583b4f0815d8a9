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
    let topic = Topic<CounterTerms>()

    init(ledger: Ledger) {
        self.ledger = ledger
        // A scope with subscribers stays loaded, so that no reset is missed.
        topic.onChange = { [ledger] subscription, hasBegun in
            let scope = subscription.terms.scope
            ledger.adjust { hasBegun ? $0.watchCounters(of: scope) : $0.unwatchCounters(of: scope) }
        }
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        guard !topic.subscriptions.isEmpty else { return }
        // A subscriber that begins meanwhile has had this change in its reply.
        for row in changes.value.rows {
            guard case .counters(.putCounter(let counter, let cause, let revision)) = row else { continue }
            let change = CounterChange(changes.map { _ in counter }, cause, revision)
            topic.tell { $0.tell(change) }
        }
    }

    func begin() { ledger.bringWatchedCounters() }
}
