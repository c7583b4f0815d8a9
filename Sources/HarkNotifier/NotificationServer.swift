import HarkSystem

/// The notification server of the desktop (org.freedesktop.Notifications), by the Desktop Notifications Specification:
/// its capabilities, its restarts, and the events of notifications. Used only while something is shown or waits to be.
@DaemonActor
final class NotificationServer {
    /// The capabilities of nearly all servers; assumed if a server does not answer.
    static let usual: Set<String> = ["actions", "body", "body-markup"]

    static let name = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
    static let target = MessageBus.Target(destination: name, path: path, interface: name)
    private let bus: MessageBus

    /// An event of a notification, by its id.
    enum Event {
        case chosen(UInt32, key: String)
        case closed(UInt32)
    }

    /// - Parameters:
    ///   - onChange: Called with the previous and the new bus name of the server, empty for none.
    ///   - onEvent: Called with events of notifications, including those of other programs.
    init(
        _ bus: MessageBus, onChange: @escaping @DaemonActor (_ before: String, _ now: String) -> Void,
        onEvent: @escaping @DaemonActor (Event) -> Void
    ) throws(SystemError) {
        self.bus = bus
        try bus.onOwner(of: NotificationServer.name, onChange)
        try bus.onSignal(Self.rule("ActionInvoked")) { signal in
            if let number = signal.number(), let key = signal.text() { onEvent(.chosen(number, key: key)) }
        }
        try bus.onSignal(Self.rule("NotificationClosed")) { signal in
            if let number = signal.number() { onEvent(.closed(number)) }
        }
    }

    private static func rule(_ member: String) -> String {
        "type='signal',sender='\(name)',path='\(path)',interface='\(name)',member='\(member)'"
    }

    /// The servers that show the buttons of a notification only in a menu.
    private static let menuServers: Set<String> = ["dunst", "mako"]

    /// Gets the server's capabilities, with `hiddenActions` for one that is known to hide its buttons: the usual ones
    /// without an answer; nil if no server runs or can be started.
    func askCapabilities(_ reply: @escaping @DaemonActor (Set<String>?) -> Void) {
        askStandardCapabilities { [weak self] capabilities in
            guard let self, let capabilities else { return reply(capabilities) }
            ask("GetServerInformation", of: NotificationServer.target) { message in
                let name = message.error == nil ? message.text() ?? "" : ""
                let isMenu = Self.menuServers.contains(name)
                reply(isMenu ? capabilities.union([NotificationContent.hiddenActions]) : capabilities)
            } otherwise: {
                reply(capabilities)
            }
        }
    }

    private func askStandardCapabilities(_ reply: @escaping @DaemonActor (Set<String>?) -> Void) {
        ask("GetCapabilities", of: NotificationServer.target) { [weak self] message in
            guard let self, message.error != nil else { return reply(message.texts().map { Set($0) } ?? Self.usual) }
            ask("GetNameOwner", of: Self.names, [.text(Self.name)]) { owner in
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
    /// The time that the bus gives a program that it must start.
    private static let startMicroseconds: UInt64 = 25_000_000

    private func ask(
        _ method: String, of target: MessageBus.Target, _ arguments: [MessageBus.Argument] = [],
        _ reply: @escaping @DaemonActor (BusMessage) -> Void, otherwise: () -> Void
    ) {
        do throws(SystemError) {
            try bus.call(method, of: target, arguments, timeoutMicroseconds: Self.patienceMicroseconds, reply)
        } catch {
            otherwise()
        }
    }

    /// Shows a notification.
    ///
    /// - Parameters:
    ///   - expireSeconds: The timeout, if the server respects it; 0 for the server's default.
    ///   - replacing: The id of the notification to replace.
    ///   - reply: Called with the id, or with the reason of a failure.
    func show(
        _ look: NotificationContent.Look, expireSeconds: Int, replacing: UInt32?,
        _ reply: @escaping @DaemonActor (_ number: UInt32?, _ error: String) -> Void
    ) throws(SystemError) {
        var hints: [String: BusMessage.Property] =
            look.sound ? ["sound-name": .text("message-new-instant")] : ["suppress-sound": .bool(true)]
        hints["desktop-entry"] = .text(NotificationContent.icon)
        try bus.call(
            "Notify", of: NotificationServer.target,
            [
                .text("Hark"), .number(replacing ?? 0), .text(NotificationContent.icon), .text(look.title),
                .text(look.body),
                .texts(look.actions.flatMap { [$0.key, $0.label] }), .properties(hints),
                .signed(expireSeconds > 0 ? Int32(clamping: expireSeconds * 1_000) : Int32(-1)),
            ], timeoutMicroseconds: Self.startMicroseconds
        ) { message in
            reply(message.error == nil ? message.number() : nil, message.error ?? "its reply is no number")
        }
    }

    /// Closes a notification. Its owner gets the event from the server.
    func close(_ number: UInt32, _ reply: @escaping @DaemonActor () -> Void = {}) throws(SystemError) {
        try bus.call("CloseNotification", of: NotificationServer.target, [.number(number)]) { _ in reply() }
    }
}
