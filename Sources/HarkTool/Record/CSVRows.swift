/// Assembles rows of CSV from lines (RFC 4180), with any of several separators.
struct CSVRows {
    enum Taken: Equatable {
        /// A quoted field continues on the next line.
        case unfinished
        case row([String])
        case wrong(String)
    }

    private(set) var separator: UInt8?
    /// The lines so far of an unfinished row.
    private var begun: [UInt8] = []
    private(set) var isUnfinished = false
    /// Whether a field may begin here.
    private var isAtStart = true
    private static let limit = RecordLine.limit

    private static let quote = UInt8(ascii: "\"")
    private static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]

    /// Takes a line without its line end.
    mutating func take(_ line: ArraySlice<UInt8>) -> Taken {
        var line = line
        if line.last == 0x0D { line.removeLast() }
        if isUnfinished { begun.append(0x0A) }
        begun += line
        guard begun.count <= Self.limit else {
            let taken = Taken.wrong("the row is too long: is a quote missing?")
            begin()
            return taken
        }
        scan(line)
        if isUnfinished { return .unfinished }
        defer { begin() }
        guard let text = String(validating: begun, as: UTF8.self) else { return .wrong("the row is not UTF-8 text") }
        if separator == nil { separator = Self.separator(of: begun) }
        return Self.fields(Array(text.utf8), separator ?? Self.separators[0])
    }

    private mutating func begin() {
        begun.removeAll(keepingCapacity: true)
        isUnfinished = false
        isAtStart = true
    }

    /// Tracks whether a quoted field is open.
    private mutating func scan(_ line: ArraySlice<UInt8>) {
        for byte in line {
            if byte == Self.quote {
                if isUnfinished { isUnfinished = false } else if isAtStart { isUnfinished = true }
                // A quote right after a closing quote opens the field again: two quotes stand for one.
                isAtStart = !isUnfinished
            } else if !isUnfinished {
                isAtStart = separator.map { byte == $0 } ?? Self.separators.contains(byte)
            }
        }
    }

    /// Returns whichever of comma, semicolon and tab occurs most often in the header outside of quotes.
    private static func separator(of headline: [UInt8]) -> UInt8 {
        var counts = separators.map { _ in 0 }
        var isQuoted = false
        for byte in headline {
            if byte == quote { isQuoted.toggle() }
            if !isQuoted, let place = separators.firstIndex(of: byte) { counts[place] += 1 }
        }
        return zip(separators, counts).max { $0.1 < $1.1 }?.0 ?? separators[0]
    }

    private static func fields(_ text: [UInt8], _ separator: UInt8) -> Taken {
        var fields: [String] = []
        var field: [UInt8] = []
        var place = 0
        while true {
            field.removeAll(keepingCapacity: true)
            if place < text.count, text[place] == quote {
                place += 1
                while place < text.count {
                    if text[place] == quote {
                        place += 1
                        guard place < text.count, text[place] == quote else { break }
                    }
                    field.append(text[place])
                    place += 1
                }
                if place < text.count, text[place] != separator {
                    return .wrong("something stands behind the quote that ends field \(fields.count + 1)")
                }
            } else {
                while place < text.count, text[place] != separator {
                    field.append(text[place])
                    place += 1
                }
            }
            fields.append(String(decoding: field, as: UTF8.self))
            guard place < text.count else { return .row(fields) }
            place += 1
        }
    }
}
