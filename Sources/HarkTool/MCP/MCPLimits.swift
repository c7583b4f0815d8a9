/// The limits of `hark mcp` for clients and for results.
enum MCPLimits {
    /// The longest line to read, in bytes. A longer one is skipped and answered with an error.
    static let lineBytes = 4 << 20
    /// The maximum number of messages in a batch (2025-03-26).
    static let batch = 100
    /// The maximum number of concurrent calls.
    static let calls = 32
    /// While the client has more unread bytes than this, no more is read from it.
    static let unreadBytes = 4 << 20
    /// The longest text for a single argument, in bytes.
    static let wordBytes = 4_096
    /// The longest text kept in the event for a call, in bytes.
    static let notedBytes = 8_192
    /// The longest statement, in bytes, the same as SQLite's limit here.
    static let statementBytes = 1 << 20
    /// The maximum number of rows in a result, and of bytes in them.
    static let rows: Int64 = 1_000
    static let rowBytes = 48 << 10
    /// The longest chart, in bytes.
    static let chartBytes = 256 << 10
    /// The longest wait for a person, in seconds. Clients time out after 60.
    static let waitSeconds: Int64 = 50
    /// The timeout of a query or a chart, in seconds.
    static let querySeconds: Int64 = 50
    /// The timeout of the daemon, in seconds.
    static let daemonSeconds: Int64 = 20
    /// The interval between progress notifications, in seconds.
    static let progressSeconds: Int64 = 10
    /// The time that pending calls get after the client has closed its end, in milliseconds.
    static let graceMilliseconds: Int64 = 1_500
}
