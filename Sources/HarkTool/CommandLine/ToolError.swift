import HarkClient

/// The failure of a command: the message for stderr, and the exit code.
struct ToolError: Error, Equatable {
    let exit: ExitCode
    /// The problem, in one sentence without a full stop.
    let message: String
    /// What to do next.
    let hint: String?

    init(_ exit: ExitCode, _ message: String, hint: String? = nil) {
        self.exit = exit
        self.message = message
        self.hint = hint
    }

    /// - Parameter command: The command whose arguments caused the error; nil if a sent document did.
    init(_ error: ClientError, of command: Command? = nil) {
        self.init(error.exitCode, ProtocolWords.message(error, of: command), hint: error.hint)
    }

    static func usage(_ message: String, hint: String? = nil) -> ToolError {
        ToolError(.usage, message, hint: hint)
    }
}

/// Ends a command that has already printed its message, with an exit code.
struct QuietExit: Error, Equatable {
    let exit: ExitCode
}
