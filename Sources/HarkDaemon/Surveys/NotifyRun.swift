import HarkCore
import HarkSystem

/// The state of the notify hook of one presentation, kept by `NotifyHooks`.
@DaemonActor
final class NotifyRun {
    let scope: Scope
    var child: ChildProcess?
    /// The process that waits for the person's return.
    var returning: ChildProcess?
    /// Fires when the survey is due to be shown again; while a hook runs, when it is decided whether it counts as shown.
    var timer: TimerSource?
    var failures = 0
    /// Whether it was shown and closed without a choice. It is then not shown again by itself.
    var isDone = false
    /// Whether its notification was clicked. The program that opens the survey now does so for its user.
    var isOpened = false

    init(_ scope: Scope) { self.scope = scope }

    var isIdle: Bool { child == nil && timer == nil && returning == nil && !isDone }

    func end() {
        timer?.cancel()
        child?.terminate()
        returning?.terminate()
    }

    /// The beginning of a program's output as one line.
    nonisolated static func line(of bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(200), as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
