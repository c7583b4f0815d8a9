package import HarkWire

/// The kinds of values that comparisons distinguish.
package enum ValueKind: String, Sendable {
    case number = "a number"
    case text = "a text"
    case truth = "true or false"
    case list = "a list"

    /// nil: a value that can become anything.
    package init?(_ value: JSONValue) {
        switch value {
        case .int, .double: self = .number
        case .string: self = .text
        case .bool: self = .truth
        case .array: self = .list
        case .null, .object: return nil
        }
    }
}

extension Condition {
    /// A required comparison that no value of its kind passes; nil if none is found.
    ///
    /// - Parameter kind: the fixed kind of a named value; nil if it is not known.
    func mismatch(_ kind: (String) -> ValueKind?) -> (name: String, why: String)? {
        switch self {
        case .not, .changed: return nil
        case .value(let name, let matcher):
            guard let kind = kind(name), let other = matcher.mismatch(with: kind) else { return nil }
            return (name, "is \(kind.rawValue), and this asks for \(other)")
        case .any(let parts):
            let each = parts.map { $0.mismatch(kind) }
            return each.contains { $0 == nil } ? nil : each.first ?? nil
        case .all(let parts): return parts.compactMap { $0.mismatch(kind) }.first
        }
    }
}

extension Matcher {
    /// The kind that a value would need instead; nil if one of this kind may match.
    fileprivate func mismatch(with kind: ValueKind) -> String? {
        switch op {
        case .eq:
            // A list is tested with `contains`.
            guard kind != .list else { return "one value" }
            let other = ValueKind(operand)
            return other == kind ? nil : other?.rawValue
        case .gt, .gte, .lt, .lte: return kind == .number ? nil : ValueKind.number.rawValue
        case .contains: return kind == .text || kind == .list ? nil : ValueKind.text.rawValue
        case .ne, .notContains, .exists, .notExists: return nil
        }
    }
}

extension EventField {
    /// The kind of a value that every event has.
    package static func kind(of name: String) -> ValueKind? {
        guard let field = try? EventField(name) else { return nil }
        return switch field {
        case .name, .app, .user, .session, .machine, .group: .text
        case .sequence, .uid, .pid: .number
        case .property: nil
        }
    }
}

extension CounterConfiguration {
    /// Warns of a condition on declared counters that can never hold because of the kind of a counter.
    ///
    /// - Parameter app: the app of the counters; nil for every app.
    package func checkKinds(in condition: Condition, of app: String?, _ path: String, _ issues: IssueCollector) {
        let mismatch = condition.mismatch { name in
            counters.first { $0.name == ExactName(name) && ($0.app == nil || $0.app.hasSameBytes(as: app ?? "")) }
                .flatMap { ValueKind($0.initial) }
        }
        guard let (name, why) = mismatch else { return }
        issues.warning(
            path, "nothing fulfils this: the counter '\(name)' \(why) ('counters' in harkd.json says where it begins)")
    }
}
