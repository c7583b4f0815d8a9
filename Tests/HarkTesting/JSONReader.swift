package import HarkWire

/// Reads JSON text into values: the tests' own judge of what the programs write, which shares nothing with their readers.
///
/// Members keep their order, and a number is an integer only where it is written as one.
package struct JSONReader {
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func read(_ text: some StringProtocol) throws -> JSONValue { try read(Array(text.utf8)) }

    package static func read(_ bytes: some Sequence<UInt8>) throws -> JSONValue {
        var reader = JSONReader(Array(bytes))
        let value = try reader.value()
        reader.skipSpace()
        guard reader.place == reader.bytes.count else { throw reader.fault("something follows") }
        return value
    }

    private func fault(_ what: String) -> Fault {
        Fault(description: "not JSON at \(place): \(what) in \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    /// Passes a byte if it comes next.
    private mutating func pass(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    private mutating func value() throws -> JSONValue {
        if pass("{") { return try object() }
        if pass("[") { return try array() }
        if pass("\"") { return .string(try string()) }
        let start = place
        while let byte = next, !#",]}"#.utf8.contains(byte), byte > 0x20 { place += 1 }
        let word = String(decoding: bytes[start..<place], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard isNumber(bytes[start..<place]) else { throw fault("'\(word)'") }
            if let number = Int64(word) { return .int(number) }
            guard let number = Double(word), number.isFinite else { throw fault("'\(word)'") }
            return .double(number)
        }
    }

    /// Whether a number is written as JSON has it, which Swift reads in more forms.
    private func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word
        func digits() -> Bool {
            let all = rest.count
            rest = rest.drop { (0x30...0x39).contains($0) }
            return rest.count < all
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let whole = rest.count
        guard digits(), !beginsWithZero || whole - rest.count == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() else { return false }
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
            guard digits() else { return false }
        }
        return rest.isEmpty
    }

    private mutating func object() throws -> JSONValue {
        var members: [(String, JSONValue)] = []
        if pass("}") { return .object(JSONObject(members)) }
        repeat {
            guard pass("\"") else { throw fault("no name") }
            let name = try string()
            guard pass(":") else { throw fault("no colon") }
            members.append((name, try value()))
        } while pass(",")
        guard pass("}") else { throw fault("an object without an end") }
        return .object(JSONObject(members))
    }

    private mutating func array() throws -> JSONValue {
        var elements: [JSONValue] = []
        if pass("]") { return .array(elements) }
        repeat { elements.append(try value()) } while pass(",")
        guard pass("]") else { throw fault("an array without an end") }
        return .array(elements)
    }

    private mutating func string() throws -> String {
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw fault("no UTF-8") }
                return string
            case UInt8(ascii: "\\"): text += try escaped()
            case 0..<0x20: throw fault("a control character")
            default: text.append(byte)
            }
        }
        throw fault("a string without an end")
    }

    private mutating func escaped() throws -> [UInt8] {
        guard let byte = next else { throw fault("half an escape") }
        place += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]) {
                guard bytes[place...].starts(with: #"\u"#.utf8) else { throw fault("half a surrogate pair") }
                place += 2
                units.append(try codeUnit())
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw fault("half a surrogate pair") }
            return Array(text.utf8)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        default: throw fault("an unknown escape")
        }
    }

    private mutating func codeUnit() throws -> UInt16 {
        guard place + 4 <= bytes.count,
            case let word = String(decoding: bytes[place..<place + 4], as: UTF8.self), word.allSatisfy(\.isHexDigit),
            let unit = UInt16(word, radix: 16)
        else { throw fault("half a code unit") }
        place += 4
        return unit
    }
}
