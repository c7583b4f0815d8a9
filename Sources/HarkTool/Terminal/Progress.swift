import HarkClient

/// A progress line on the terminal; nothing is shown if standard error is not a terminal.
final class Progress {
    private let console: Console
    private var nextAt = 0.0
    private var isShown = false

    init(_ console: Console) {
        self.console = console
    }

    deinit { clear() }

    /// Shows the text, at most ten times a second. The text is not computed in between.
    func show(_ text: @autoclosure () -> String) {
        guard console.errorIsTerminal else { return }
        let now = MonotonicClock.now
        guard now >= nextAt else { return }
        nextAt = now + 0.1
        isShown = true
        console.rewrite(text())
    }

    /// Removes the line, before other output.
    func clear() {
        guard isShown else { return }
        isShown = false
        console.rewrite("")
    }
}
