import HarkSystem

/// What has a notification shown, once: from its beginning to its end.
@DaemonActor
protocol NotificationDisplay: AnyObject {
    /// The server's number for it, once that is known.
    var number: UInt32? { get }

    /// Takes it away; `onEnd` comes as soon as it is gone, or after some seconds.
    func close()

    /// Lets go of it, wherever it is; `onEnd` comes soon.
    func abandon()
}

/// How it ended.
enum NotificationEnd: Equatable {
    /// The key of an action was chosen; nil: nothing was.
    case closed(key: String?)
    case failed(String)
}

/// One that the server on the session bus shows.
@DaemonActor
final class BusNotification: NotificationDisplay {
    private(set) var number: UInt32?
    private let server: NotificationServer
    private let onEnd: (NotificationEnd) -> Void
    private var patience: TimerSource?
    private let loop: EventLoop
    private var isClosing = false
    private var hasEnded = false

    /// How long the server may take to notice that it was taken away.
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
            // Not every server takes it away then. The choice counts even where this call cannot be sent.
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
