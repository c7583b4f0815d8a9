package import HarkSystem
package import HarkWire

/// A subscription of a connection.
///
/// Subscription and connection retain each other, so that a loop over subscribers finds each connection, even if the
/// previous subscriber closed it. `ClientConnection.end` and the connection's end break the cycle.
@DaemonActor
package protocol ClientSubscription: AnyObject {
    var number: Int { get }
    /// Starts the notifications.
    func begin()
    /// Ends the subscription; the connection removes it.
    func cancel()
    /// Called when the client has taken all queued output.
    func outputDrained()
}

extension ClientSubscription {
    package func outputDrained() {}
}

extension ClientConnection {
    /// Sends a notification of a subscription, with the members that `write` writes behind its number.
    ///
    /// - Parameter size: about how many bytes these have.
    package func notify(
        _ notification: NotificationShape, of subscription: Int, size: Int = 256,
        _ write: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter(reservingCapacity: size + 128)
        Envelope.begin(notification, in: &json)
        json.beginObject()
        json.subscription(subscription)
        write(&json)
        json.endObject()
        Envelope.end(&json)
        enqueue(json.bytes)
    }
}

extension JSONWriter {
    /// Writes the number of a subscription, the first member of what is told about it.
    package mutating func subscription(_ number: Int) {
        key("subscription")
        int(number)
    }

    /// Writes the last notification of a subscription that is closed by the daemon.
    package mutating func subscriptionClosed(_ number: Int, _ error: WireError) {
        Envelope.begin(.subscriptionClosed, in: &self)
        beginObject()
        subscription(number)
        key("reason")
        string(error.reason.rawValue)
        key("message")
        string(error.message)
        endObject()
        Envelope.end(&self)
    }
}
