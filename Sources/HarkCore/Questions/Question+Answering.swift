internal import HarkPattern
package import HarkWire

extension Question {
    /// Checks an answer and converts it to its final form.
    ///
    /// A choice may be given by its value or its displayed label; the result holds the value.
    ///
    /// - Parameters:
    ///   - path: the member to name in an error.
    ///   - today: the date at the person's place; nil: bounds that depend on it are not checked.
    /// - Returns: nil when the question was skipped (null, or only white space).
    package func accept(
        _ value: JSONValue, path: String, on today: CivilDate? = nil
    ) throws(WireError) -> Answer? {
        if value.isNull { return nil }
        switch kind {
        case .single(let choices), .yesNo(let choices), .consent(let choices, _):
            guard let text = value.stringValue else { throw refusal(path, "must be one of its options, as a string") }
            return .choice(try choice(text, of: choices, path))
        case .multiple(let choices, let count):
            return try accept(several: value, of: choices, count: count, path)
        case .ranking(let choices, let top):
            return try accept(order: value, of: choices, top: top, path)
        case .text(let field):
            guard let text = value.stringValue else { throw refusal(path, "must be a string") }
            return try accept(text.trimmed, field, path)
        case .rating, .nps, .scale, .number:
            return .number(try number(value, kind.numbers ?? NumberRule(), path))
        case .moment(let rule):
            guard let text = value.stringValue else {
                throw refusal(path, "must be \(rule.words(on: today)), as a string")
            }
            return try accept(text.trimmed, rule, on: today, path)
        case .note:
            throw WireError(.invalidParams, "'\(id)' is a note, which takes no answer", path: path)
        }
    }

    private func choice(_ text: String, of choices: [Choice], _ path: String) throws(WireError) -> String {
        guard
            let choice = choices.first(where: { $0.value.hasSameBytes(as: text) })
                ?? choices.first(where: { $0.label.hasSameBytes(as: text) })
        else { throw unknown(path, choices) }
        return choice.value
    }

    private func unknown(_ path: String, _ choices: [Choice]) -> WireError {
        let words = choices.prefix(20).map { "'\($0.label)'" }.joined(separator: ", ")
        let rest = choices.count > 20 ? " and \(choices.count - 20) more" : ""
        return refusal(path, "must be one of its options: \(words)\(rest)")
    }

    private func accept(
        several value: JSONValue, of choices: [Choice], count: ClosedRange<Int>, _ path: String
    ) throws(WireError) -> Answer? {
        let chosen = Set(try values(value, of: choices, path).map { ExactName($0) })
        if chosen.isEmpty, !isRequired { return nil }
        if let alone = choices.first(where: { $0.isExclusive && chosen.contains(ExactName($0.value)) }) {
            guard chosen.count == 1 else { throw refusal(path, "takes '\(alone.label)' alone (exclusive)") }
            return .choices([alone.value])
        }
        guard chosen.count >= count.lowerBound else {
            throw refusal(
                path, "takes at least \(count.lowerBound) of its options (minSelections), not \(chosen.count)")
        }
        guard chosen.count <= count.upperBound else {
            throw refusal(path, "takes at most \(count.upperBound) of its options (maxSelections), not \(chosen.count)")
        }
        // In the question's order, so that equal choices are equal answers.
        return .choices(choices.map(\.value).filter { chosen.contains(ExactName($0)) })
    }

    /// The values of the named options, each once, in the given order.
    private func values(
        _ value: JSONValue, of choices: [Choice], _ path: String
    ) throws(WireError) -> [String] {
        guard let elements = value.arrayValue else { throw refusal(path, "must be an array of its options") }
        // A search of all options for each element would take long if there are many of both.
        var values: [ExactName: String] = [:]
        for choice in choices { values[ExactName(choice.label)] = values[ExactName(choice.label)] ?? choice.value }
        for choice in choices { values[ExactName(choice.value)] = choice.value }
        var (found, known): ([String], Set<ExactName>) = ([], [])
        for (index, element) in elements.enumerated() {
            guard let text = element.stringValue else { throw refusal("\(path)[\(index)]", "must be a string") }
            guard let value = values[ExactName(text)] else { throw unknown("\(path)[\(index)]", choices) }
            guard known.insert(ExactName(value)).inserted else {
                throw refusal("\(path)[\(index)]", "names an option twice")
            }
            found.append(value)
        }
        return found
    }

    private func accept(
        order value: JSONValue, of choices: [Choice], top: Int, _ path: String
    ) throws(WireError) -> Answer? {
        let ranked = try values(value, of: choices, path)
        if ranked.isEmpty, !isRequired { return nil }
        guard ranked.count == top else {
            throw refusal(path, "takes \(top) of its options, the best first, not \(ranked.count)")
        }
        return .choices(ranked)
    }

    /// An empty text skips the question; the shortest length applies only to a non-empty one.
    private func accept(_ text: String, _ field: TextField, _ path: String) throws(WireError) -> Answer? {
        if text.isEmpty {
            if isRequired { throw refusal(path, "must not be empty (white space at its ends does not count)") }
            return nil
        }
        let count = text.count
        if let least = field.minLength, count < least {
            throw refusal(path, "must have at least \(least) characters (minLength), not \(count)")
        }
        if let most = field.maxLength, count > most {
            throw refusal(path, "must have at most \(most) characters (maxLength), not \(count)")
        }
        if let pattern = field.pattern, !pattern.matches(text) {
            let words = field.patternMessage.map { ": \($0)" } ?? ""
            throw refusal(path, "does not have the form that is asked for (pattern)\(words)")
        }
        return .text(text)
    }

    /// An empty text skips the question.
    private func accept(
        _ text: String, _ rule: MomentRule, on today: CivilDate?, _ path: String
    ) throws(WireError) -> Answer? {
        if text.isEmpty, !isRequired { return nil }
        // The person may have begun before midnight, or be in another zone.
        guard rule.takes(text, on: today, slack: 1) else {
            let why =
                rule.type == .date ? CivilDate.shortMonth(of: text).map { "; \($0.month) has \($0.days) days" } : nil
            throw refusal(path, "must be \(rule.words(on: today))\(why ?? "")")
        }
        return .choice(text)
    }

    private func number(_ value: JSONValue, _ rule: NumberRule, _ path: String) throws(WireError) -> ExactNumber {
        guard value.doubleValue != nil else {
            throw refusal(path, "must be \(rule.words), without quotes")
        }
        guard let number = ExactNumber(value) else {
            throw refusal(
                path, "must be \(rule.words), with at most \(ExactNumber.digits) digits behind the point and 15 in all")
        }
        guard rule.takes(number) else { throw refusal(path, "must be \(rule.words)") }
        return number
    }

    func refusal(_ path: String, _ message: String) -> WireError {
        WireError(.invalidParams, "the answer to '\(id)' \(message)", path: path)
    }
}
