package import HarkWire

/// Questions that are asked together, and the paths through them.
///
/// Invariant when read from a document: there are no loops, and every branch leads to an existing question.
package struct Questionnaire: Sendable, Equatable {
    package var questions: [Question]
    /// The values other than answers that conditions refer to, by `ValueName`.
    package var given = Properties.none

    package init(_ questions: [Question]) {
        self.questions = questions
    }

    package func question(_ id: String) -> Question? { questions.first { $0.id.hasSameBytes(as: id) } }

    /// The questions that the answers so far lead through, in order.
    package struct Route: Sendable, Equatable {
        package var questions: [Question] = []
        /// The first required question without an answer; nil when everything is answered.
        package var missing: Question?
    }

    package func route(_ answers: Answers) -> Route {
        let way = way(answers)
        guard let missing = way.firstIndex(where: { answers[$0.id] == nil && $0.isRequired }) else {
            return Route(questions: way)
        }
        return Route(questions: Array(way[...missing]), missing: way[missing])
    }

    /// The whole path: questions without an answer count as skipped.
    package func way(_ answers: Answers) -> [Question] {
        var way: [Question] = []
        var asked: Set<ExactName> = []
        var index: Int? = questions.isEmpty ? nil : 0
        while let place = index {
            let question = questions[place]
            guard isAsked(question, after: asked, answers) else {
                index = place + 1 < questions.count ? place + 1 : nil
                continue
            }
            asked.insert(ExactName(question.id))
            way.append(question)
            // The text of "Other" is asked before the next question.
            let other = questions.indices.contains(place + 1) && questions[place + 1].of != nil ? place + 1 : nil
            if let other, isAsked(questions[other], after: asked, answers) {
                asked.insert(ExactName(questions[other].id))
                way.append(questions[other])
            }
            index = (other ?? place).advanced(along: question, after: answers[question.id], in: questions)
        }
        return way
    }

    /// Checks answers and merges them into earlier ones.
    ///
    /// - Parameters:
    ///   - answers: values by question; null removes an earlier answer.
    ///   - today: the date at the person's place; nil: bounds that depend on it are not checked.
    ///   - path: the member that held a question's answer.
    package func accept(
        _ given: [(id: String, value: JSONValue)], onto kept: Answers = Answers(), on today: CivilDate? = nil,
        path: (String) -> String
    ) throws(WireError) -> Answers {
        var answers = kept
        for (id, value) in given {
            guard let question = question(id) else {
                throw WireError(
                    .invalidParams,
                    "there is no question '\(id)'; there are: \(questions.map(\.id).joined(separator: ", "))",
                    path: path(id))
            }
            answers[id] = try question.accept(value, path: path(id), on: today)
        }
        return answers
    }

    /// The final answers: those to questions on the path taken.
    ///
    /// - Throws: an error when a required question on the path has no answer.
    package func complete(_ answers: Answers, path: (String) -> String) throws(WireError) -> Answers {
        let route = route(answers)
        if let missing = route.missing {
            throw WireError(.invalidParams, "the question '\(missing.id)' needs an answer", path: path(missing.id))
        }
        var complete = Answers()
        for question in route.questions { complete[question.id] = answers[question.id] }
        return complete
    }
}

extension Int {
    /// The index of the question that follows; nil at the end.
    fileprivate func advanced(along question: Question, after answer: Answer?, in questions: [Question]) -> Int? {
        let way = question.branches.first { $0.condition?.matches(answer?.value) ?? true }
        switch way?.target {
        case .end: return nil
        case .question(let id): return questions.firstIndex { $0.id.hasSameBytes(as: id) }
        case nil: return self + 1 < questions.count ? self + 1 : nil
        }
    }
}
