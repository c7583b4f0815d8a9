import Glibc
import HarkClient

/// The controlling terminal of a script whose output goes elsewhere. The question is asked there, and standard output
/// is restored afterwards.
struct PromptTerminal: ~Copyable {
    private let terminal: CInt

    /// - Returns: Nil if standard input is not a terminal, or the program runs in the background.
    init?() {
        guard isatty(0) == 1 else { return nil }
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        guard tcgetpgrp(terminal) == getpgrp() else {
            close(terminal)
            return nil
        }
        self.terminal = terminal
    }

    deinit { close(terminal) }

    /// Runs `body` with the terminal as standard output.
    func use<Value>(_ body: (Console) throws -> Value) throws -> Value {
        let before = fcntl(1, F_DUPFD_CLOEXEC, 3)
        guard dup2(terminal, 1) >= 0 else {
            throw ToolError(.io, "cannot ask on the terminal: \(String(cString: strerror(errno)))")
        }
        defer {
            if before >= 0 {
                dup2(before, 1)
                close(before)
            } else {
                close(1)
            }
        }
        return try body(Console())
    }
}
