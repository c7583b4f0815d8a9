import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// Publishes network changes to subscribers.
@DaemonActor
final class NetworkHub: Desk {
    private let monitor: NetworkMonitor?
    private var subscriptions: [ObjectIdentifier: NetworkSubscription] = [:]

    /// - Parameter monitor: Nil where the kernel refuses to tell; the network then counts as there.
    init(_ monitor: NetworkMonitor?) { self.monitor = monitor }

    var path: NetworkPath? { monitor?.path }

    func add(_ subscription: NetworkSubscription) {
        subscriptions[ObjectIdentifier(subscription)] = subscription
    }

    func remove(_ subscription: NetworkSubscription) {
        subscriptions[ObjectIdentifier(subscription)] = nil
    }

    func networkChanged(_ path: NetworkPath) {
        // A copy, because a subscriber that is cut off here is removed from the table.
        for subscription in Array(subscriptions.values) { subscription.tell(path) }
    }
}

/// A client's subscription to network changes.
@DaemonActor
final class NetworkSubscription: ClientSubscription {
    let number: Int
    private let connection: ClientConnection
    private let hub: NetworkHub

    init(number: Int, connection: ClientConnection, hub: NetworkHub) {
        self.number = number
        self.connection = connection
        self.hub = hub
    }

    func tell(_ path: NetworkPath) {
        connection.notify(.networkChanged, of: number) { $0.member("network", NetworkInfo(path)) }
    }

    func begin() { hub.add(self) }

    func cancel() { hub.remove(self) }
}
