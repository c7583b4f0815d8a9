import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// Publishes network changes to subscribers.
@DaemonActor
final class NetworkHub: Desk {
    private let monitor: NetworkMonitor?
    let topic = Topic<Void>()

    /// - Parameter monitor: Nil where the kernel refuses to tell; the network then counts as there.
    init(_ monitor: NetworkMonitor?) { self.monitor = monitor }

    var path: NetworkPath? { monitor?.path }

    func networkChanged(_ path: NetworkPath) {
        for subscription in topic.subscriptions {
            subscription.notify(.networkChanged) { $0.member("network", NetworkInfo(path)) }
        }
    }
}
