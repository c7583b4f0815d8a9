import HarkClient

/// Prints events, for people or as their lines, and remembers how far it is.
final class EventPrinter {
    let console: Console
    private let json: Bool
    private var text: EventText
    private(set) var count = 0
    /// The sequence number of the last event printed.
    private(set) var lastSeq: Int64?

    init(_ console: Console, json: Bool, showsUser: Bool) {
        self.console = console
        self.json = json
        text = EventText(console.style, showsUser: showsUser)
    }

    /// - Parameter line: the event's archive line.
    func print(_ line: ArraySlice<UInt8>) throws {
        let event = JSONText(line)
        count += 1
        lastSeq = event.member("seq")?.int ?? lastSeq
        if json {
            try console.write(line)
            try console.write(CollectionOfOne(.newline))
        } else {
            try console.print(text.line(event))
        }
    }
}
