internal import HarkPattern
internal import HarkWire

/// The possible answers, and so the branches that can be taken.
extension Question {
    /// Warns of branches that no answer takes.
    ///
    /// - Returns: the branches that can be taken, and whether some answer takes none of them.
    func checkBranches(_ path: String, _ issues: IssueCollector) -> (taken: [Branch], isLeftOver: Bool) {
        var rest = answerValues
        // A skipped question has no answer.
        var isPassedOver = !isRequired
        var isOver = false
        var taken: [Branch] = []
        for (place, branch) in branches.enumerated() {
            let path = branches[place].condition == nil ? "\(path).next[\(place)]" : "\(path).next[\(place)].when"
            if isOver {
                issues.warning(path, "is never looked at: what stands before it takes every answer")
                continue
            }
            guard let condition = branch.condition else {
                isOver = true
                taken.append(branch)
                continue
            }
            if let why = obstacle(to: condition) {
                issues.warning(path, "no answer to '\(id)' takes this branch: \(why)")
                continue
            }
            let takesNone = isPassedOver && condition.matches(nil)
            if let values = rest, !takesNone, !values.contains(where: condition.matches) {
                issues.warning(path, "no answer to '\(id)' takes this branch: those before it take all that it would")
                continue
            }
            if takesNone { isPassedOver = false }
            rest?.removeAll(where: condition.matches)
            taken.append(branch)
            if rest?.isEmpty == true, !isPassedOver { isOver = true }
        }
        return (taken, !isOver)
    }

    /// All possible answers, if they can be listed.
    private var answerValues: [JSONValue]? {
        switch kind {
        case .multiple, .ranking: return nil
        default: break
        }
        return kind.choices?.map { .string($0.value) } ?? kind.numbers?.listed(most: 101)?.map(\.value)
    }

    /// The reason why no answer can match; nil if one may.
    func obstacle(to matcher: Matcher) -> String? {
        if matcher.op == .notExists {
            return isRequired ? "it needs an answer, so there always is one ('required')" : nil
        }
        if let values = answerValues {
            return values.contains(where: matcher.matches) ? nil : obstacle(to: matcher, among: values)
        }
        if let rule = kind.numbers { return rule.obstacle(to: matcher) }
        switch (kind, matcher.op) {
        case (.note, _): return "it is a note, which has no answer"
        case (.moment(let rule), .eq):
            let isAnswer = matcher.operand.stringValue.map { rule.takes($0, on: nil) } ?? false
            return isAnswer ? nil : "its answers are \(rule.words())"
        case (_, .gt), (_, .gte), (_, .lt), (_, .lte): return "its answers are no numbers"
        case (.multiple, .eq), (.ranking, .eq): return "its answers are lists; say {\"op\": \"contains\", \"value\": …}"
        case (.multiple(let choices, _), .contains), (.ranking(let choices, _), .contains):
            let values = choices.map { JSONValue.string($0.value) }
            return values.contains(where: Matcher(.eq, matcher.operand).matches)
                ? nil : obstacle(to: Matcher(.eq, matcher.operand), among: values)
        case (.multiple(let choices, let count), .notContains):
            let others = choices.filter { !Matcher(.eq, matcher.operand).matches(.string($0.value)) }
            return others.count >= count.lowerBound ? nil : "at least \(count.lowerBound) of its options are chosen"
        case (.text(let field), .eq): return field.obstacle(to: matcher.operand)
        default: return nil
        }
    }

    private func obstacle(to matcher: Matcher, among values: [JSONValue]) -> String {
        if case .string? = values.first {
            guard let text = matcher.operand.stringValue else { return "its answers are texts" }
            let options = values.prefix(20).compactMap(\.stringValue).map { "'\($0)'" }.joined(separator: ", ")
            return matcher.op == .eq ? "it has no option '\(text)'; it has \(options)" : "it has the options \(options)"
        }
        guard matcher.operand.doubleValue != nil else { return "its answers are numbers" }
        return "its answers are the numbers from \(values.first ?? 0) to \(values.last ?? 0)"
    }
}

extension NumberRule {
    /// The reason why no number that keeps the rule can match.
    fileprivate func obstacle(to matcher: Matcher) -> String? {
        switch matcher.op {
        case .gt, .gte, .lt, .lte, .eq:
            guard let number = ExactNumber(matcher.operand) else {
                return matcher.operand.doubleValue == nil ? "its answers are numbers" : nil
            }
            let isMissed: Bool =
                switch matcher.op {
                case .gt: max.map { number >= $0 } ?? false
                case .gte: max.map { number > $0 } ?? false
                case .lt: min.map { number <= $0 } ?? false
                case .lte: min.map { number < $0 } ?? false
                default: !takes(number)
                }
            return isMissed ? "its answers are \(words)" : nil
        case .contains: return "its answers are numbers"
        case .ne, .notContains, .exists, .notExists: return nil
        }
    }
}

extension Question.TextField {
    fileprivate func obstacle(to operand: JSONValue) -> String? {
        guard let text = operand.stringValue else { return "its answers are texts" }
        guard !text.isEmpty, text.trimmed.hasSameBytes(as: text) else {
            return "an answer is not empty, and neither begins nor ends with white space"
        }
        let count = text.count
        if let least = minLength, count < least { return "its answers have at least \(least) characters (minLength)" }
        if let most = maxLength, count > most { return "its answers have at most \(most) characters (maxLength)" }
        if pattern?.matches(text) == false { return "its answers have another form (pattern)" }
        return nil
    }
}
