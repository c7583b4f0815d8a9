import HarkCore
import HarkSystem

/// A notify hook at work for one presentation, and what has become of it so far. Lives with `NotifyHooks`.
@DaemonActor
final class NotifyRun {
    let scope: Scope
    var child: ChildProcess?
    /// What waits for somebody to be back.
    var returning: ChildProcess?
    /// When it is to be shown again; while a hook runs, when it counts as shown.
    var timer: TimerSource?
    var failures = 0
    /// It has been shown and closed without a choice: it is not shown again by itself.
    var isDone = false
    /// It was clicked on: whoever opens the survey now does so for its user.
    var isOpened = false

    init(_ scope: Scope) { self.scope = scope }

    var isIdle: Bool { child == nil && timer == nil && returning == nil && !isDone }

    /// The beginning of what a program wrote, in one line.
    nonisolated static func line(of bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(200), as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
