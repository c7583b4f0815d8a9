import Glibc
import HarkClient

/// Opens a desktop terminal that runs a command.
enum TerminalWindow {
    /// How each terminal takes a command, with the user's own choices first.
    static func commands(terminal: String?) -> [[String]] {
        let own = terminal.flatMap { $0.isEmpty ? nil : [$0, "-e"] }
        return [["xdg-terminal-exec"]] + (own.map { [$0] } ?? []) + [
            ["x-terminal-emulator", "-e"], ["gnome-terminal", "--"], ["konsole", "-e"], ["xfce4-terminal", "-x"],
            ["foot"], ["kitty"], ["alacritty", "-e"], ["xterm", "-e"],
        ]
    }

    /// Runs `hark` with these arguments in the first terminal found.
    ///
    /// - Returns: False if there is no terminal.
    static func open(_ arguments: [String]) -> Bool {
        for command in commands(terminal: SocketAddress.environment("TERMINAL")) {
            do throws(Errno) {
                _ = try ChildProgram(command + [OwnProgram.path] + arguments, captures: false)
                return true
            } catch {
                // This one is not installed; try the next.
                continue
            }
        }
        return false
    }
}
