import Glibc
import HarkSettings
import HarkSystem
import HarkWire

/// A notification on the screen, from the first question to the server until its end. It is shown in a way that the server
/// supports, once it disturbs nobody; shown again after the server restarts, or if it went while nobody was there; and removed
/// on request at any time.
@DaemonActor
final class ShownNotification {
    enum Outcome: Equatable {
        /// An answer, in the words of a notify hook.
        case chosen(String)
        /// Nothing was chosen, or the notification was removed.
        case closed
        /// It would disturb now, and must not wait.
        case quiet(Absence)
        case failed(String)
        /// There is neither a session bus nor notify-send.
        case noProgram
    }

    private let content: NotificationContent
    private let terms: NotificationTerms
    private let loop: EventLoop
    private let finish: (Outcome) -> Void
    /// nil if there is no bus.
    private var server: NotificationServer?
    private var quiet: QuietTime?
    private var capabilities = NotificationServer.usual
    private var display: (any NotificationDisplay)?
    /// The number of the notification to replace.
    private var replaced: UInt32?
    /// How long it stays while the person may see it.
    private var stay: PausableTimer?
    private var isAsking = false
    /// The server is gone, and another may come.
    private var isLost = false
    /// The notification belongs to an earlier server, or has to be replaced.
    private var isOutdated = false
    /// It is about to end, or has ended.
    private var isOver = false
    private var isConcluded = false
    private var hasBeenShown = false

    /// - Parameter finish: Called once, at the end.
    init(
        _ content: NotificationContent, _ terms: NotificationTerms, loop: EventLoop,
        finish: @escaping @DaemonActor (Outcome) -> Void
    ) {
        self.content = content
        self.terms = terms
        self.loop = loop
        self.finish = finish
    }

    func begin() {
        var bus: MessageBus?
        do throws(SystemError) {
            let opened = try MessageBus(.session, loop: loop)
            server = try NotificationServer(opened) { [weak self] before, now in
                self?.serverChanged(before: before, now: now)
            } onEvent: { [weak self] event in
                (self?.display as? BusNotification)?.take(event)
            }
            try opened.onEnd { [weak self] in self?.busEnded() }
            bus = opened
        } catch {
            // notify-send then reports the problem, or does better.
            Log.debug("the session bus cannot be asked about notifications: \(error)")
        }
        let quiet = QuietTime(bus, loop: loop) { [weak self] in self?.quietChanged($0) }
        self.quiet = quiet
        quiet.ask()
        ask()
    }

    /// Replaces the current one by a new one. While nobody sees it, it is shown again anyway.
    func showAnew() {
        guard !isOver, !isAsking, !isLost, let display, let number = display.number, quiet?.isQuiet == false else {
            return
        }
        replaced = number
        isOutdated = true
        stay?.stop()
        // The notification stays, and the next one replaces it.
        display.abandon()
    }

    /// Removes the notification.
    func end() {
        guard !isOver else { return }
        isOver = true
        stay?.stop()
        guard let display else { return conclude(.closed) }
        display.close()
    }

    private func ask() {
        guard let server else { return show() }
        isAsking = true
        server.askCapabilities { [weak self] capabilities in
            guard let self else { return }
            isAsking = false
            guard let capabilities else {
                return conclude(
                    .failed("no notification server answers on the session bus: nothing shows notifications"))
            }
            self.capabilities = capabilities
            show()
        }
    }

    private func show() {
        guard !isOver, !isAsking, !isLost, display == nil, let isQuiet = quiet?.isQuiet else { return }
        if isQuiet {
            if !terms.waits, !hasBeenShown { conclude(.quiet(quiet?.reason ?? .doNotDisturb)) }
            return
        }
        do throws(SystemError) {
            guard let display = try makeDisplay() else { return conclude(.noProgram) }
            self.display = display
            hasBeenShown = true
            if terms.seconds > 0 {
                stay = try PausableTimer(microseconds: UInt64(terms.seconds) * 1_000_000, on: loop) { [weak self] in
                    self?.end()
                }
                stay?.go()
            }
        } catch {
            conclude(.failed("no notification can be shown: \(error)"))
        }
    }

    /// - Returns: Nil if nothing can show it.
    private func makeDisplay() throws(SystemError) -> (any NotificationDisplay)? {
        let look = content.look(capabilities)
        let seconds = terms.tellsServer ? terms.seconds : 0
        let replacing = replaced
        replaced = nil
        if let server, !NotifySettings.wantsNotifySend {
            return try BusNotification(look, expireSeconds: seconds, replacing: replacing, on: server, loop: loop) {
                [weak self] (end: NotificationEnd) in self?.ended(end)
            }
        }
        guard SentNotification.isPossible else { return nil }
        return try SentNotification(look, expireSeconds: seconds, replacing: replacing, loop: loop) {
            [weak self] (end: NotificationEnd) in self?.ended(end)
        }
    }

    private func serverChanged(before: String, now: String) {
        if !now.isEmpty { quiet?.serverChanged() }
        // Another server uses the same numbers for other notifications.
        replaced = nil
        if now.isEmpty, display != nil {
            isLost = true
        } else if !now.isEmpty, isLost || !before.isEmpty && display != nil {
            isLost = false
            if !isOver { ask() }
        } else {
            return
        }
        if let display {
            isOutdated = true
            display.abandon()
        }
    }

    /// During a quiet time nobody sees the notification, so its time does not run.
    private func quietChanged(_ isQuiet: Bool) {
        if isQuiet { stay?.stop() } else if display != nil { stay?.go() }
        show()
    }

    /// The session has ended, or its bus hangs.
    private func busEnded() {
        display?.abandon()
        conclude(.failed("the session bus has ended, or does not answer"))
    }

    private func ended(_ end: NotificationEnd) {
        display = nil
        if isOver { return conclude(.closed) }
        if isOutdated {
            isOutdated = false
            return show()
        }
        switch end {
        case .failed(let reason): conclude(.failed(reason))
        case .closed(let key):
            if let choice = key.flatMap(content.choice) { return conclude(.chosen(choice)) }
            // A notification that went while nobody was there was not seen, so it is shown again.
            if quiet?.isQuiet != true { conclude(.closed) }
        }
    }

    private func conclude(_ outcome: Outcome) {
        guard !isConcluded else { return }
        isConcluded = true
        isOver = true
        stay?.stop()
        finish(outcome)
    }
}
