package import HarkWire

extension Condition {
    /// The condition as `Condition.read` reads it.
    package var document: JSONValue {
        switch self {
        case .value(let name, let matcher): .object(JSONObject([(name, matcher.document)]))
        case .all(let parts) where parts.isEmpty: .object(JSONObject())
        case .all(let parts): ["all": .array(parts.map(\.document))]
        case .any(let parts): ["any": .array(parts.map(\.document))]
        case .not(let part): ["not": part.document]
        case .changed(let names): ["changed": .array(names.map(JSONValue.string))]
        }
    }
}

extension Matcher {
    fileprivate var document: JSONValue {
        op == .exists || op == .notExists
            ? ["op": .string(op.rawValue)] : ["op": .string(op.rawValue), "value": operand]
    }

    /// The matcher in words: `gte 3`, `exists`.
    var words: String { op == .exists || op == .notExists ? op.rawValue : "\(op.rawValue) \(operand)" }
}

extension Condition {
    /// The condition in words: `opens gte 3 and not (shares eq 0)`.
    var words: String {
        switch self {
        case .value(let name, let matcher): "\(name) \(matcher.words)"
        case .all(let parts): Condition.join(parts, "and")
        case .any(let parts): Condition.join(parts, "or")
        case .not(let part): "not (\(part.words))"
        case .changed(let names): "changed \(names.joined(separator: " or "))"
        }
    }

    private static func join(_ parts: [Condition], _ word: String) -> String {
        parts.map { part in
            switch part {
            case .all(let inner) where inner.count > 1, .any(let inner) where inner.count > 1: "(\(part.words))"
            default: part.words
            }
        }.joined(separator: " \(word) ")
    }
}
