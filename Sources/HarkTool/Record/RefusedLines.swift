import HarkAsking
import HarkClient
import HarkWire

/// Reports lines that were refused or warned about: the first few one by one, the others by kind.
struct RefusedLines {
    static let shown = 10
    private static let mostKinds = 50

    private let console: Console
    private var said = 0
    /// The kinds of problems that were not reported one by one, with their numbers.
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

    /// Prints the number of further lines by kind, each with an example. Prints nothing if all were reported.
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

    /// Removes the parts of a message that vary from line to line: numbers, quoted text, and the path in the request.
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
