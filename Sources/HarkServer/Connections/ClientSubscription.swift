import HarkSystem

/// A subscription of a connection.
///
/// Subscription and connection retain each other, so that a loop over subscribers finds each connection, even if the
/// previous subscriber closed it. `ClientConnection.end` and the connection's end break the cycle.
@DaemonActor
protocol ClientSubscription: AnyObject {
    var number: Int { get }
    /// Starts the notifications.
    func begin()
    /// Ends the subscription; the connection removes it.
    func cancel()
    /// Called when the client has taken all queued output.
    func outputDrained()
}

extension ClientSubscription {
    func outputDrained() {}
}
