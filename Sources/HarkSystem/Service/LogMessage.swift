import CSystemd
import Glibc
import HarkWire

/// A log message in its two formats.
struct LogMessage {
    let level: Log.Level
    private let message: String
    private let fields: Log.Fields
    private let id: StaticString?
    private let file: StaticString
    private let lineNumber: Int
    private let function: StaticString

    init(
        _ level: Log.Level, _ message: String, _ fields: Log.Fields, _ id: StaticString?,
        _ file: StaticString, _ line: Int, _ function: StaticString
    ) {
        self.level = level
        self.message = message
        self.fields = fields
        self.id = id
        self.file = file
        lineNumber = line
        self.function = function
    }

    /// The line for people: `harkd: warning: cannot reach the server (destination=core)`. Escaped, because names in
    /// settings, ids and texts of servers may contain control sequences for a terminal.
    var line: String {
        let text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        guard !fields.isEmpty else { return "harkd: \(level): \(VisibleText.make(text))\n" }
        let about = fields.map { name, value in "\(name)=\(value)" }.joined(separator: ", ")
        let line = "\(text) (\(about.split(whereSeparator: \.isNewline).joined(separator: " ")))"
        return "harkd: \(level): \(VisibleText.make(line))\n"
    }

    /// The assignments for the journal; values may have line breaks. The message is escaped here too, because
    /// journalctl does not show one that is not plain text.
    var assignments: [String] {
        var all = [
            "PRIORITY=\(level.rawValue)", "MESSAGE=\(VisibleText.lines(message))", "SYSLOG_IDENTIFIER=harkd",
        ]
        if let id { all.append("MESSAGE_ID=\(id)") }
        for (name, value) in fields { all.append("HARK_\(name.description.uppercased())=\(value)") }
        return all + ["CODE_FILE=\(file)", "CODE_LINE=\(lineNumber)", "CODE_FUNC=\(function)"]
    }

    /// Sends the entry to the journal; false if the journal did not accept it.
    func sendToJournal() -> Bool {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for assignment in assignments {
            bytes.append(contentsOf: assignment.utf8)
            ends.append(bytes.count)
        }
        return bytes.withUnsafeMutableBytes { bytes in
            var start = 0
            let parts = ends.map { end in
                defer { start = end }
                return iovec(iov_base: bytes.baseAddress?.advanced(by: start), iov_len: end - start)
            }
            return sd_journal_sendv(parts, Int32(parts.count)) >= 0
        }
    }
}
