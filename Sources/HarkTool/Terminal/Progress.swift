import HarkAsking

/// One line on the terminal that says how far a long command is; nothing where standard error is no terminal.
final class Progress {
    private let console: Console
    private var nextAt = 0.0
    private var isShown = false

    init(_ console: Console) {
        self.console = console
    }

    deinit { clear() }

    /// Shows the text, at most ten times a second; the text is not even made in between.
    func show(_ text: @autoclosure () -> String) {
        guard console.errorIsTerminal else { return }
        let now = MonotonicClock.now
        guard now >= nextAt else { return }
        nextAt = now + 0.1
        isShown = true
        console.rewrite(text())
    }

    /// Takes the line away, before something else is printed.
    func clear() {
        guard isShown else { return }
        isShown = false
        console.rewrite("")
    }
}
