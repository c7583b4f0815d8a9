import HarkCore
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem

/// Publishes committed records to subscribers.
@DaemonActor
final class StreamHub: Desk {
    let ledger: Ledger
    /// The microseconds for publishing a commit directly; the remaining subscribers read it from the store, in turns.
    private static let slice: UInt64 = 5_000
    private var subscriptions: [ObjectIdentifier: RecordSubscription] = [:]

    init(ledger: Ledger) {
        self.ledger = ledger
    }

    var count: Int { subscriptions.count }

    func add(_ subscription: RecordSubscription) {
        subscriptions[ObjectIdentifier(subscription)] = subscription
    }

    func remove(_ subscription: RecordSubscription) {
        subscriptions[ObjectIdentifier(subscription)] = nil
    }

    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {
        let records = changes.value.records
        guard !subscriptions.isEmpty, !records.isEmpty else { return }
        // A copy, because a subscriber that is cut off here is removed from the table.
        let slice = LoopSlice(microseconds: StreamHub.slice)
        for subscription in Array(subscriptions.values) {
            if slice.isOver { subscription.readFromStore() } else { subscription.publish(records) }
        }
    }
}
