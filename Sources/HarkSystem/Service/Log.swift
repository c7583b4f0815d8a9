import CSystemd
import Glibc
import Synchronization

/// The daemon's log: the journal with structured fields if stderr leads there, else one line on stderr.
///
/// For the administrator of the machine. It never contains user data: no event names, properties or answers. Every
/// function may be called on any thread.
package enum Log {
    /// The severity of a message; the numbers are those of syslog.
    package enum Level: Int32, Sendable, Comparable, CaseIterable {
        case error = 3
        case warning, notice, info, debug

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    /// Structured fields: names such as `destination`, which the journal shows as `HARK_DESTINATION`.
    package typealias Fields = KeyValuePairs<StaticString, String>

    private static let threshold = Atomic(Level.info.rawValue)

    /// The least severe level that is written.
    package static var level: Level {
        get { Level(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Logs a failure that needs attention.
    package static func error(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.error, message, fields, id, file, line, function))
    }

    /// Logs a problem that is being handled.
    package static func warning(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.warning, message, fields, id, file, line, function))
    }

    /// Logs an important change: started, reloaded, recovered.
    package static func notice(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.notice, message, fields, id, file, line, function))
    }

    /// Logs the daemon's activity in detail.
    package static func info(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.info, message, fields, id, file, line, function))
    }

    /// Logs for debugging; the text is evaluated only if it is written.
    package static func debug(
        _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        guard level >= .debug else { return }
        write(LogMessage(.debug, message(), fields(), id, file, line, function))
    }

    /// Whether stderr leads to the journal, by the device and inode that systemd announces.
    private static let stderrIsJournal: Bool = {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    private static func write(_ entry: LogMessage) {
        guard entry.level <= level else { return }
        if stderrIsJournal && entry.sendToJournal() { return }
        let line = Array(entry.line.utf8)
        // One write, so that lines of several threads do not mix. An error cannot be reported anywhere.
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
