package import HarkWire

/// What one user has answered to one form so far.
package struct FormState: Sendable, Equatable {
    package let startedAt: Timestamp
    /// When the last answer that was needed came.
    package var completedAt: Timestamp?
    /// By question.
    package var answers: [ExactName: FormAnswer] = [:]
    package var draft = FormDraft()

    package init(startedAt: Timestamp) {
        self.startedAt = startedAt
    }

    /// All that was answered, to questions that are no longer there too.
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
    /// How it gets to the form's server; nil where answers stay here.
    package var submission: Submission?

    package init(_ answer: Answer, at: Timestamp, submission: Submission? = nil) {
        self.answer = answer
        self.at = at
        self.submission = submission
    }
}

/// Everything one user has answered, by form.
package typealias UserForms = [ExactName: FormState]

/// How far somebody is with a form.
package struct FormProgress: Sendable, Equatable {
    package var total = 0
    /// Where answers go to a server: those it has taken.
    package var answered = 0
    /// Answers on their way to the server.
    package var waiting = 0
    /// Answers the server has refused.
    package var failed = 0
    /// Answers of which nobody knows whether the server has them.
    package var unconfirmed = 0
    /// The first question that waits for an answer.
    package var next: String?
    package var isCompleted = false

    package var text: String { "\(answered) of \(total) Questions Answered" }
}

extension Form {
    /// The answers to the questions there are, in their order.
    package func answers(in state: FormState) -> Answers {
        var answers = Answers()
        for question in questionnaire.questions {
            if let answer = state.answers[question.id] { answers[question.id] = answer.answer }
        }
        return answers
    }

    /// The questions somebody sees with these answers, in order.
    package func way(in state: FormState?) -> [Question] {
        questionnaire.way(state.map(answers) ?? Answers())
    }

    package func progress(in state: FormState?) -> FormProgress {
        var progress = FormProgress()
        for question in way(in: state) {
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

    /// Whether every answer that is needed is there and, where answers go to a server, there too. A form that needs none
    /// is completed with the first that is given.
    func isCompleted(_ state: FormState) -> Bool {
        let way = way(in: state)
        func isDone(_ question: Question) -> Bool {
            [.kept, .submission(.submitted)].contains(standing(of: question.id, in: state))
        }
        return way.allSatisfy { !$0.isRequired || isDone($0) } && way.contains(where: isDone)
    }

    private enum Standing: Equatable {
        /// No answer, or one from a time when answers were not sent anywhere.
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
