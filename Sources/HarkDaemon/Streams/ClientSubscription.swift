import HarkSystem

/// Something a connection has subscribed to.
///
/// The two hold each other, so that whoever tells all subscribers of something finds the connection there, even if the
/// one told before closed it. `ClientConnection.end` and the connection's own end take them apart.
@DaemonActor
protocol ClientSubscription: AnyObject {
    var number: Int { get }
    /// Has it told from now on.
    func begin()
    /// Ends it; the connection forgets it by itself.
    func cancel()
    /// The client has taken all that was queued for it.
    func outputDrained()
}

extension ClientSubscription {
    func outputDrained() {}
}
