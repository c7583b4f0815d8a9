import Glibc
import HarkSettings
import HarkSystem
import HarkWire

/// A notification on the screen, from the first look at the server to its end: shown in the way that the server at hand allows,
/// once it disturbs nobody; shown again when the server was started anew, or it went while nobody was there; and taken away
/// when told to, whenever that is.
@DaemonActor
final class ShownNotification {
    enum Outcome: Equatable {
        /// In the words of a notify hook.
        case chosen(String)
        /// Nothing was chosen, or it was taken away.
        case closed
        /// It would disturb now, and was not to wait.
        case quiet(Absence)
        case failed(String)
        /// There is neither a session bus nor notify-send.
        case noProgram
    }

    private let content: NotificationContent
    private let terms: NotificationTerms
    private let loop: EventLoop
    private let finish: (Outcome) -> Void
    /// nil: there is no bus to be asked.
    private var server: NotificationServer?
    private var quiet: QuietTime?
    private var capabilities = NotificationServer.usual
    private var display: (any NotificationDisplay)?
    /// The number of the one whose place the next takes.
    private var replaced: UInt32?
    /// The time that it stays, in which somebody may see it.
    private var stay: PausableTimer?
    private var isAsking = false
    /// The server is gone; another may come.
    private var isLost = false
    /// What is shown was the former server's, or is to be replaced.
    private var isOutdated = false
    /// It is to go, or has gone.
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
            // Then notify-send says what is wrong, or knows better.
            Log.debug("the session bus cannot be asked about notifications: \(error)")
        }
        let quiet = QuietTime(bus, loop: loop) { [weak self] in self?.quietChanged($0) }
        self.quiet = quiet
        quiet.ask()
        ask()
    }

    /// Shows it once more, in the place of the one that is there; while nobody sees it, it comes anew by itself.
    func showAnew() {
        guard !isOver, !isAsking, !isLost, let display, let number = display.number, quiet?.isQuiet == false else {
            return
        }
        replaced = number
        isOutdated = true
        stay?.stop()
        // It stays, and the next one takes its place.
        display.abandon()
    }

    /// Takes it away.
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

    /// - Returns: nil where nothing can show it.
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
        // The numbers of another server are of other notifications.
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

    /// While it is quiet nobody sees what is shown: its time stands still.
    private func quietChanged(_ isQuiet: Bool) {
        if isQuiet { stay?.stop() } else if display != nil { stay?.go() }
        show()
    }

    /// The session is over, or its bus hangs.
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
            // What has gone while nobody was there has not been seen: it comes again.
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
