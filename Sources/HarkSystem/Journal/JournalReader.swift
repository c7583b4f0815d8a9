import CSystemd
import Glibc

/// systemd's journal, read forward from a position, entry by entry.
///
/// It stays open over rotation and vacuum, which `process` notices. All calls must be made on the loop: libsystemd refuses
/// a second thread.
@DaemonActor
package final class JournalReader {
    private let journal: OpaquePointer
    /// Watch it for `interest`, and call `process` when it is ready.
    package let descriptor: Int32
    /// Whether the current entry was not returned yet.
    private var isBeforeCurrent = false

    /// The change of the files.
    package enum Change: Sendable {
        case nothing, entries
        /// Files came or went: by a rotation, or by a vacuum.
        case files
    }

    /// - Parameters:
    ///   - files: The files to read. Unreadable ones are ignored (`JournalFiles.access`).
    ///   - assignments: Assignments such as `_SYSTEMD_UNIT=ssh.service`. An entry must have one of them; if there are none, all
    ///     entries match.
    ///   - longest: The number of bytes wanted of a field that is stored compressed.
    package init(_ files: JournalFiles, matching assignments: [[UInt8]], longest: Int) throws(SystemError) {
        var opened: OpaquePointer?
        switch files {
        case .system: try checked("sd_journal_open") { sd_journal_open(&opened, Self.flags(SD_JOURNAL_SYSTEM)) }
        case .user: try checked("sd_journal_open") { sd_journal_open(&opened, Self.flags(SD_JOURNAL_CURRENT_USER)) }
        case .folder(let path):
            try checked("sd_journal_open_directory", detail: path) { sd_journal_open_directory(&opened, path, 0) }
        }
        guard let opened else { throw SystemError(code: ENOMEM, operation: "sd_journal_open") }
        journal = opened
        do throws(SystemError) {
            try checked("sd_journal_set_data_threshold") { sd_journal_set_data_threshold(opened, longest) }
            for assignment in assignments {
                try checked("sd_journal_add_match") {
                    assignment.withUnsafeBytes { sd_journal_add_match(opened, $0.baseAddress, $0.count) }
                }
                try checked("sd_journal_add_disjunction") { sd_journal_add_disjunction(opened) }
            }
            descriptor = try checked("sd_journal_get_fd") { sd_journal_get_fd(opened) }
        } catch {
            sd_journal_close(opened)
            throw error
        }
    }

    isolated deinit { sd_journal_close(journal) }

    private static func flags(_ kind: some BinaryInteger) -> Int32 { Int32(SD_JOURNAL_LOCAL_ONLY) | Int32(kind) }

    /// The events to watch the descriptor for.
    package var interest: Interest {
        let events = sd_journal_get_events(journal)
        return events < 0 ? .read : Interest(rawValue: UInt32(events))
    }

    /// The time of the monotonic clock at which to call `process` even without input; nil for never.
    package var wakesAtMicroseconds: UInt64? {
        var time = UInt64.max
        guard sd_journal_get_timeout(journal, &time) >= 0, time != .max else { return nil }
        return time
    }

    /// Processes changes of the files.
    package func process() throws(SystemError) -> Change {
        switch try checked("sd_journal_process", { sd_journal_process(journal) }) {
        case Int32(SD_JOURNAL_NOP): .nothing
        case Int32(SD_JOURNAL_APPEND): .entries
        default: .files
        }
    }

    // MARK: Position

    /// Moves to the first entry of that time or later.
    package func seek(toMicroseconds time: UInt64) throws(SystemError) {
        isBeforeCurrent = false
        try checked("sd_journal_seek_realtime_usec") { sd_journal_seek_realtime_usec(journal, time) }
    }

    /// Moves behind the entry of a cursor.
    ///
    /// - Returns: Whether that entry still exists. Otherwise the next existing entry follows.
    package func seek(behind cursor: String) throws(SystemError) -> Bool {
        isBeforeCurrent = false
        try checked("sd_journal_seek_cursor") { sd_journal_seek_cursor(journal, cursor) }
        guard try checked("sd_journal_next", { sd_journal_next(journal) }) > 0 else { return false }
        let isThere = try checked("sd_journal_test_cursor") { sd_journal_test_cursor(journal, cursor) } > 0
        isBeforeCurrent = !isThere
        return isThere
    }

    /// Moves to the next entry; false if there is none yet.
    package func next() throws(SystemError) -> Bool {
        if isBeforeCurrent {
            isBeforeCurrent = false
            return true
        }
        return try checked("sd_journal_next") { sd_journal_next(journal) } > 0
    }

    /// The time of the oldest entry, in microseconds since 1970; nil if there is none.
    package var oldestMicroseconds: UInt64? {
        var (first, last): (UInt64, UInt64) = (0, 0)
        return sd_journal_get_cutoff_realtime_usec(journal, &first, &last) > 0 ? first : nil
    }

    // MARK: The current entry

    /// The position of the current entry.
    package func cursor() throws(SystemError) -> String {
        var text: UnsafeMutablePointer<CChar>?
        try checked("sd_journal_get_cursor") { sd_journal_get_cursor(journal, &text) }
        guard let text else { throw SystemError(code: ENOMEM, operation: "sd_journal_get_cursor") }
        defer { free(text) }
        return String(cString: text)
    }

    /// The time of the current entry, in microseconds since 1970.
    package func microseconds() throws(SystemError) -> UInt64 {
        var time: UInt64 = 0
        try checked("sd_journal_get_realtime_usec") { sd_journal_get_realtime_usec(journal, &time) }
        return time
    }

    /// Calls `body` with each assignment of the entry, `FIELD=value`, where the value may have any bytes. A field may occur more
    /// than once. A field that cannot be decompressed here is left out.
    package func forEachAssignment(_ body: (UnsafeRawBufferPointer) -> Void) throws(SystemError) {
        sd_journal_restart_data(journal)
        var (data, length): (UnsafeRawPointer?, Int) = (nil, 0)
        while try checked(
            "sd_journal_enumerate_data",
            {
                sd_journal_enumerate_available_data(journal, &data, &length)
            }) > 0
        {
            body(UnsafeRawBufferPointer(start: data, count: length))
        }
    }
}
