/// Parses a JSON text into values and their positions.
struct JSONDocumentReader {
    private let dialect: JSONDocument.Dialect
    var tokens: JSONTokens
    private(set) var places: [JSONDocument.Place] = []
    private(set) var duplicates: [(path: String, number: Int)] = []
    /// The open brackets.
    private var open: [Int] = []
    /// The path from the root to the value being parsed.
    private var steps: [Step] = []

    private enum Step {
        case index(Int)
        case member(String)
    }

    /// The maximum number of duplicates to report.
    private static let mostDuplicates = 100

    init(_ text: [UInt8], _ dialect: JSONDocument.Dialect) {
        self.dialect = dialect
        tokens = JSONTokens(text, isJSON5: dialect == .json5)
    }

    mutating func document() throws(JSONFault) -> JSONValue {
        try tokens.checkEncoding()
        let value = try value()
        try tokens.skipSpace()
        guard let byte = tokens.peek else { return value }
        let isBracket = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
        throw tokens.fault(isBracket ? Self.closesNothing : "something follows the end")
    }

    private static let closesNothing = "this bracket closes nothing that is open"

    /// - Parameter start: The start of the member, if the value belongs to one.
    private mutating func value(from start: Int? = nil) throws(JSONFault) -> JSONValue {
        let byte = try next()
        let number = places.count
        places.append(JSONDocument.Place(offset: start ?? tokens.offset))
        let value: JSONValue
        switch byte {
        case UInt8(ascii: "{"): value = .object(try object())
        case UInt8(ascii: "["): value = .array(try array())
        case UInt8(ascii: "\""): value = .string(try tokens.text())
        case UInt8(ascii: "'") where dialect == .json5: value = .string(try tokens.text())
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            throw tokens.fault(closes(byte) && !isArray ? "a value is missing" : Self.closesNothing)
        case UInt8(ascii: ","): throw tokens.fault("there is a comma too many")
        case UInt8(ascii: ":"): throw tokens.fault("there is a colon too many")
        default: value = try tokens.scalar()
        }
        places[number].next = places.count
        places[number].end = tokens.offset
        return value
    }

    private mutating func array() throws(JSONFault) -> [JSONValue] {
        try enter()
        var elements: [JSONValue] = []
        while try next() != UInt8(ascii: "]") {
            steps.append(.index(elements.count))
            elements.append(try value())
            steps.removeLast()
            guard try passComma() else { break }
        }
        leave()
        return elements
    }

    private mutating func object() throws(JSONFault) -> JSONObject {
        try enter()
        var members = Members()
        while try next() != UInt8(ascii: "}") {
            let start = tokens.offset
            let key = try name()
            steps.append(.member(key))
            try passColon()
            let number = places.count
            let value = try value(from: start)
            if !members.append(key, value) {
                places[number].isRepetition = true
                if duplicates.count < Self.mostDuplicates { duplicates.append((path, number)) }
            }
            steps.removeLast()
            guard try passComma() else { break }
        }
        leave()
        return members.object
    }

    /// The members of an object so far.
    private struct Members {
        private var members: [(key: String, value: JSONValue)] = []
        /// The names, used once there are many.
        private var known: Set<[UInt8]> = []
        private static let few = 16

        /// Appends a member. Returns false without a change if the name exists already, byte by byte.
        mutating func append(_ key: String, _ value: JSONValue) -> Bool {
            guard isNew(key) else { return false }
            members.append((key, value))
            return true
        }

        private mutating func isNew(_ key: String) -> Bool {
            guard members.count >= Self.few else {
                return !members.contains { $0.key.utf8.elementsEqual(key.utf8) }
            }
            if known.isEmpty { known = Set(members.map { Array($0.key.utf8) }) }
            return known.insert(Array(key.utf8)).inserted
        }

        var object: JSONObject { JSONObject(members.map { ($0.key, $0.value) }) }
    }

    private mutating func enter() throws(JSONFault) {
        guard open.count < JSONDocument.maxNesting else {
            throw tokens.fault("this is nested more than \(JSONDocument.maxNesting) deep")
        }
        open.append(tokens.offset)
        tokens.skip(1)
    }

    private mutating func leave() {
        open.removeLast()
        tokens.skip(1)
    }

    private var isArray: Bool { open.last.map { tokens.bytes[$0] == UInt8(ascii: "[") } ?? false }

    /// Whether a closing bracket matches the innermost open one.
    private func closes(_ byte: UInt8) -> Bool {
        guard !open.isEmpty else { return false }
        return (byte == UInt8(ascii: "]")) == isArray
    }

    /// Returns the next byte after white space and comments, without consuming it.
    private mutating func next() throws(JSONFault) -> UInt8 {
        try tokens.skipSpace()
        if let byte = tokens.peek { return byte }
        guard let last = open.last else { throw tokens.fault("there is nothing") }
        let bracket = tokens.bytes[last] == UInt8(ascii: "{") ? "{" : "["
        let line = tokens.place(at: last).line
        throw tokens.fault("it ends here, and the \(bracket) of line \(line) is still open")
    }

    /// Consumes the comma after an element or member. Returns false before the closing bracket.
    private mutating func passComma() throws(JSONFault) -> Bool {
        let byte = try next()
        switch byte {
        case UInt8(ascii: ","):
            tokens.skip(1)
            let after = try next()
            guard after == UInt8(ascii: "}") || after == UInt8(ascii: "]"), closes(after) else { return true }
            guard dialect == .json5 else { throw tokens.fault("there is a comma too many before this") }
            return false
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard closes(byte) else { throw tokens.fault(Self.closesNothing) }
            return false
        case UInt8(ascii: ":"): throw tokens.fault("there is a colon too many")
        default: throw tokens.fault("a comma is missing before this")
        }
    }

    private mutating func passColon() throws(JSONFault) {
        let byte = try next()
        switch byte {
        case UInt8(ascii: ":"): tokens.skip(1)
        case UInt8(ascii: ","): throw tokens.fault("there is a comma too many")
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            throw tokens.fault(closes(byte) ? "a value is missing" : Self.closesNothing)
        default: throw tokens.fault("a colon is missing before this")
        }
    }

    private mutating func name() throws(JSONFault) -> String {
        switch try next() {
        case UInt8(ascii: "\""): return try tokens.text()
        case UInt8(ascii: "'") where dialect == .json5: return try tokens.text()
        case UInt8(ascii: "{"), UInt8(ascii: "["): throw tokens.fault("a name is missing")
        case UInt8(ascii: "]"): throw tokens.fault(Self.closesNothing)
        case UInt8(ascii: ","): throw tokens.fault("there is a comma too many")
        case UInt8(ascii: ":"): throw tokens.fault("there is a colon too many")
        default: return try tokens.bareName()
        }
    }

    private var path: String {
        steps.reduce(into: "$") { path, step in
            switch step {
            case .index(let index): path += "[\(index)]"
            case .member(let name): path += JSONPath.step(to: name)
            }
        }
    }
}
