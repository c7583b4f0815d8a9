package import HarkWire

/// Reads one object of a document or of the settings member by member, and reports members that were never read.
///
/// A faulty member adds an issue with its path and reads as nil, so that one pass finds every fault.
package struct ObjectReader {
    package enum Manner {
        /// `null` means that the member is absent.
        case document
        /// `null` is a value, and an error if it has no defined meaning.
        case settings
    }

    package let path: String
    package let issues: IssueCollector
    private let object: JSONObject
    private let manner: Manner
    private var asked: Set<ExactName> = []

    /// - Parameter expected: a description of the valid value, if more can be said than "an object".
    /// - Returns: nil, with an error noted, when the value is no object; nil also when there are enough errors already.
    package init?(
        _ value: JSONValue, path: String, issues: IssueCollector, expected: String = "an object",
        manner: Manner = .document
    ) {
        guard !issues.isFull else { return nil }
        guard let object = value.objectValue else {
            issues.error(path, "must be \(expected)")
            return nil
        }
        self.object = object
        self.path = path
        self.issues = issues
        self.manner = manner
    }

    /// The path of a member.
    package func path(_ key: String) -> String { path + JSONPath.step(to: key) }

    package mutating func has(_ key: String) -> Bool {
        asked.insert(ExactName(key))
        return object[key].map { !$0.isNull } ?? false
    }

    package mutating func isNull(_ key: String) -> Bool {
        asked.insert(ExactName(key))
        return object[key]?.isNull ?? false
    }

    /// Returns all members, nulls included.
    package mutating func members() -> [(key: String, value: JSONValue, path: String)] {
        asked.formUnion(object.keys.map(ExactName.init))
        return object.map { ($0.key, $0.value, path($0.key)) }
    }

    package mutating func value(_ key: String, isRequired: Bool = false) -> JSONValue? {
        asked.insert(ExactName(key))
        if let value = object[key], !value.isNull || manner == .settings { return value }
        if isRequired { issues.error(path, "the member '\(key)' is missing") }
        return nil
    }

    package mutating func read<Value>(
        _ key: String, _ type: MemberType<Value>, isRequired: Bool = false
    ) -> Value? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        return type.read(value) ?? refuse(key, "must be \(type.words(for: value))")
    }

    /// Stores a member in `place`, which keeps its value if the member is absent or faulty.
    package mutating func take<Value>(_ key: String, _ type: MemberType<Value>, into place: inout Value) {
        if let value = read(key, type) { place = value }
    }

    package mutating func take<Value>(_ key: String, _ type: MemberType<Value>, into place: inout Value?) {
        if let value = read(key, type) { place = value }
    }

    package mutating func text(_ key: String, isRequired: Bool = false) -> String? {
        read(key, .string, isRequired: isRequired)
    }

    /// A string that is not blank.
    package mutating func name(_ key: String, isRequired: Bool = false) -> String? {
        guard let text = text(key, isRequired: isRequired) else { return nil }
        return text.trimmed.isEmpty ? refuse(key, "must not be empty") : text
    }

    package mutating func flag(_ key: String) -> Bool? { read(key, .bool) }

    package mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        read(key, .integer(in: range))
    }

    package mutating func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
        read(key, .number(in: range))
    }

    /// A duration in seconds, returned in milliseconds.
    package mutating func seconds(_ key: String) -> Int64? { read(key, .seconds) }

    /// Distinct, non-empty strings; at least one.
    package mutating func choices(_ key: String, isRequired: Bool = false) -> [String]? {
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

    package mutating func elements(
        _ key: String, isRequired: Bool = false, expected: String = "an array"
    ) -> [(value: JSONValue, path: String)]? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        guard let elements = value.arrayValue else { return refuse(key, "must be \(expected)") }
        return elements.enumerated().map { ($1, "\(path(key))[\($0)]") }
    }

    package mutating func object(
        _ key: String, isRequired: Bool = false, expected: String = "an object"
    ) -> ObjectReader? {
        guard let value = value(key, isRequired: isRequired) else { return nil }
        return ObjectReader(value, path: path(key), issues: issues, expected: expected, manner: manner)
    }

    /// Notes an error if the member is present.
    package mutating func forbid(_ key: String, _ message: String) {
        guard object[key] != nil else { return }
        asked.insert(ExactName(key))
        issues.error(path(key), message)
    }

    /// Warns of every member that was not read.
    ///
    /// - Parameter isStrict: makes an unknown member an error, for objects in which it would be dangerous to ignore it.
    package func finish(isStrict: Bool = false) {
        let missing = asked.subtracting(object.keys.map(ExactName.init)).sorted().map(\.text)
        for key in object.keys where !asked.contains(ExactName(key)) && !issues.isFull(ofErrors: isStrict) {
            let advice = Suggestion.question(for: key, among: missing)
            switch manner {
            case _ where isStrict: issues.error(path(key), "there is no member '\(key)' here\(advice)")
            case .document: issues.warning(path(key), "unknown member '\(key)'; it has no effect\(advice)")
            case .settings: issues.warning(path(key), "there is no setting '\(key)'; it is ignored\(advice)")
            }
        }
    }

    private func refuse<Value>(_ key: String, _ message: String) -> Value? {
        issues.error(path(key), message)
        return nil
    }
}
