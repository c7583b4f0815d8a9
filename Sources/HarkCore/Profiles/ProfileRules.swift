package import HarkWire

/// The rules that derive a profile from the answers to a form: named values, and a summary of them.
package struct ProfileRules: Sendable, Equatable {
    /// The form whose answers count.
    package let form: String
    package let values: [Value]
    package let summary: ProfileSummary?

    package init(form: String, values: [Value], summary: ProfileSummary? = nil) {
        self.form = form
        self.values = values
        self.summary = summary
    }

    package struct Value: Sendable, Equatable {
        package let key: String
        package let rule: ProfileRule

        package init(_ key: String, _ rule: ProfileRule) {
            self.key = key
            self.rule = rule
        }
    }
}

/// The rule for one value of a profile.
///
/// A value is a text, a number, a bool or a list of these.
package indirect enum ProfileRule: Sendable, Equatable {
    case constant(JSONValue)
    /// The answer itself.
    case answer(question: String)
    /// The value listed for the answer; several choices give a list.
    case table(question: String, [Row], otherwise: JSONValue?)
    /// The value of the first case whose condition on the answers holds.
    case cases([Case], otherwise: JSONValue?)
    /// All values in one list without duplicates, in order.
    case append([ProfileRule])
    /// One element of a list, another each day.
    case daily(ProfileRule)

    package struct Row: Sendable, Equatable {
        /// The answer as text.
        package let answer: String
        package let value: JSONValue

        package init(_ answer: String, _ value: JSONValue) {
            self.answer = answer
            self.value = value
        }
    }

    package struct Case: Sendable, Equatable {
        package let condition: Condition
        package let value: JSONValue

        package init(_ condition: Condition, _ value: JSONValue) {
            self.condition = condition
            self.value = value
        }
    }

    /// The value for these answers; nil when nothing fits.
    func value(_ answers: Answers, _ draw: DailyDraw) -> JSONValue? {
        switch self {
        case .constant(let value): return value
        case .answer(let question): return answers[question]?.value
        case .table(let question, let rows, let otherwise):
            guard let answer = answers[question] else { return otherwise }
            func value(_ text: String) -> JSONValue? {
                rows.first { $0.answer.hasSameBytes(as: text) }?.value ?? otherwise
            }
            guard case .choices(let choices) = answer else { return value(answer.text(separator: ", ")) }
            return .list(choices.compactMap(value))
        case .cases(let cases, let otherwise):
            return cases.first { $0.condition.holds { answers[$0]?.value } }?.value ?? otherwise
        case .append(let rules):
            return .list(rules.compactMap { $0.value(answers, draw) })
        case .daily(let rule):
            return JSONValue.list([rule.value(answers, draw)].compactMap(\.self)).arrayValue.flatMap(draw.one)
        }
    }

    /// Whether the value changes from day to day.
    var isDaily: Bool {
        switch self {
        case .daily: true
        case .append(let rules): rules.contains(where: \.isDaily)
        case .constant, .answer, .table, .cases: false
        }
    }
}

extension JSONValue {
    /// Flattens the values into one list without duplicates, in order.
    fileprivate static func list(_ values: [JSONValue]) -> JSONValue {
        var seen: Set<JSONValue> = []
        return .array(values.flatMap { $0.arrayValue ?? [$0] }.filter { seen.insert($0).inserted })
    }
}
