import Glibc
import HarkSettings
import HarkSystem

/// A notification shown by notify-send, for lack of a session bus or by a setting.
///
/// notify-send that is still starting cannot be told to close its notification: it gets three seconds to print the id.
@DaemonActor
final class SentNotification: NotificationDisplay {
    private(set) var number: UInt32?
    private let loop: EventLoop
    private let onEnd: (NotificationEnd) -> Void
    private var child: ChildProcess?
    private var patience: TimerSource?
    private var isClosing = false
    private var hasInsisted = false

    /// How long notify-send may take to show the notification, or to notice that it was closed.
    private static let patienceMicroseconds: UInt64 = 3_000_000

    /// Makes notify-send print its id at once: into a pipe it would print only at its end, when the id is useless.
    private static let prompt = NotifySettings.isProgram("stdbuf") ? ["stdbuf", "--output=L"] : []

    static var isPossible: Bool { NotifySettings.isProgram("notify-send") }

    /// - Parameter onEnd: Called once.
    init(
        _ look: NotificationContent.Look, expireSeconds: Int, replacing: UInt32?, loop: EventLoop,
        onEnd: @escaping @DaemonActor (NotificationEnd) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onEnd = onEnd
        var command = ChildProcess.Command(
            Self.prompt + look.notifySend(expireSeconds: expireSeconds, replacing: replacing))
        command.timeoutMicroseconds = .max
        let child = try ChildProcess(command, on: loop) { [weak self] outcome in self?.ended(outcome) }
        child.onOutput { [weak self] bytes in self?.noteNumber(in: bytes) }
        self.child = child
    }

    private func noteNumber(in output: [UInt8]) {
        guard number == nil, let end = output.firstIndex(of: UInt8(ascii: "\n")) else { return }
        number = UInt32(String(decoding: output[..<end], as: UTF8.self))
        if isClosing { child?.signal(SIGINT) }
    }

    func close() {
        isClosing = true
        // On SIGINT, notify-send closes its notification, if it supports that.
        if number != nil { child?.signal(SIGINT) }
        do throws(SystemError) {
            let timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 10_000) { [weak self] in self?.insist()
            }
            timer.arm(afterMicroseconds: Self.patienceMicroseconds)
            patience = timer
        } catch {
            abandon()
        }
    }

    private func insist() {
        child?.signal(hasInsisted ? SIGKILL : SIGINT)
        hasInsisted = true
        patience?.arm(afterMicroseconds: 500_000)
    }

    func abandon() { child?.signal(SIGKILL) }

    private func ended(_ outcome: ChildProcess.Outcome) {
        child = nil
        patience?.cancel()
        guard outcome.status.isSuccess || isClosing else {
            let said = String(decoding: outcome.errorOutput.prefix(200), as: UTF8.self)
            let more = said.isEmpty ? "" : ", saying: \(said)"
            return onEnd(.failed("notify-send ended with \(outcome.status)\(more)"))
        }
        // A number is the notification's id, not a key.
        let lines = String(decoding: outcome.output, as: UTF8.self).split(whereSeparator: \.isNewline)
        onEnd(.closed(key: lines.last.map(String.init)))
    }
}

extension NotificationContent.Look {
    /// The command line of notify-send. It prints the notification's id at once, and the chosen action later.
    func notifySend(expireSeconds: Int, replacing: UInt32? = nil) -> [String] {
        var arguments = ["notify-send", "--app-name=Hark", "--wait", "--print-id"]
        let icon = ["--icon=\(NotificationContent.icon)", "--hint=string:desktop-entry:\(NotificationContent.icon)"]
        if let replacing { arguments.append("--replace-id=\(replacing)") }
        if expireSeconds > 0 { arguments.append("--expire-time=\(expireSeconds * 1_000)") }
        arguments.append(
            sound ? "--hint=string:sound-name:message-new-instant" : "--hint=boolean:suppress-sound:true")
        arguments += icon
        // notify-send takes no action without a name.
        arguments += actions.map { "--action=\($0.key)=\($0.label.isEmpty ? "Open" : $0.label)" }
        return arguments + ["--", title, body]
    }
}
