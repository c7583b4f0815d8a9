internal import HarkClient
internal import HarkWire

/// A form that a user fills in at leisure, with its progress.
///
/// ```swift
/// var form = try await EventRecorder.shared.form("onboarding")
/// form = try await form.answer(["primaryGoal": "Improve sleep"])
/// print(form.progress.text, form.isCompleted)
/// ```
public struct Form: Sendable, Identifiable {
    /// The progress of a form.
    public struct Progress: Sendable, Hashable {
        /// The number of answers; with a server, of those it has accepted.
        public let answered: Int
        /// The number of questions on the route of the current answers.
        public let total: Int
        /// `2 of 5 Questions Answered`.
        public let text: String
        /// The first question without an answer.
        public let next: String?
    }

    /// The state of an answer that goes to a server.
    public struct Submission: Sendable, Hashable {
        /// The states of an answer.
        public enum State: String, Sendable, Hashable {
            /// It waits to be sent.
            case queued
            /// It is being sent.
            case sending
            /// The server has accepted it, and it is final.
            case submitted
            /// The server refused it: answer again, or `retry`.
            case failed
            /// It was sent, but may not have arrived; only `retry` sends it again.
            case unconfirmed
        }

        /// The current state.
        public let state: State
        /// The number of attempts to send it.
        public let attempts: Int
        /// The last problem.
        public let problem: String?
    }

    /// Unfinished input. The daemon keeps it for the program that shows the form next, and sends it nowhere else.
    public struct Draft: Sendable, Hashable {
        /// The question at which the user left.
        public let page: String?
        /// The input by question: a text, an option, a list of options or a number, finished or not.
        public let answers: [String: Value]
    }

    /// The form's id in the configuration.
    public let id: String
    /// The user of the answers; nil if they are anonymous.
    public let userID: String?
    /// The title.
    public let title: String
    /// An introduction to the questions; may be empty.
    public let message: String
    /// The text for a completed form.
    public let completionMessage: String?
    /// Whether answers can be changed later. Answers that go to a server cannot be changed.
    public let isEditable: Bool
    /// The questions.
    public let questions: [Survey.Question]
    /// The questions on the route of the current answers, in order.
    public let route: [String]
    /// The answers, by question.
    public let answers: [String: Value]
    /// The states of answers that go to a server, by question.
    public let submissions: [String: Submission]
    /// Unfinished input.
    public let draft: Draft
    /// The progress.
    public let progress: Progress
    /// Whether all required answers are given and, with a server, accepted by it.
    public let isCompleted: Bool
    /// ISO-8601, UTC, with milliseconds; nil until the form is completed.
    public let completedAt: String?

    let link: Link
    let owner: FormOwner

    /// - Parameter before: The form so far, for parts that a reply does not repeat.
    init(_ json: JSONText, _ link: Link, _ owner: FormOwner, before: Form? = nil) {
        let told = FormInfo(json)
        id = told.formId
        self.link = link
        self.owner = owner
        userID = told.userId
        title = told.title
        message = told.message ?? before?.message ?? ""
        completionMessage = told.completionMessage ?? before?.completionMessage
        isEditable = told.editable ?? before?.isEditable ?? true
        questions =
            QuestionTexts(json).questions?.json.elements.compactMap { Survey.Question($0) } ?? before?.questions ?? []
        route = told.route
        answers = Value(told.answers.json).object ?? [:]
        let submissions = told.submissions?.json.membersByName ?? [:]
        self.submissions = submissions.compactMapValues { Submission(SubmissionInfo($0)) }
        draft = Draft(told.draft ?? DraftInfo())
        progress = Progress(told.progress)
        isCompleted = told.completed
        completedAt = told.completedAt?.description
    }
}

extension Form.Submission {
    init?(_ told: SubmissionInfo) {
        guard let state = State(rawValue: told.state) else { return nil }
        self.state = state
        attempts = Int(told.attempts)
        problem = told.problem
    }
}

extension Form.Draft {
    init(_ told: DraftInfo) {
        page = told.page
        answers = Value(told.answers.json).object ?? [:]
    }
}

extension Form.Progress {
    init(_ told: FormProgressInfo) {
        answered = Int(told.answered)
        total = Int(told.total)
        text = told.text
        next = told.next
    }
}
