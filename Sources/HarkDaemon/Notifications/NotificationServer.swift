import HarkSystem

/// The notification server of the desktop (org.freedesktop.Notifications), as far as notify-send does not tell of it: what
/// it can do, and that it was started anew. Asked only while something is shown or waits to be.
@DaemonActor
final class NotificationServer {
    /// What nearly all servers can do; for one that does not say.
    static let usual: Set<String> = ["actions", "body", "body-markup"]

    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
    static let target = MessageBus.Target(destination: name, path: path, interface: name)
    private let bus: MessageBus

    /// - Parameter onChange: Called with the bus names of the server before and now, empty for none.
    init(_ bus: MessageBus, onChange: @escaping @DaemonActor (_ before: String, _ now: String) -> Void)
        throws(SystemError)
    {
        self.bus = bus
        try bus.onOwner(of: NotificationServer.name, onChange)
    }

    /// What the server can do; the usual, where it does not say.
    func askCapabilities(_ reply: @escaping @DaemonActor (Set<String>) -> Void) {
        do throws(SystemError) {
            try bus.call("GetCapabilities", of: NotificationServer.target) { message in
                reply(message.error == nil ? message.texts().map { Set($0) } ?? Self.usual : Self.usual)
            }
        } catch {
            reply(NotificationServer.usual)
        }
    }

    /// Takes a notification away. Whoever shows it hears of that from the server.
    func close(_ id: UInt32) throws(SystemError) {
        try bus.call("CloseNotification", of: NotificationServer.target, .number(id)) { _ in }
    }
}
