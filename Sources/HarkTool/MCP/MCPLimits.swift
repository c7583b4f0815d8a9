/// The bounds of `hark mcp`: what a client may bring, and what it is given.
enum MCPLimits {
    /// The longest line that is read, in bytes. A longer one is passed over and answered with an error.
    static let lineBytes = 4 << 20
    /// Messages of one batch (2025-03-26).
    static let batch = 100
    /// Calls that may be under way at a time.
    static let calls = 32
    /// While more bytes than this wait to be read by the client, nothing more is read from it.
    static let unreadBytes = 4 << 20
    /// The longest text that stands for itself as an argument of a command, in bytes.
    static let wordBytes = 4_096
    /// What is kept of a text in the event that tells of a call, in bytes.
    static let notedBytes = 8_192
    /// The longest statement, in bytes; SQLite's own bound here is the same.
    static let statementBytes = 1 << 20
    /// Rows and bytes of the rows of one result.
    static let rows: Int64 = 1_000
    static let rowBytes = 48 << 10
    /// The longest chart, in bytes.
    static let chartBytes = 256 << 10
    /// The longest a call waits for a person, in seconds: clients give a call up after 60.
    static let waitSeconds: Int64 = 50
    /// The longest a query or a chart may take, in seconds.
    static let querySeconds: Int64 = 50
    /// How long the daemon may take to answer, in seconds.
    static let daemonSeconds: Int64 = 20
    /// Between two notifications of progress, in seconds.
    static let progressSeconds: Int64 = 10
    /// How long what is under way may take once the client has closed its end, in milliseconds.
    static let graceMilliseconds: Int64 = 1_500
}
