package import HarkWire

/// One user's answers to one form so far.
package struct FormState: Sendable, Equatable {
    package let startedAt: Timestamp
    /// When the last required answer came.
    package var completedAt: Timestamp?
    /// Answers by question.
    package var answers: [ExactName: FormAnswer] = [:]
    package var draft = FormDraft()

    package init(startedAt: Timestamp) {
        self.startedAt = startedAt
    }

    /// All answers, including those to removed questions.
    var allAnswers: Answers {
        var all = Answers()
        for (id, answer) in answers.sorted(by: { $0.key < $1.key }) { all[id.text] = answer.answer }
        return all
    }
}

/// An answer to one question of a form.
package struct FormAnswer: Sendable, Equatable {
    package var answer: Answer
    package var at: Timestamp
    /// The state of sending the answer to the form's server; nil if answers stay here.
    package var submission: Submission?

    package init(_ answer: Answer, at: Timestamp, submission: Submission? = nil) {
        self.answer = answer
        self.at = at
        self.submission = submission
    }
}

/// All answers of one user, by form.
package typealias UserForms = [ExactName: FormState]

/// A user's progress with a form.
package struct FormProgress: Sendable, Equatable {
    package var total = 0
    /// The number of answers; with a server, of those it has accepted.
    package var answered = 0
    /// Answers on their way to the server.
    package var waiting = 0
    /// Answers that the server has refused.
    package var failed = 0
    /// Answers that the server may or may not have.
    package var unconfirmed = 0
    /// The first question without an answer.
    package var next: String?
    package var isCompleted = false

    package var text: String { "\(answered) of \(total) Questions Answered" }
}

extension Form {
    /// The answers to existing questions, in their order.
    package func answers(in state: FormState) -> Answers {
        var answers = Answers()
        for question in questionnaire.questions {
            if let answer = state.answers[question.id] { answers[question.id] = answer.answer }
        }
        return answers
    }

    /// The questions that these answers lead through, in order.
    package func way(in state: FormState?) -> [Question] {
        questionnaire.way(state.map(answers) ?? Answers())
    }

    package func progress(in state: FormState?) -> FormProgress {
        var progress = FormProgress()
        for question in way(in: state) where question.kind != .note {
            progress.total += 1
            switch standing(of: question.id, in: state) {
            case .none: progress.next = progress.next ?? question.id
            case .kept, .submission(.submitted): progress.answered += 1
            case .submission(.queued), .submission(.sending): progress.waiting += 1
            case .submission(.failed): progress.failed += 1
            case .submission(.unconfirmed): progress.unconfirmed += 1
            }
        }
        progress.isCompleted = state.map(isCompleted) ?? false
        return progress
    }

    /// Whether every required answer exists and, with a server, was accepted. A form without required answers is
    /// completed by its first answer.
    func isCompleted(_ state: FormState) -> Bool {
        let way = way(in: state)
        func isDone(_ question: Question) -> Bool {
            [.kept, .submission(.submitted)].contains(standing(of: question.id, in: state))
        }
        return way.allSatisfy { !$0.isRequired || isDone($0) } && way.contains(where: isDone)
    }

    private enum Standing: Equatable {
        /// No answer, or one from a time when answers were not sent to a server.
        case none
        case kept
        case submission(Submission.State)
    }

    private func standing(of question: String, in state: FormState?) -> Standing {
        guard let answer = state?.answers[question] else { return .none }
        guard submission != nil else { return .kept }
        return answer.submission.map { .submission($0.state) } ?? .none
    }
}
