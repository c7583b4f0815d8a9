import HarkClient

/// Why a command failed: what is printed on stderr, and the exit code.
struct ToolError: Error, Equatable {
    let exit: ExitCode
    /// What is wrong, in one sentence without a full stop.
    let message: String
    /// What to do next.
    let hint: String?

    init(_ exit: ExitCode, _ message: String, hint: String? = nil) {
        self.exit = exit
        self.message = message
        self.hint = hint
    }

    /// - Parameter command: the one whose arguments it is about; nil if it is about a document that was sent.
    init(_ error: ClientError, of command: Command? = nil) {
        self.init(error.exitCode, ProtocolWords.message(error, of: command), hint: error.hint)
    }

    static func usage(_ message: String, hint: String? = nil) -> ToolError {
        ToolError(.usage, message, hint: hint)
    }
}

/// The command has said what there is to say; only the exit code is left.
struct QuietExit: Error, Equatable {
    let exit: ExitCode
}
