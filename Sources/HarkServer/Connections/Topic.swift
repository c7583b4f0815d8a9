package import HarkSystem
package import HarkWire

/// The subscriptions to a desk's news, in the order in which they began. `Terms` are a client's conditions.
@DaemonActor
package final class Topic<Terms> {
    package private(set) var subscriptions: [Subscription<Terms>] = []
    /// Called when a subscription has begun, and when it has ended.
    package var onChange: (Subscription<Terms>, _ hasBegun: Bool) -> Void = { _, _ in }
    private let telling = Telling()

    package init() {}

    /// Notifies all subscribers, a slice of the loop's time after the other. A subscription that ends meanwhile gets
    /// nothing, nor does one that begins.
    package func tell(_ tell: @escaping @DaemonActor (Subscription<Terms>) -> Void) {
        let subscriptions = subscriptions
        telling.add(subscriptions.count) { tell(subscriptions[$0]) }
    }

    fileprivate func add(_ subscription: Subscription<Terms>) {
        subscriptions.append(subscription)
        onChange(subscription, true)
    }

    fileprivate func remove(_ subscription: Subscription<Terms>) {
        guard let place = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        subscriptions.remove(at: place)
        onChange(subscription, false)
    }
}

/// A client's subscription to a topic.
@DaemonActor
package final class Subscription<Terms>: ClientSubscription {
    package let number: Int
    package let connection: ClientConnection
    package var terms: Terms
    private let topic: Topic<Terms>
    private var isCancelled = false

    init(_ number: Int, of connection: ClientConnection, to topic: Topic<Terms>, _ terms: Terms) {
        (self.number, self.connection, self.topic, self.terms) = (number, connection, topic, terms)
    }

    package func begin() { topic.add(self) }

    package func cancel() {
        isCancelled = true
        topic.remove(self)
    }

    package func notify(_ shape: NotificationShape, bytes: Int = 256, _ members: (inout JSONWriter) -> Void) {
        guard !isCancelled else { return }
        var json = JSONWriter(reservingCapacity: bytes)
        json.notification(shape, to: number, members)
        connection.enqueue(json.bytes)
    }
}
