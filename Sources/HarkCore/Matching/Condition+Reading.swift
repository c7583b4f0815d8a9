package import HarkWire

extension Condition {
    /// Reads `{"name": matcher, …}` (all must match), `{"all": […]}`, `{"any": […]}` or `{"not": …}`, or a text with
    /// the same meaning (`ConditionText`).
    ///
    /// - Parameter seesChange: whether `{"changed": ["name", …]}` is also allowed, because the condition is tested when a
    ///   counter changes.
    /// - Returns: nil when there are errors.
    package static func read(
        _ value: JSONValue, path: String, seesChange: Bool = false
    ) -> (condition: Condition?, issues: DocumentIssues) {
        let issues = IssueCollector()
        let condition = read(value, path: path, issues: issues, seesChange: seesChange)
        return (issues.issues.errors.isEmpty ? condition : nil, issues.issues)
    }

    /// Reads a condition that is part of a document; errors go to `issues`.
    package static func read(
        _ value: JSONValue, path: String, issues: IssueCollector, seesChange: Bool = false
    ) -> Condition? {
        // Every use of conditions has narrower bounds; reading a larger one would delay all clients.
        guard !value.holdsMore(than: mostValues) else {
            issues.error(path, "asks for too much: a condition has at most \(mostValues) values of JSON")
            return nil
        }
        return readPart(value, path: path, issues: issues, seesChange)
    }

    private static func readPart(
        _ value: JSONValue, path: String, issues: IssueCollector, _ seesChange: Bool
    ) -> Condition? {
        if case .string(let text) = value {
            do throws(ConditionFault) {
                return try ConditionText.read(text, seesChange: seesChange)
            } catch {
                issues.error(path, error.message)
                return nil
            }
        }
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        let parts = reader.members().compactMap {
            read(member: $0.key, $0.value, path: $0.path, issues: issues, seesChange)
        }
        return parts.count == 1 ? parts.first : .all(parts)
    }

    static let mostValues = 20_000

    /// `all`, `any`, `not` and `changed` are names of values if only a matcher can follow.
    private static func read(
        member key: String, _ value: JSONValue, path: String, issues: IssueCollector, _ seesChange: Bool
    ) -> Condition? {
        switch (key, value) {
        case ("all", .array(let parts)): .all(read(parts, path: path, issues: issues, seesChange))
        case ("any", .array(let parts)): .any(read(parts, path: path, issues: issues, seesChange))
        case ("not", .object(let part)) where part["op"]?.stringValue == nil:
            readPart(value, path: path, issues: issues, seesChange).map(Condition.not)
        case ("changed", .array(let names)) where seesChange: read(changed: names, path: path, issues: issues)
        default: Matcher.read(value, path: path, issues: issues).map { .value(key, $0) }
        }
    }

    private static func read(
        _ parts: [JSONValue], path: String, issues: IssueCollector, _ seesChange: Bool
    ) -> [Condition] {
        if parts.isEmpty { issues.error(path, "must hold at least one condition") }
        return parts.enumerated().compactMap {
            readPart($1, path: "\(path)[\($0)]", issues: issues, seesChange)
        }
    }

    private static func read(changed names: [JSONValue], path: String, issues: IssueCollector) -> Condition? {
        let texts = names.compactMap(\.stringValue).filter { !$0.isEmpty }
        guard !texts.isEmpty, texts.count == names.count else {
            issues.error(path, "must be an array with the names of counters, at least one")
            return nil
        }
        return .changed(texts)
    }

    /// Reads `{"name": matcher, …}`, where every name is that of a value.
    static func read(properties reader: inout ObjectReader) -> Condition {
        let issues = reader.issues
        let parts = reader.members().compactMap { member in
            Matcher.read(member.value, path: member.path, issues: issues).map { Condition.value(member.key, $0) }
        }
        return .all(parts)
    }
}

extension Matcher {
    /// Reads the shorthand (`"key": 123`) or `{"op": …, "value": …}`.
    static func read(_ value: JSONValue, path: String, issues: IssueCollector) -> Matcher? {
        if value.isPrimitive { return Matcher(.eq, value) }
        guard case .object = value, var reader = ObjectReader(value, path: path, issues: issues) else {
            issues.error(path, "must be a string, a number, true, false, or an object with 'op'")
            return nil
        }
        defer { reader.finish() }
        guard let op = reader.read("op", MemberType<Operator>.word, isRequired: true) else {
            // Without an operator the operand cannot be checked.
            _ = reader.value("value")
            return nil
        }
        if op == .exists || op == .notExists { return Matcher(op) }
        guard let operand = reader.value("value", isRequired: true) else { return nil }
        guard op.takes(operand) else {
            issues.error(reader.path("value"), "'\(op.rawValue)' compares with \(op.operandWords)")
            return nil
        }
        return Matcher(op, operand)
    }
}

extension Matcher.Operator {
    fileprivate func takes(_ operand: JSONValue) -> Bool {
        switch self {
        case .eq, .ne: operand.isPrimitive
        case .gt, .gte, .lt, .lte: operand.doubleValue != nil
        case .contains, .notContains: operand.stringValue != nil
        case .exists, .notExists: true
        }
    }

    fileprivate var operandWords: String {
        switch self {
        case .gt, .gte, .lt, .lte: "a number"
        case .contains, .notContains: "a string"
        default: "a string, a number, true or false"
        }
    }
}

extension JSONValue {
    /// Whether the value holds more than `most` values, itself included; stops counting there.
    fileprivate func holdsMore(than most: Int) -> Bool {
        var (open, count) = ([self], 0)
        while let value = open.popLast() {
            count += 1
            switch value {
            case .array(let elements): open += elements.prefix(most)
            case .object(let members): for member in members.prefix(most) { open.append(member.value) }
            case .null, .bool, .int, .double, .string: break
            }
            if count + open.count > most { return true }
        }
        return false
    }

    /// Whether the value is a text, a number or a bool.
    var isPrimitive: Bool {
        switch self {
        case .bool, .int, .double, .string: true
        case .null, .array, .object: false
        }
    }
}
