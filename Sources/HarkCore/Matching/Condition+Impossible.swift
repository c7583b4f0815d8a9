internal import HarkWire

/// Conditions that nothing can meet.
extension Condition {
    /// The name of a value that would have to meet two contradictory matchers; nil if no contradiction is found.
    ///
    /// Only plain contradictions are found: `n > 5 and n < 3`, `plan = pro and plan = free`.
    package var impossible: String? {
        switch self {
        case .value, .not, .changed:
            return nil
        case .any(let parts):
            let each = parts.map(\.impossible)
            return each.contains(nil) ? nil : each.first ?? nil
        case .all(let parts):
            return parts.lazy.compactMap(\.impossible).first ?? contradiction
        }
    }

    /// The matchers that must all hold, in the order of the condition.
    var demands: [(name: String, matcher: Matcher)] {
        switch self {
        case .value(let name, let matcher): [(name, matcher)]
        case .all(let parts): parts.flatMap(\.demands)
        case .any, .not, .changed: []
        }
    }

    private var contradiction: String? {
        var byName: [ExactName: [Matcher]] = [:]
        for (name, matcher) in demands.prefix(Self.mostDemands) {
            let before = byName[ExactName(name), default: []]
            if before.contains(where: { $0.contradicts(matcher) }) { return name }
            byName[ExactName(name)] = before + [matcher]
        }
        return nil
    }

    /// Each matcher is compared with all others, so their number is bounded.
    private static let mostDemands = 200
}

extension Matcher {
    /// Whether no value can match both.
    fileprivate func contradicts(_ other: Matcher) -> Bool {
        switch (op, other.op) {
        case (.eq, _): !other.matches(operand)
        case (_, .eq): !matches(other.operand)
        case (.notExists, let op), (let op, .notExists): op != .notExists
        case (.gt, .lt), (.gt, .lte), (.gte, .lt), (.gte, .lte):
            switch operand.order(to: other.operand) {
            case .greater: true
            case .equal: op == .gt || other.op == .lt
            case .less, nil: false
            }
        // A number contains no text.
        case (.gt, .contains), (.gte, .contains), (.lt, .contains), (.lte, .contains): true
        case (.contains, .gt), (.contains, .gte), (.contains, .lt), (.contains, .lte): true
        case (.lt, .gt), (.lte, .gt), (.lt, .gte), (.lte, .gte): other.contradicts(self)
        default: false
        }
    }
}

extension IssueCollector {
    /// Warns of a condition that nothing can meet.
    ///
    /// - Parameter kind: the fixed kind of a named value; nil if it is not known.
    package func warnIfImpossible(
        _ condition: Condition, _ path: String, kind: (String) -> ValueKind? = { _ in nil }
    ) {
        if let name = condition.impossible {
            warning(path, "nothing fulfils this: '\(name)' would have to be two things at once")
        } else if let (name, why) = condition.mismatch(kind) {
            warning(path, "nothing fulfils this: '\(name)' \(why)")
        }
    }
}
