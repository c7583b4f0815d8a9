import HarkClient
import HarkWire

/// Properties on a command line: `key=text`, or `key:=json` for a number, true, false or a string.
struct PropertyArguments {
    // No set: instantiating that type at run time takes longer than comparing the usual few keys.
    private var keys: [String] = []
    private static let few = 32
    /// The values given as text that look like a number, true or false.
    private(set) var textsLikeNumbers: [String] = []
    /// The object with the members so far, not closed yet.
    private var writer = JSONWriter()

    /// - Throws: A usage error that names the invalid argument.
    init(_ arguments: some Collection<String>) throws(ToolError) {
        writer.beginObject()
        for argument in arguments { try add(argument) }
        if keys.count > Self.few {
            let sorted = keys.sorted()
            for index in 1..<sorted.count where sorted[index] == sorted[index - 1] { throw Self.twice(sorted[index]) }
        }
    }

    /// The complete JSON object.
    var json: [UInt8] {
        var whole = writer
        whole.endObject()
        return whole.bytes
    }

    func has(_ key: String) -> Bool { keys.contains(key) }

    // MARK: The tool's own properties

    mutating func add(_ key: String, _ value: String) {
        writer.key(key)
        writer.string(value)
    }

    mutating func add(_ key: String, _ value: Int64) {
        writer.key(key)
        writer.int(value)
    }

    mutating func add(_ key: String, _ value: Double) {
        writer.key(key)
        writer.double(value)
    }

    mutating func add(_ key: String, _ value: Bool) {
        writer.key(key)
        writer.bool(value)
    }

    // MARK: Properties of the command line

    private mutating func add(_ argument: String) throws(ToolError) {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw .usage(
                "'\(argument)' is no property",
                hint: "Write \(argument)=text, or \(argument):=5 for a number, true or false.")
        }
        let isJSON = argument[..<equals].utf8.last == .colon
        let key = String(isJSON ? argument[..<equals].dropLast() : argument[..<equals])
        let value = argument[argument.utf8.index(after: equals)...]
        guard !key.isEmpty else { throw .usage("'\(argument)' has no name before its '='") }
        // Larger numbers of keys are checked together at the end.
        if keys.count < Self.few, has(key) { throw Self.twice(key) }
        keys.append(key)
        // A null property is the same as none, as elsewhere.
        if isJSON, value == "null" { return }
        writer.key(key)
        if isJSON {
            guard ScalarText.isValid(value.utf8) else { throw Self.noScalar(key, value) }
            writer.raw(Array(value.utf8))
        } else {
            if value.utf8.first != .quote, ScalarText.isValid(value.utf8) { textsLikeNumbers.append(key) }
            writer.string(String(value))
        }
    }

    private static func twice(_ key: String) -> ToolError { .usage("property '\(key)' is given twice") }

    private static func noScalar(_ key: String, _ value: Substring) -> ToolError {
        if value.hasPrefix("{") || value.hasPrefix("[") {
            return .usage(
                "property '\(key)' must be text, a number, true or false",
                hint: "Give each part a property of its own, or keep the JSON as text: '\(key)=\(value)'.")
        }
        return .usage(
            "the value of '\(key)' after ':=' is no JSON number, string, true or false",
            hint: "For text write '\(key)=\(value)'.")
    }
}
