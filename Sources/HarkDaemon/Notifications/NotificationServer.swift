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

    /// What the server can do; the usual, where it does not say; nil where there is none, and none can be started: notify-send would
    /// wait for one for ever.
    func askCapabilities(_ reply: @escaping @DaemonActor (Set<String>?) -> Void) {
        ask("GetCapabilities", of: NotificationServer.target) { [weak self] message in
            guard let self, message.error != nil else { return reply(message.texts().map { Set($0) } ?? Self.usual) }
            ask("GetNameOwner", of: Self.names, .text(Self.name)) { owner in
                reply(owner.error == nil ? Self.usual : nil)
            } otherwise: {
                reply(nil)
            }
        } otherwise: {
            reply(nil)
        }
    }

    private static let names = MessageBus.Target(
        destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
    private static let patienceMicroseconds: UInt64 = 5_000_000

    private func ask(
        _ method: String, of target: MessageBus.Target, _ argument: MessageBus.Argument? = nil,
        _ reply: @escaping @DaemonActor (BusMessage) -> Void, otherwise: () -> Void
    ) {
        do throws(SystemError) {
            if let argument {
                try bus.call(method, of: target, argument, timeoutMicroseconds: Self.patienceMicroseconds, reply)
            } else {
                try bus.call(method, of: target, timeoutMicroseconds: Self.patienceMicroseconds, reply)
            }
        } catch {
            otherwise()
        }
    }

    /// Takes a notification away. Whoever shows it hears of that from the server.
    func close(_ id: UInt32) throws(SystemError) {
        try bus.call("CloseNotification", of: NotificationServer.target, .number(id)) { _ in }
    }
}
