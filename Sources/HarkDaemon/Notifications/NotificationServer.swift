import HarkSystem

/// The notification server of the desktop (org.freedesktop.Notifications), as far as notify-send does not tell of it: what
/// it can do, and that it was started anew. Asked only while something is shown.
@DaemonActor
final class NotificationServer {
    /// What nearly all servers can do; for one that does not say.
    static let usual: Set<String> = ["actions", "body", "body-markup"]

    private static let name = "org.freedesktop.Notifications"
    private static let target = SessionBus.Target(
        destination: name, path: "/org/freedesktop/Notifications", interface: name)
    private let bus: SessionBus

    /// - Parameter onChange: Called with the bus names of the server before and now, empty for none.
    init(loop: EventLoop, onChange: @escaping @DaemonActor (_ before: String, _ now: String) -> Void)
        throws(SystemError)
    {
        bus = try SessionBus(loop: loop)
        let rule = """
            type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',\
            interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(NotificationServer.name)'
            """
        try bus.onSignal(rule) { signal in
            guard signal.text() != nil, let before = signal.text(), let now = signal.text() else { return }
            onChange(before, now)
        }
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
        try bus.call("CloseNotification", of: NotificationServer.target, id) { _ in }
    }
}
