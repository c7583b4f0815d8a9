import Glibc
import HarkSystem

/// A notification on the screen, from the first look at the server to its end: shown by notify-send in the way that the
/// server at hand allows, shown again when the server was started anew, and taken away when told to, whenever that is.
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
        case failed(String)
        case noProgram
    }

    private let content: NotificationContent
    private let expireSeconds: Int
    private let loop: EventLoop
    private let finish: (Outcome) -> Void
    /// nil: there is no bus to be asked.
    private var server: NotificationServer?
    private var capabilities = NotificationServer.usual
    private var child: ChildProcess?
    /// The server's number for it, once notify-send has told it.
    private var number: UInt32?
    private var patience: TimerSource?
    private var isAsking = false
    /// The server is gone; another may come.
    private var isLost = false
    /// What is shown was the former server's.
    private var isOutdated = false
    private var isOver = false
    private var hasInsisted = false

    /// How long notify-send may take to show it, or to notice that it was taken away.
    private static let patienceMicroseconds: UInt64 = 3_000_000
    private static let forever: UInt64 = 30 * 86_400_000_000

    /// - Parameter finish: Called once, at the end.
    init(
        _ content: NotificationContent, expireSeconds: Int, loop: EventLoop,
        finish: @escaping @DaemonActor (Outcome) -> Void
    ) {
        self.content = content
        self.expireSeconds = expireSeconds
        self.loop = loop
        self.finish = finish
    }

    func begin() {
        do throws(SystemError) {
            server = try NotificationServer(loop: loop) { [weak self] before, now in
                self?.serverChanged(before: before, now: now)
            }
        } catch {
            // Then notify-send says what is wrong, or knows better.
            Log.debug("the session bus cannot be asked about notifications: \(error)")
        }
        ask()
    }

    /// Takes it away.
    func end() {
        guard !isOver else { return }
        isOver = true
        guard child != nil else { return finish(.closed) }
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
            self.capabilities = capabilities
            show()
        }
    }

    private func show() {
        guard !isOver, !isAsking, !isLost, child == nil else { return }
        var command = ChildProcess.Command(content.arguments(capabilities, expireSeconds: expireSeconds))
        command.timeoutMicroseconds = ShownNotification.forever
        do throws(SystemError) {
            let child = try ChildProcess(command, on: loop) { [weak self] outcome in self?.ended(outcome) }
            child.onOutput { [weak self] bytes in self?.noteNumber(in: bytes) }
            self.child = child
        } catch {
            finish(error.code == ENOENT ? .noProgram : .failed("notify-send cannot be started: \(error)"))
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

    private func ended(_ outcome: ChildProcess.Outcome) {
        child = nil
        number = nil
        if isOver { return finish(.closed) }
        if isOutdated {
            isOutdated = false
            return show()
        }
        guard outcome.status.isSuccess else {
            let said = String(decoding: outcome.errorOutput.prefix(200), as: UTF8.self)
            return finish(.failed("notify-send ended with \(outcome.status)\(said.isEmpty ? "" : ", saying: \(said)")"))
        }
        let keys = String(decoding: outcome.output, as: UTF8.self).split(whereSeparator: \.isNewline)
        finish(keys.last.flatMap { content.choice(String($0)) }.map(Outcome.chosen) ?? .closed)
    }
}
