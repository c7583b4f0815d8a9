import HarkSystem

/// Something a connection has subscribed to.
@DaemonActor
protocol ClientSubscription: AnyObject {
    var number: Int { get }
    /// Ends it; the connection forgets it by itself.
    func cancel()
    /// The client has taken all that was queued for it.
    func outputDrained()
}
