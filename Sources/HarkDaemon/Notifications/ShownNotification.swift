import Glibc
import HarkSystem

/// A notification on the screen, from the first look at the server to its end: shown by notify-send in the way that the
/// server at hand allows, once it disturbs nobody; shown again when the server was started anew, or it went while nobody
/// was there; and taken away when told to, whenever that is.
///
/// notify-send that is only just starting cannot be told to take its notification away: it is waited for until it has said
/// its number, and the server is told that.
@DaemonActor
final class ShownNotification {
    enum Outcome: Equatable {
        /// In the words of a notify hook.
        case chosen(String)
        /// Nothing was chosen, or it was taken away.
        case closed
        /// It would disturb now, and was not to wait.
        case quiet
        case failed(String)
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
    private var child: ChildProcess?
    /// The server's number for it, once notify-send has told it.
    private var number: UInt32?
    /// That of the one whose place the next takes.
    private var replaced: UInt32?
    private var patience: TimerSource?
    /// The time that it stays, in which somebody may see it.
    private var stay: PausableTimer?
    private var isAsking = false
    /// The server is gone; another may come.
    private var isLost = false
    /// What is shown was the former server's.
    private var isOutdated = false
    /// It is to go, or has gone.
    private var isOver = false
    private var isConcluded = false
    private var hasInsisted = false
    private var hasBeenShown = false

    /// How long notify-send may take to show it, or to notice that it was taken away.
    private static let patienceMicroseconds: UInt64 = 3_000_000

    /// Has notify-send say its number at once: into a pipe it would only at its end, when nobody needs it any more.
    private static let prompt = NotifySettings.isProgram("stdbuf") ? ["stdbuf", "--output=L"] : []

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
        guard !isOver, !isAsking, !isLost, let child, number != nil, quiet?.isQuiet == false else { return }
        replaced = number
        isOutdated = true
        stay?.stop()
        // Its notification stays, and the next one takes its place.
        child.signal(SIGKILL)
    }

    /// Takes it away.
    func end() {
        guard !isOver else { return }
        isOver = true
        stay?.stop()
        guard child != nil else { return conclude(.closed) }
        close()
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 10_000) { [weak self] in self?.insist()
            }
            timer.arm(afterMicroseconds: ShownNotification.patienceMicroseconds)
            patience = timer
        } catch {
            child?.signal(SIGKILL)
        }
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
        guard !isOver, !isAsking, !isLost, child == nil, let isQuiet = quiet?.isQuiet else { return }
        if isQuiet {
            if !terms.waits, !hasBeenShown { conclude(.quiet) }
            return
        }
        guard NotifySettings.isProgram("notify-send") else { return conclude(.noProgram) }
        let arguments = content.arguments(
            capabilities, expireSeconds: terms.tellsServer ? terms.seconds : 0, replacing: replaced)
        replaced = nil
        var command = ChildProcess.Command(ShownNotification.prompt + arguments)
        command.timeoutMicroseconds = .max
        do throws(SystemError) {
            let child = try ChildProcess(command, on: loop) { [weak self] outcome in self?.ended(outcome) }
            child.onOutput { [weak self] bytes in self?.noteNumber(in: bytes) }
            self.child = child
            hasBeenShown = true
            if terms.seconds > 0 {
                stay = try PausableTimer(microseconds: UInt64(terms.seconds) * 1_000_000, on: loop) { [weak self] in
                    self?.end()
                }
                stay?.go()
            }
        } catch {
            conclude(error.code == ENOENT ? .noProgram : .failed("notify-send cannot be started: \(error)"))
        }
    }

    private func noteNumber(in output: [UInt8]) {
        guard number == nil, let end = output.firstIndex(of: UInt8(ascii: "\n")) else { return }
        number = UInt32(String(decoding: output[..<end], as: UTF8.self))
        if isOver { close() }
    }

    private func close() {
        guard let number else { return }
        do throws(SystemError) {
            if let server { try server.close(number) } else { child?.signal(SIGINT) }
        } catch {
            child?.signal(SIGINT)
        }
    }

    private func insist() {
        guard let child else { return }
        // An interrupt has it take its notification away, too, if it heeds it.
        child.signal(hasInsisted ? SIGKILL : SIGINT)
        hasInsisted = true
        patience?.arm(afterMicroseconds: 500_000)
    }

    private func serverChanged(before: String, now: String) {
        if !now.isEmpty { quiet?.serverChanged() }
        // The numbers of another server are of other notifications.
        replaced = nil
        if now.isEmpty, child != nil {
            isLost = true
        } else if !now.isEmpty, isLost || !before.isEmpty && child != nil {
            isLost = false
            if !isOver { ask() }
        } else {
            return
        }
        if child != nil {
            isOutdated = true
            child?.signal(SIGKILL)
        }
    }

    /// While it is quiet nobody sees what is shown: its time stands still.
    private func quietChanged(_ isQuiet: Bool) {
        if isQuiet { stay?.stop() } else if child != nil { stay?.go() }
        show()
    }

    /// The session is over, or its bus hangs; so does notify-send then.
    private func busEnded() {
        child?.signal(SIGKILL)
        conclude(.failed("the session bus has ended, or does not answer"))
    }

    private func ended(_ outcome: ChildProcess.Outcome) {
        child = nil
        number = nil
        if isOver { return conclude(.closed) }
        if isOutdated {
            isOutdated = false
            return show()
        }
        guard outcome.status.isSuccess else {
            let said = String(decoding: outcome.errorOutput.prefix(200), as: UTF8.self)
            let more = said.isEmpty ? "" : ", saying: \(said)"
            return conclude(.failed("notify-send ended with \(outcome.status)\(more)"))
        }
        let keys = String(decoding: outcome.output, as: UTF8.self).split(whereSeparator: \.isNewline)
        if let choice = keys.last.flatMap({ content.choice(String($0)) }) { return conclude(.chosen(choice)) }
        // What has gone while nobody was there has not been seen: it comes again.
        if quiet?.isQuiet != true { conclude(.closed) }
    }

    private func conclude(_ outcome: Outcome) {
        guard !isConcluded else { return }
        isConcluded = true
        isOver = true
        stay?.stop()
        finish(outcome)
    }
}
