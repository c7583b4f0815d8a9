import Glibc
import HarkCore
import HarkSystem
import HarkWire

/// An entry of the journal: a few fields, as bytes.
struct JournalEntry {
    private var found: [(field: [UInt8], value: [UInt8])] = []
    /// When it was written, in microseconds since 1970.
    let microseconds: UInt64

    /// More bytes of a value are left out: a field may hold a whole core dump.
    static let longest = 16_384
    /// A field may come any number of times.
    private static let mostValues = 64

    @DaemonActor
    init(_ reader: JournalReader, _ fields: [[UInt8]]) throws(SystemError) {
        microseconds = try reader.microseconds()
        var found: [(field: [UInt8], value: [UInt8])] = []
        try reader.forEachAssignment { bytes in
            guard found.count < JournalEntry.mostValues else { return }
            let field = fields.first { field in
                bytes.count > field.count && bytes[field.count] == UInt8(ascii: "=")
                    && field.elementsEqual(bytes.prefix(field.count))
            }
            guard let field else { return }
            found.append((field, Array(bytes.dropFirst(field.count + 1).prefix(JournalEntry.longest))))
        }
        self.found = found
    }

    init(_ assignments: [(String, [UInt8])], microseconds: UInt64) {
        found = assignments.map { (Array($0.utf8), $1) }
        self.microseconds = microseconds
    }

    var time: Timestamp { Timestamp(milliseconds: Int64(clamping: microseconds / 1_000)) }

    func values(of field: [UInt8]) -> some Sequence<[UInt8]> {
        found.lazy.filter { $0.field == field }.map(\.value)
    }

    /// The first value of a field as text. Invalid bytes are replaced by U+FFFD, and a long text is cut.
    func text(_ field: String, atMost limit: Int = JournalProperty.longestText) -> String? {
        let field = Array(field.utf8)
        guard let bytes = found.first(where: { $0.field == field })?.value else { return nil }
        var end = min(limit, bytes.count)
        // Not within a character.
        while end > 0, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        let text = String(decoding: bytes[..<end], as: UTF8.self).replacing("\0", with: "\u{FFFD}")
        return end < bytes.count ? text + "…" : text
    }

    /// Whether the daemon or one of its programs wrote it. Recording it could write to the journal again, without end.
    var isOwn: Bool {
        if text("_PID").flatMap(pid_t.init) == getpid() { return true }
        if text("_SYSTEMD_UNIT") == "harkd.service" || text("_SYSTEMD_USER_UNIT") == "harkd.service" { return true }
        // Another account's that was started by hand. Anybody can call themselves so, and then is only not recorded.
        return text("SYSLOG_IDENTIFIER") == "harkd" && text("_COMM") == "harkd"
    }

    /// The fields by which that is known.
    static let fieldsOfOrigin = ["_PID", "_SYSTEMD_UNIT", "_SYSTEMD_USER_UNIT", "SYSLOG_IDENTIFIER", "_COMM"]

    var level: LogEntry.Level {
        switch text("PRIORITY").flatMap({ Int($0) }) {
        case 0?, 1?, 2?, 3?: .error
        case 4?: .warning
        default: .info
        }
    }
}

extension JournalProperty {
    /// In bytes.
    static let longestText = 4_096

    /// The value in an entry; nil where it has none, or one of another kind.
    func value(in entry: JournalEntry) -> PropertyValue? {
        guard let text = fields.lazy.compactMap({ entry.text($0) }).first else { return nil }
        switch kind {
        case .text: return .string(text)
        case .integer: return Int64(text).map { .integer($0) }
        case .number: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .bool:
            switch text.lowercased() {
            case "1", "yes", "true", "on": return .bool(true)
            case "0", "no", "false", "off": return .bool(false)
            default: return nil
            }
        }
    }
}

/// How far a source has read.
struct JournalPlace: Equatable {
    /// Of the last entry that was recorded; nil: none was yet.
    var cursor: String?
    /// Up to when everything was looked at, in microseconds since 1970.
    var seen: UInt64
    /// Nothing was read yet, so what is gone by then is no gap.
    var isNew = false

    init(cursor: String? = nil, seen: UInt64, isNew: Bool = false) {
        self.cursor = cursor
        self.seen = seen
        self.isNew = isNew
    }

    /// Entries get their time a moment before they are to be seen.
    private static let marginMicroseconds: UInt64 = 200_000

    /// Everything there is was looked at.
    mutating func hasAll() {
        let now = SystemClock.realtimeMicroseconds
        seen = max(seen, now - min(now, Self.marginMicroseconds))
        isNew = false
    }

    /// Reads what `text` has written; nil for anything else.
    init?(_ text: String) {
        guard let value = try? JSONDocument(Array(text.utf8), .json).value,
            let seen = value["seen"]?.intValue.flatMap(UInt64.init(exactly:))
        else { return nil }
        self.init(cursor: value["cursor"]?.stringValue, seen: seen, isNew: value["new"]?.boolValue ?? false)
    }

    var text: String {
        var members = JSONObject()
        members["cursor"] = cursor.map(JSONValue.string)
        members["seen"] = .int(Int64(clamping: seen))
        members["new"] = isNew ? true : nil
        return JSONValue.object(members).description
    }
}
