internal import HarkWire

/// Why a recorded event triggers a survey, or does not.
extension SurveyTrigger {
    /// The checks of one event: its name, then each part of the condition that must hold.
    func checks(of event: Record) -> [SurveyExplanation.Check] {
        let isMeant = self.event?.hasSameBytes(as: event.name) ?? false
        let came = "event \(event.sequence), '\(event.name)', came on \(event.at)"
        let words =
            if isMeant {
                came + (schedule == nil ? "" : "; it has its user join the study")
            } else if let name = self.event {
                "\(came); the survey listens to '\(name)'"
            } else {
                "\(came); \(schedule == nil ? "counters bring" : "a schedule brings") the survey about, and no event does"
            }
        let check = SurveyExplanation.Check(name: "event", passed: isMeant, explanation: words)
        guard isMeant else { return [check] }
        let values = event.properties.lookup(times: condition.comparisons)
        return [check]
            + condition.needed.map {
                SurveyExplanation.Check(name: "where", passed: $0.holds(values), explanation: $0.explanation(values))
            }
    }
}

extension Condition {
    /// The parts that must all hold.
    fileprivate var needed: [Condition] {
        if case .all(let parts) = self { parts.flatMap(\.needed) } else { [self] }
    }

    /// The values that were found, next to the required ones.
    fileprivate func explanation(_ value: (String) -> JSONValue?) -> String {
        switch self {
        case .value(let name, let matcher): "\(matcher.told(name, value(name)))"
        case .all, .any, .not, .changed:
            "asks for \(words); " + names.sorted().map { Matcher.told($0.text, value($0.text)) }.joined(separator: ", ")
        }
    }
}

extension Matcher {
    fileprivate func told(_ name: String, _ value: JSONValue?) -> String {
        "\(Matcher.told(name, value)); asks for \(name) \(words)" + (hint(value).map { ": \($0)" } ?? "")
    }

    /// A value in words, cut if it is long.
    fileprivate static func told(_ name: String, _ value: JSONValue?) -> String {
        guard let value else { return "the event has no '\(name)'" }
        let text = value.description
        let isLong = text.count > longest
        return "\(name) is \(text.prefix(longest))\(isLong ? "…" : "")"
    }

    private static let longest = 100

    /// A fact that people overlook, if the condition does not hold.
    private func hint(_ value: JSONValue?) -> String? {
        guard let value, !matches(value), let kind = ValueKind(value) else { return nil }
        if let wanted = ValueKind(operand), wanted != kind, !(kind == .list || op == .contains || op == .notContains) {
            let what = value.isNumberInQuotes ? "a number in quotes is a text" : "it is \(kind.rawValue)"
            return "\(what), which never equals \(wanted.rawValue)"
        }
        if isOrder, kind != .number { return "only numbers are greater or less" }
        guard op == .eq, case .string(let text) = value, case .string(let wanted) = operand else { return nil }
        if text.lowercased() == wanted.lowercased() { return "upper and lower case are different letters" }
        if text.words == wanted.words { return "spaces count" }
        return nil
    }

    private var isOrder: Bool { [.gt, .gte, .lt, .lte].contains(op) }
}

extension JSONValue {
    fileprivate var isNumberInQuotes: Bool {
        if case .string(let text) = self { Double(text) != nil } else { false }
    }
}

extension String {
    fileprivate var words: [Substring] { split { $0.isWhitespace } }
}
