internal import HarkWire

extension QuestionCondition {
    /// Reads the member `when`.
    static func read(_ question: inout ObjectReader) -> QuestionCondition? {
        guard let value = question.value("when") else { return nil }
        let path = question.path("when")
        guard let condition = Condition.read(value, path: path, issues: question.issues) else { return nil }
        guard !condition.names.isEmpty else {
            question.issues.error(path, "must name at least one value, such as answer.ID or event.NAME")
            return nil
        }
        guard condition.weight <= mostWeight else {
            question.issues.error(
                path,
                "asks for too much: a comparison weighs 1, a search in a text 100, and a condition up to \(mostWeight)")
            return nil
        }
        for name in condition.names.sorted() {
            do throws(ValueFault) {
                _ = try ValueName(name.text)
            } catch {
                question.issues.error(path, error.message)
                return nil
            }
        }
        return QuestionCondition(condition: condition, text: value.stringValue?.trimmed ?? condition.text)
    }
}

extension Questionnaire {
    /// Checks that conditions refer to answers of earlier questions only, and warns of conditions that nothing meets.
    ///
    /// - Parameter hasValues: whether there are values other than answers, as in surveys.
    func checkConditions(_ paths: [String], hasValues: Bool, _ issues: IssueCollector) {
        guard hasConditions else { return }
        if questions.allSatisfy({ $0.when != nil }) {
            issues.error(paths[0] + ".when", "must be left out for at least one question, so that there is one to ask")
        }
        for (place, question) in questions.enumerated() {
            // The rows of a matrix share a condition.
            guard let when = question.when, isWritten(place) else { continue }
            let path = paths[place] + ".when"
            let earlier = Array(questions.prefix(place)).withOthers.filter { $0.kind != .note }
            for name in when.names {
                if case .answer(let id) = name {
                    guard !earlier.contains(where: { $0.id.hasSameBytes(as: id) }) else { continue }
                    let words = earlier.prefix(20).map { "'\($0.id)'" }.joined(separator: ", ")
                    issues.error(
                        path,
                        "'\(name.text)' is no answer to an earlier question; "
                            + (earlier.isEmpty ? "there is none before" : "there are \(words)"))
                } else if !hasValues {
                    issues.error(path, "'\(name.text)' is never there: forms know answers alone (answer.ID)")
                }
            }
            func answered(_ name: String) -> Question? {
                guard case .answer(let id)? = try? ValueName(name) else { return nil }
                return earlier.first { $0.id.hasSameBytes(as: id) }
            }
            for (name, matcher) in when.condition.demands {
                guard let question = answered(name), let why = question.obstacle(to: matcher) else { continue }
                // A question that is not asked of all people may lack an answer, even if it requires one.
                let isForSome = question.when != nil || earlier.contains { !$0.branches.isEmpty }
                guard matcher.op != .notExists || !isForSome else { continue }
                issues.warning(
                    path, "nothing fulfils this: no answer to '\(name.dropFirst("answer.".count))' does, as \(why)")
            }
            issues.warnIfImpossible(when.condition, path)
        }
    }
}
