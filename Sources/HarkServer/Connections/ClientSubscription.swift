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

extension JSONWriter {
    /// Writes the number of a subscription, the first member of what is told about it.
    package mutating func subscription(_ number: Int) {
        key("subscription")
        int(number)
    }

    /// Writes a notification to a subscription.
    package mutating func notification(
        _ shape: NotificationShape, to subscription: Int, _ members: (inout JSONWriter) -> Void
    ) {
        Envelope.begin(shape, in: &self)
        beginObject()
        self.subscription(subscription)
        members(&self)
        endObject()
        Envelope.end(&self)
    }

    /// Writes the last notification of a subscription that is closed by the daemon.
    package mutating func subscriptionClosed(_ number: Int, _ error: WireError) {
        notification(.subscriptionClosed, to: number) { json in
            json.key("reason")
            json.string(error.reason.rawValue)
            json.key("message")
            json.string(error.message)
        }
    }
}
