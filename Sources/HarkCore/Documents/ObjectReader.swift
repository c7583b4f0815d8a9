internal import HarkWire

/// Reads one object of a document member by member, and tells which members nobody asked for.
///
/// A fault is noted with its path and reads as nil, so that one pass finds them all. `null` stands for a member that is
/// not there.
struct ObjectReader {
    let path: String
    let issues: IssueCollector
    private let object: JSONObject
    private var asked: Set<ExactName> = []

    /// - Returns: nil, with an error noted, when the value is no object; nil also once there are errors enough.
    init?(_ value: JSONValue, path: String, issues: IssueCollector) {
        guard !issues.isFull else { return nil }
        guard let object = value.objectValue else {
            issues.error(path, "must be an object")
            return nil
        }
        self.object = object
        self.path = path
        self.issues = issues
    }

    /// The path of a member.
    func path(_ key: String) -> String {
        let isPlain = !key.isEmpty && key.utf8.allSatisfy { ObjectReader.isPlain($0) }
        return isPlain ? "\(path).\(key)" : "\(path)['\(key)']"
    }

    mutating func has(_ key: String) -> Bool {
        asked.insert(ExactName(key))
        return object[key].map { !$0.isNull } ?? false
    }

    /// Every member, whatever its name; a null is handed out, too.
    mutating func members() -> [(key: String, value: JSONValue, path: String)] {
        asked.formUnion(object.keys.map(ExactName.init))
        return object.map { ($0.key, $0.value, path($0.key)) }
    }

    mutating func value(_ key: String, isRequired: Bool = false) -> JSONValue? {
        asked.insert(ExactName(key))
        if let value = object[key], !value.isNull { return value }
        if isRequired { issues.error(path, "the member '\(key)' is missing") }
        return nil
    }

    mutating func text(_ key: String, isRequired: Bool = false) -> String? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        guard let text = value.stringValue else { return refuse(key, "must be a string") }
        return text
    }

    /// A string that says something.
    mutating func name(_ key: String, isRequired: Bool = false) -> String? {
        guard let text = text(key, isRequired: isRequired) else { return nil }
        guard !text.trimmed.isEmpty else { return refuse(key, "must not be empty") }
        return text
    }

    mutating func flag(_ key: String) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.boolValue else { return refuse(key, "must be true or false") }
        return flag
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = value.exactInteger, let number = Int(exactly: number), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            return refuse(key, "must be a whole number \(bounds)")
        }
        return number
    }

    mutating func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = value.doubleValue, range.contains(number) else {
            return refuse(key, "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A length of time in seconds, as milliseconds; at most some 300 years.
    mutating func seconds(_ key: String) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let seconds = value.doubleValue, (0...10_000_000_000).contains(seconds) else {
            return refuse(key, "must be a number of seconds from 0 to 10000000000")
        }
        return Int64((seconds * 1000).rounded())
    }

    /// Strings of which none is empty and none is there twice; at least one.
    mutating func choices(_ key: String, isRequired: Bool = false) -> [String]? {
        guard let elements = elements(key, isRequired: isRequired) else { return nil }
        guard !elements.isEmpty else { return refuse(key, "must hold at least one string") }
        var choices: [String] = []
        var known: Set<ExactName> = []
        for (element, path) in elements {
            guard let text = element.stringValue, !text.trimmed.isEmpty else {
                issues.error(path, "must be a string that is not empty")
                continue
            }
            if !known.insert(ExactName(text)).inserted { issues.error(path, "'\(text)' is there twice") }
            choices.append(text)
        }
        return choices
    }

    mutating func elements(_ key: String, isRequired: Bool = false) -> [(value: JSONValue, path: String)]? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        guard let elements = value.arrayValue else { return refuse(key, "must be an array") }
        return elements.enumerated().map { ($1, "\(path(key))[\($0)]") }
    }

    mutating func object(_ key: String, isRequired: Bool = false) -> ObjectReader? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        return ObjectReader(value, path: path(key), issues: issues)
    }

    /// Warns of every member that was not asked for.
    func finish() {
        let missing = asked.subtracting(object.keys.map(ExactName.init)).sorted().map(\.text)
        for key in object.keys where !asked.contains(ExactName(key)) {
            let advice = Suggestion.question(for: key, among: missing)
            issues.warning(path(key), "unknown member '\(key)'; it has no effect\(advice)")
        }
    }

    private func refuse<Value>(_ key: String, _ message: String) -> Value? {
        issues.error(path(key), message)
        return nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}
