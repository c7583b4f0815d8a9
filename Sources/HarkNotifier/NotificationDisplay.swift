import HarkSystem

/// The display of one notification, from its beginning to its end.
@DaemonActor
protocol NotificationDisplay: AnyObject {
    /// The server's id of the notification, once it is known.
    var number: UInt32? { get }

    /// Closes the notification; `onEnd` is called once it is gone, or after some seconds.
    func close()

    /// Abandons the notification in any state; `onEnd` is called soon.
    func abandon()
}

/// The end of a notification.
enum NotificationEnd: Equatable {
    /// The notification was closed by the action with this key; nil: without one.
    case closed(key: String?)
    case failed(String)
}

/// A notification shown by the server on the session bus.
@DaemonActor
final class BusNotification: NotificationDisplay {
    private(set) var number: UInt32?
    private let server: NotificationServer
    private let onEnd: (NotificationEnd) -> Void
    private var patience: TimerSource?
    private let loop: EventLoop
    private var isClosing = false
    private var hasEnded = false

    /// How long the server may take to confirm that a notification was closed.
    private static let patienceMicroseconds: UInt64 = 3_000_000

    /// - Parameter onEnd: Called once.
    init(
        _ look: NotificationContent.Look, expireSeconds: Int, replacing: UInt32?, on server: NotificationServer,
        loop: EventLoop, onEnd: @escaping @DaemonActor (NotificationEnd) -> Void
    ) throws(SystemError) {
        self.server = server
        self.loop = loop
        self.onEnd = onEnd
        try server.show(look, expireSeconds: expireSeconds, replacing: replacing) { [weak self] number, error in
            self?.shown(number, error)
        }
    }

    private func shown(_ number: UInt32?, _ error: String) {
        self.number = number
        guard number != nil else { return end(.failed("the notification server did not show it: \(error)")) }
        if isClosing { takeAway() }
    }

    func take(_ event: NotificationServer.Event) {
        switch event {
        case .chosen(let number, let key) where number == self.number:
            // Not every server closes it by itself. The choice counts even if this call cannot be sent.
            try? server.close(number)
            end(.closed(key: key))
        case .closed(let number) where number == self.number: end(.closed(key: nil))
        default: break
        }
    }

    func close() {
        isClosing = true
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 10_000) { [weak self] in
                self?.end(.closed(key: nil))
            }
            timer.arm(afterMicroseconds: Self.patienceMicroseconds)
            patience = timer
        } catch {
            return end(.closed(key: nil))
        }
        takeAway()
    }

    private func takeAway() {
        guard let number else { return }
        do throws(SystemError) {
            try server.close(number) { [weak self] in self?.end(.closed(key: nil)) }
        } catch {
            end(.closed(key: nil))
        }
    }

    func abandon() { DaemonActor.post { [weak self] in self?.end(.closed(key: nil)) } }

    private func end(_ end: NotificationEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        patience?.cancel()
        onEnd(end)
    }
}
