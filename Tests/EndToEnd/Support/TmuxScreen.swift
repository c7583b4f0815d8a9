import Foundation

/// A terminal with a shell on it, and somebody at its keyboard: tmux is the terminal.
final class TmuxScreen {
    private let files: TemporaryFiles
    private let server: Child

    init(_ home: DaemonHome, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
        files = try TemporaryFiles()
        let socket = files.path("tmux")
        // Not as a daemon, so that it always ends with the test.
        server = try Child(["tmux", "-S", socket, "-f", "/dev/null", "-D"], errors: files.path("errors"))
        try waitUntil("tmux serves") { access(socket, F_OK) == 0 }
        var variables = home.environment
        variables.merge(["PS1": "$ ", "hark": Programs.hark, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]) { $1 }
        variables.merge(environment) { $1 }
        let settings = variables.map { "\($0.key)=\($0.value)" }
        try tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "env", "-i", "TERM=screen"] + settings
                + ["bash", "--norc", "--noprofile"])
        try tmux(["set-option", "-g", "status", "off"])
        try resize(columns: columns, rows: rows)
        try waitUntil("the shell asks for a command") { try text.hasPrefix("$") }
    }

    @discardableResult
    private func tmux(_ words: [String]) throws -> String {
        let run = try Child.run(["tmux", "-u", "-S", files.path("tmux")] + words)
        guard run.ending == .exited(0) else { throw Failure("tmux \(words): \(run.errors)") }
        return run.output
    }

    /// What is on the screen, without the spaces at the ends of its lines.
    var text: String { get throws { try tmux(["capture-pane", "-p"]) } }

    /// The same with the escape sequences of its colours.
    var styled: String { get throws { try tmux(["capture-pane", "-e", "-p"]) } }

    /// Presses keys by their names, such as `Enter`, `Escape` and `C-z`.
    func press(_ keys: String...) throws {
        try tmux(["send-keys"] + keys)
    }

    func type(_ text: String) throws {
        try tmux(["send-keys", "-l", "--", text])
    }

    /// Pastes as a terminal does: in brackets where the program asked for them.
    func paste(_ text: String) throws {
        try tmux(["set-buffer", "--", text])
        try tmux(["paste-buffer", "-p"])
    }

    /// Runs a line of shell on an empty screen.
    func run(_ line: String) throws {
        try type("clear; \(line)")
        try press("Enter")
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    func wait(for expected: String) throws {
        var shown = ""
        do {
            try waitUntil("the screen") {
                shown = try text
                return shown.contains(expected)
            }
        } catch {
            throw Failure("the screen does not show '\(expected)':\n\(shown)")
        }
    }
}
