import HarkAsking
import HarkClient
import HarkWire

/// What is said of lines that were refused or warned of: the first few one by one, the others by what was wrong with them.
struct RefusedLines {
    static let shown = 10
    private static let mostKinds = 50

    private let console: Console
    private var said = 0
    /// What was wrong with those that were not told, and how often.
    private var others: [(kind: String, example: String, count: Int)] = []
    private var rest = 0

    init(_ console: Console) {
        self.console = console
    }

    mutating func note(_ place: String, _ why: String) {
        guard said >= Self.shown else {
            said += 1
            return console.say(VisibleText.make("\(place): \(why)"))
        }
        let kind = Self.kind(of: why)
        if let index = others.firstIndex(where: { $0.kind == kind }) {
            others[index].count += 1
        } else if others.count < Self.mostKinds {
            others.append((kind, "\(place): \(VisibleText.make(why))", 1))
        } else {
            rest += 1
        }
    }

    /// Says how many more there were, each kind with its first; nothing where all were told.
    mutating func finish() {
        guard !others.isEmpty else { return }
        let count = others.reduce(rest) { $0 + $1.count }
        console.say("hark: and \(Plural.grouped(count)) more:")
        for other in others.sorted(by: { $0.count > $1.count }) {
            console.say("  \(Plural.grouped(other.count)) times, first \(other.example)")
        }
        if rest > 0 { console.say("  \(Plural.grouped(rest)) times for other reasons") }
        others = []
        rest = 0
    }

    /// The words without what differs from line to line: numbers, what stands in quotes, and the place in the request.
    static func kind(of why: String) -> String {
        var kind: [UInt8] = []
        var isQuoted = false
        for byte in why[..<(why.firstRange(of: " ($")?.lowerBound ?? why.endIndex)].utf8 {
            let isQuote = byte == UInt8(ascii: "'")
            if isQuote { isQuoted.toggle() }
            if isQuote || !isQuoted && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { kind.append(byte) }
        }
        return String(decoding: kind, as: UTF8.self)
    }
}
