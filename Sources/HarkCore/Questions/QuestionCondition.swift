internal import HarkWire

/// When a question is asked: a condition over earlier answers, the event, the session, counters and flags.
package struct QuestionCondition: Sendable, Equatable {
    /// Its names are those of `ValueName`.
    package let condition: Condition
    /// As the document has it; for one that is not a text, in the language of conditions.
    package let text: String

    /// The greatest weight; a condition is tested for each page that is shown.
    static let mostWeight = 1_000

    var names: [ValueName] { condition.names.sorted().compactMap { try? ValueName($0.text) } }
}

extension Questionnaire {
    package var hasConditions: Bool { questions.contains { $0.when != nil } }

    /// Whether a question is asked.
    ///
    /// - Parameter asked: the earlier questions that were asked. Answers to others do not count.
    func isAsked(_ question: Question, after asked: Set<ExactName>, _ answers: Answers) -> Bool {
        if let parent = question.of { return asked.contains(ExactName(parent)) && answers[parent]?.hasOther == true }
        guard let when = question.when else { return true }
        return when.condition.holds { name in
            switch try? ValueName(name) {
            case .answer(let id): asked.contains(ExactName(id)) ? answers[id]?.value : nil
            case .event, .session, .counter, .flag, .user: given[name].map { JSONValue($0) }
            case nil: nil
            }
        }
    }

    /// The answers to the questions that these answers lead through.
    func answersOnWay(_ answers: Answers) -> Answers {
        var onWay = Answers()
        for question in way(answers) { onWay[question.id] = answers[question.id] }
        return onWay
    }
}

extension Condition {
    /// The condition in the language that `ConditionText` reads.
    var text: String {
        switch self {
        case .value(let name, let matcher): "\(Condition.word(name)) \(matcher.text)"
        case .all(let parts): Condition.text(of: parts, "and")
        case .any(let parts): Condition.text(of: parts, "or")
        case .not(let part): "not (\(part.text))"
        case .changed(let names): "changed (\(names.map(Condition.word).joined(separator: ", ")))"
        }
    }

    private static func text(of parts: [Condition], _ word: String) -> String {
        parts.map { part in
            switch part {
            case .all(let inner) where inner.count > 1, .any(let inner) where inner.count > 1: "(\(part.text))"
            default: part.text
            }
        }.joined(separator: " \(word) ")
    }

    private static func word(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte >= 0x80 || UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte) || byte == 0x2E
                || byte == 0x5F
        }
        return isPlain ? name : quoted(name)
    }

    fileprivate static func quoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}

extension Matcher {
    fileprivate var text: String {
        let value = operand.stringValue.map { Condition.quoted($0) } ?? operand.description
        return switch op {
        case .eq: "= \(value)"
        case .ne: "!= \(value)"
        case .gt: "> \(value)"
        case .gte: ">= \(value)"
        case .lt: "< \(value)"
        case .lte: "<= \(value)"
        case .contains: "contains \(value)"
        case .notContains: "not contains \(value)"
        case .exists: "exists"
        case .notExists: "not exists"
        }
    }
}
