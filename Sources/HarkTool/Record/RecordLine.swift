import Glibc
import HarkClient
import HarkWire

/// Turns a line of `hark record --stdin` into the params of a request.
struct RecordLine: LineForm {
    enum Made: Equatable {
        case event
        /// The line is blank.
        case empty
        case wrong(String)
    }

    /// The longest line in bytes; a longer one is not read to its end.
    static let limit = 64 << 20

    private enum Form {
        case object
        case properties
        case name
    }

    private let form: Form
    /// The members from the command line for every event, without braces: `"app":"kiosk"`.
    private let common: [UInt8]
    private let commonKeys: [String]
    /// Builds the event from flattened values; nil if nothing is to be flattened.
    private let flat: FieldEvent?
    private let nameOpening = RecordLine.opening("name")
    private let propertiesOpening = RecordLine.opening("properties")
    private static let producer = "producer"
    private static let producerBytes = Array(producer.utf8)

    /// Begins an object, up to the value of its first member.
    private static func opening(_ parameter: StaticString) -> JSONWriter {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(parameter)
        return writer
    }

    init(_ arguments: Arguments) {
        var writer = JSONWriter()
        writer.beginObject()
        RecordOptions.append(arguments, to: &writer)
        commonKeys =
            (arguments.has(.app) ? ["app"] : [])
            + (arguments.has(RecordOptions.user) ? ["userId"] : [])
            + (arguments.has(.unattended) ? ["unattended"] : [])
        flat = arguments.has(RecordOptions.flatten) ? RecordOptions.fields(arguments) : nil
        if let name = arguments[RecordOptions.name] {
            form = .properties
            writer.member("name", name)
        } else if arguments.has(RecordOptions.nameFrom) {
            form = .properties
        } else {
            form = arguments.has(RecordOptions.bare) ? .name : .object
        }
        common = Array(writer.bytes.dropFirst())
    }

    /// Adds the producer and the number of a line, so that it is recorded once even if it is sent again. A line that
    /// names its own producer is left as it is.
    static func number(_ params: inout [UInt8], producer: OwnProducer, _ number: Int) {
        guard let isEmpty = Self.isUnnumbered(params[...]) else { return }
        while let last = params.popLast(), last != .closeBrace {}
        if !isEmpty { params.append(.comma) }
        producer.append(Int64(number), to: &params)
        params.append(.closeBrace)
    }

    private static func mentions(_ word: [UInt8], _ text: ArraySlice<UInt8>) -> Bool {
        text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            let length = word.count
            while rest.count >= length, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                let found = memchr(start, CInt(word[0]), rest.count)
            {
                rest = rest.dropFirst(UnsafeRawPointer(found) - start)
                if rest.count >= length, memcmp(found, word, length) == 0 { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }

    /// Whether the object has no members; nil if it names a producer.
    private static func isUnnumbered(_ params: ArraySlice<UInt8>) -> Bool? {
        let text = JSONText(params)
        // A search for the word is cheaper than scanning the members, and most lines lack it.
        if mentions(producerBytes, params), text.member(named: producer) != nil { return nil }
        return text.bytes.dropFirst().first { !$0.isJSONSpace } == .closeBrace
    }

    /// Appends the params of a line, if it has any.
    func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) -> Made {
        let text = JSONText(line)
        if text.bytes.isEmpty { return .empty }
        if form == .name {
            guard String(validating: text.bytes, as: UTF8.self) != nil else {
                return .wrong("the name is not UTF-8 text")
            }
            var writer = nameOpening
            writer.string(text.text)
            params += writer.bytes + (common.isEmpty ? [] : [.comma]) + common
            params.append(.closeBrace)
            return .event
        }
        guard text.isOneObject else { return .wrong(problem(text)) }
        if let flat {
            if form == .properties { return flat.append(FlatFields(text).fields, to: &params) }
            let bytes = Self.flattened(text)
            return common.isEmpty ? Self.take(bytes, &params) : merge(JSONText(ArraySlice(bytes)), into: &params)
        }
        if form == .properties {
            params += propertiesOpening.bytes
            params += text.bytes
            params.append(.comma)
            params += common
            params.append(.closeBrace)
        } else if common.isEmpty {
            params += text.bytes
        } else {
            return merge(text, into: &params)
        }
        return .event
    }

    private static func take(_ bytes: [UInt8], _ params: inout [UInt8]) -> Made {
        params += bytes
        return .event
    }

    /// Returns the object with its properties flattened.
    private static func flattened(_ text: JSONText) -> [UInt8] {
        var bytes: [UInt8] = [.openBrace]
        text.forEachMember { key, value in
            if bytes.count > 1 { bytes.append(.comma) }
            bytes += [.quote] + key + [.quote, .colon]
            guard value.isObject, key.isEqual("properties") else {
                bytes += value.bytes
                return true
            }
            bytes.append(.openBrace)
            for (place, field) in FlatFields(value).fields.enumerated() {
                if place > 0 { bytes.append(.comma) }
                bytes += [.quote] + field.key + [.quote, .colon] + field.value
            }
            bytes.append(.closeBrace)
            return true
        }
        return bytes + [.closeBrace]
    }

    /// Merges the line with the members from the command line. A member may come from only one of them.
    private func merge(_ text: JSONText, into params: inout [UInt8]) -> Made {
        var isEmpty = true
        var clash: String?
        text.forEachMember { key, _ in
            isEmpty = false
            let key = String(decoding: key, as: UTF8.self)
            if commonKeys.contains(key) { clash = key }
            return clash == nil
        }
        if let clash { return .wrong("it has '\(clash)' itself, and the command line gives one for every line") }
        params += text.bytes.dropLast()
        if !isEmpty { params.append(.comma) }
        params += common
        params.append(.closeBrace)
        return .event
    }

    private func problem(_ text: JSONText) -> String {
        if text.isObject { return "the object does not end with the line, or more follows it" }
        return form == .properties
            ? "not a JSON object of properties" : "not a JSON object; for bare names give --bare"
    }
}
