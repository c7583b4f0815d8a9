import HarkClient
import HarkWire

/// Prints events or log entries, as text for people or as JSON lines.
final class EventPrinter {
    let console: Console
    private let json: Bool
    private let kind: RecordListKind
    private var text: EventText
    private var logText: LogText
    private var line: [UInt8] = []
    private(set) var count = 0

    init(_ console: Console, _ kind: RecordListKind = .events, json: Bool, showsUser: Bool) {
        self.console = console
        self.kind = kind
        self.json = json
        text = EventText(console.style, showsUser: showsUser)
        logText = LogText(console.style)
    }

    /// - Parameter event: The event's archive line, or the log entry as JSON.
    func print(_ event: JSONText) throws {
        count += 1
        if json { return try console.print(json: event) }
        if let columns = console.columns { return try print(event, columns) }
        line.removeAll(keepingCapacity: true)
        if kind == .events { text.append(event, to: &line) } else { text.append(entry: event, to: &line) }
        line.append(.newline)
        try console.print(lines: line)
    }

    /// Prints for a terminal, where further rows of a long record are indented.
    private func print(_ record: JSONText, _ columns: Int) throws {
        if kind == .logs { return try console.print(logText.rows(record, columns).joined(separator: "\n")) }
        line.removeAll(keepingCapacity: true)
        text.append(record, to: &line)
        let rows = WordWrap.hanging(
            "", String(decoding: line, as: UTF8.self), indent: LogText.timeWidth, columns: columns)
        try console.print(rows.joined(separator: "\n"))
    }
}
