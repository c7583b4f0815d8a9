import CSystemd
import Glibc
import Synchronization

/// The daemon's log: the journal with structured fields when stderr leads there, else one line on stderr.
///
/// For whoever runs the machine. It never holds what users or their apps said: no event names, properties or answers.
/// Every function may be called on any thread.
package enum Log {
    /// How grave a message is; the numbers are syslog's.
    package enum Level: Int32, Sendable, Comparable, CaseIterable {
        case error = 3
        case warning, notice, info, debug

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    /// What a message is about: names such as `destination`, which the journal shows as `HARK_DESTINATION`.
    package typealias Fields = KeyValuePairs<StaticString, String>

    private static let threshold = Atomic(Level.info.rawValue)

    /// The least grave level that is written.
    package static var level: Level {
        get { Level(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Something failed that somebody should look at.
    package static func error(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.error, message, fields, id, file, line, function))
    }

    /// Something went wrong and is being dealt with.
    package static func warning(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.warning, message, fields, id, file, line, function))
    }

    /// A change worth seeing without asking: started, reloaded, recovered.
    package static func notice(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.notice, message, fields, id, file, line, function))
    }

    /// What the daemon does, at length.
    package static func info(
        _ message: String, _ fields: Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        write(LogMessage(.info, message, fields, id, file, line, function))
    }

    /// What only somebody hunting a bug wants; its text is not even made while the level is higher.
    package static func debug(
        _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:], id: StaticString? = nil,
        file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
    ) {
        guard level >= .debug else { return }
        write(LogMessage(.debug, message(), fields(), id, file, line, function))
    }

    /// Whether stderr is a stream of the journal's, as systemd tells by its device and inode.
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
        // One write, so that lines of several threads do not mix. If it fails there is nowhere left to say so.
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
