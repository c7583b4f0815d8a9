import HarkClient

/// Prints events or log entries, for people or as their lines, and remembers how far it is.
final class EventPrinter {
    let console: Console
    private let json: Bool
    private let kind: EventQuery.Kind
    private var text: EventText
    private(set) var count = 0
    /// The sequence number of the last that was printed.
    private(set) var lastSeq: Int64?

    init(_ console: Console, _ kind: EventQuery.Kind = .events, json: Bool, showsUser: Bool) {
        self.console = console
        self.kind = kind
        self.json = json
        text = EventText(console.style, showsUser: showsUser)
    }

    /// - Parameter line: the event's archive line, or the entry as JSON.
    func print(_ line: ArraySlice<UInt8>) throws {
        let event = JSONText(line)
        count += 1
        lastSeq = event.member("seq")?.int ?? lastSeq
        if json {
            try console.print(json: event)
        } else {
            try console.print(kind == .events ? text.line(event) : text.line(entry: event))
        }
    }
}
