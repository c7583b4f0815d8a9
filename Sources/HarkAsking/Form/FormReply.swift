package import HarkClient
package import HarkWire

/// A form as reported by the daemon: its progress and, from `form.start`, its questions.
package struct FormReply: Sendable {
    package let formId: String
    package let title: String
    package let message: String
    package let completionMessage: String?
    /// The labels of the buttons that start and close the form.
    package let startLabel: String?
    package let completionLabel: String?
    /// Whether answers can be changed later.
    package let isEditable: Bool
    package let questions: [SurveyQuestion]
    /// Whether a question has a type that this version does not know.
    package let isUnknown: Bool
    package let route: [String]
    package let answers: [String: JSONText]
    package let submissions: [String: FormSubmission]
    package let draft: KeptDraft
    package let progress: ToldProgress
    package let isCompleted: Bool
    /// The original JSON.
    package let text: String

    /// Nil if the value is not a form.
    package init?(_ form: JSONText) {
        let told = FormInfo(form)
        guard !told.formId.isEmpty else { return nil }
        formId = told.formId
        text = form.text
        title = told.title.isEmpty ? formId : told.title
        message = told.message ?? ""
        completionMessage = told.completionMessage
        startLabel = told.startLabel
        completionLabel = told.completionLabel
        isEditable = told.editable ?? (told.submissions == nil)
        let questions = told.questions ?? []
        self.questions = questions.compactMap { SurveyQuestion($0) }
        isUnknown = self.questions.count != questions.count
        route = told.route
        answers = told.answers.json.membersByName
        submissions = told.submissions?.json.membersByName.compactMapValues { FormSubmission($0) } ?? [:]
        draft = KeptDraft(told.draft ?? DraftInfo())
        progress = ToldProgress(told.progress)
        isCompleted = told.completed
    }
}

extension FormReply {
    /// Whether nothing is answered or begun yet.
    package var isUntouched: Bool { answers.isEmpty && submissions.isEmpty && draft == KeptDraft() }

    /// The question to show first: the one at which the user left; else one that is unconfirmed, refused or unanswered. A
    /// completed form starts at its first question.
    package var firstPage: String? {
        if isCompleted && draft.answers.isEmpty || isUntouched { return route.first }
        if let page = draft.page, route.contains(page) { return page }
        for state in [SubmissionState.unconfirmed, .failed] {
            if let question = route.first(where: { submissions[$0]?.state == state }) { return question }
        }
        return progress.next ?? route.first
    }
}

/// Unfinished answers of a form, and the question at which its user is.
package struct KeptDraft: Sendable, Equatable {
    package var page: String?
    package var answers: [String: JSONValue] = [:]

    package init(page: String? = nil, answers: [String: JSONValue] = [:]) {
        self.page = page
        self.answers = answers
    }

    init(_ draft: DraftInfo) {
        page = draft.page
        answers = draft.answers.json.membersByName.compactMapValues(\.answer)
    }
}

/// The progress of a form.
package struct ToldProgress: Sendable, Equatable {
    package var answered = 0
    package var total = 0
    /// The numbers of answers that the server may not have: refused, unconfirmed, and in transit.
    package var failed = 0
    package var unconfirmed = 0
    package var waiting = 0
    /// The next question without an answer.
    package var next: String?

    package init(_ progress: FormProgressInfo) {
        answered = Int(progress.answered)
        total = Int(progress.total)
        failed = Int(progress.failed ?? 0)
        unconfirmed = Int(progress.unconfirmed ?? 0)
        waiting = Int(progress.waiting ?? 0)
        next = progress.next
    }

    /// `2 of 5 Questions Answered`
    package var text: String {
        Words.say(
            "{answered} of {total} Questions Answered", ["answered": String(answered), "total": String(total)])
    }

    /// Returns the state as a word, the most urgent first.
    package func word(isCompleted: Bool) -> String {
        if isCompleted { return "completed" }
        if unconfirmed > 0 { return "unconfirmed" }
        if failed > 0 { return "failed" }
        if waiting > 0 { return "waiting" }
        return answered > 0 ? "begun" : "-"
    }
}

/// The state of an answer that goes to a server.
package struct FormSubmission: Sendable, Equatable {
    package let state: SubmissionState
    package let attempts: Int64
    package let problem: String?

    package init?(_ submission: JSONText) {
        let told = SubmissionInfo(submission)
        guard let state = SubmissionState(word: told.state) else { return nil }
        self.state = state
        attempts = told.attempts
        problem = told.problem
    }

    /// Whether an outcome is expected soon.
    package var isUnderWay: Bool { state == .sending || (state == .queued && problem == nil) }
    /// Whether it can be changed or sent again.
    package var isOpen: Bool { state == .queued || state == .failed || state == .unconfirmed }

    /// The problem and the next step; nil if there is none.
    package var failure: String? {
        guard state != .submitted, !isUnderWay else { return nil }
        let problem = problem ?? "it did not work"
        return switch state {
        case .queued: "\(problem); it is kept, and sent later"
        case .unconfirmed: "\(problem); the server may have the answer or not"
        default: problem
        }
    }
}
