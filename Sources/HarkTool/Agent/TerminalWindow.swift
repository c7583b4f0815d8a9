import Glibc
import HarkClient

/// Opens a terminal of the desktop with a command in it.
enum TerminalWindow {
    /// How terminals take a command, the ones that people chose themselves first.
    static func commands(terminal: String?) -> [[String]] {
        let own = terminal.flatMap { $0.isEmpty ? nil : [$0, "-e"] }
        return [["xdg-terminal-exec"]] + (own.map { [$0] } ?? []) + [
            ["x-terminal-emulator", "-e"], ["gnome-terminal", "--"], ["konsole", "-e"], ["xfce4-terminal", "-x"],
            ["foot"], ["kitty"], ["alacritty", "-e"], ["xterm", "-e"],
        ]
    }

    /// Runs `hark` with those arguments in the first terminal there is.
    ///
    /// - Returns: false if there is none.
    static func open(_ arguments: [String]) -> Bool {
        for command in commands(terminal: SocketAddress.environment("TERMINAL")) {
            do throws(Errno) {
                _ = try ChildProgram(command + [OwnProgram.path] + arguments, captures: false)
                return true
            } catch {
                // Not there; the next one may be.
                continue
            }
        }
        return false
    }
}
