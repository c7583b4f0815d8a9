internal import HarkClient

/// A form that somebody fills in at leisure, and how far that is.
///
/// ```swift
/// var form = try await EventRecorder.shared.form("onboarding")
/// form = try await form.answer(["primaryGoal": "Improve sleep"])
/// print(form.progress.text, form.isCompleted)
/// ```
public struct Form: Sendable, Identifiable {
    /// How far somebody is.
    public struct Progress: Sendable, Hashable {
        /// Answers that count; where they go to a server, those it has taken.
        public let answered: Int
        /// Questions on the way that the answers lead.
        public let total: Int
        /// `2 of 5 Questions Answered`.
        public let text: String
        /// The first question that waits for an answer.
        public let next: String?
    }

    /// How an answer stands that goes to a server.
    public struct Submission: Sendable, Hashable {
        /// The states an answer goes through.
        public enum State: String, Sendable, Hashable {
            /// It waits to be sent.
            case queued
            /// It is on its way.
            case sending
            /// The server has it, and it is final.
            case submitted
            /// The server refused it: answer anew, or `retry`.
            case failed
            /// It went out, and nobody knows whether it arrived; only `retry` sends it again.
            case unconfirmed
        }

        /// Where it stands.
        public let state: State
        /// How often it was sent.
        public let attempts: Int
        /// What went wrong last.
        public let problem: String?
    }

    /// What was begun and not given as an answer yet. It is kept by the daemon for whoever shows the form next, and goes
    /// nowhere else.
    public struct Draft: Sendable, Hashable {
        /// The question where somebody left.
        public let page: String?
        /// By question: a text, an option, a list of options or a number, as far as it was written or chosen.
        public let answers: [String: Value]
    }

    /// The form's id in the configuration.
    public let id: String
    /// Whose answers these are; nil for nobody in particular.
    public let userID: String?
    /// Its heading.
    public let title: String
    /// A word before the questions; may be empty.
    public let message: String
    /// What is said when everything is answered.
    public let completionMessage: String?
    /// Whether answers can be changed later; those that go to a server cannot.
    public let isEditable: Bool
    /// What is asked.
    public let questions: [Survey.Question]
    /// The questions on the way that the answers lead, in order.
    public let route: [String]
    /// What was answered, by question.
    public let answers: [String: Value]
    /// How answers stand that go to a server, by question.
    public let submissions: [String: Submission]
    /// What was begun and not given as an answer yet.
    public let draft: Draft
    /// How far it is.
    public let progress: Progress
    /// Whether every answer that is needed is there and, where answers go to a server, there too.
    public let isCompleted: Bool
    /// ISO-8601, UTC, with milliseconds; nil before.
    public let completedAt: String?

    let link: Link
    let place: RequestParams

    /// - Parameter before: what a reply does not repeat.
    init?(_ json: JSONText?, _ link: Link, _ place: RequestParams, before: Form? = nil) {
        guard let json, let id = json.member("formId")?.string else { return nil }
        self.id = id
        self.link = link
        self.place = place
        userID = json.member("userId")?.string
        title = json.member("title")?.string ?? id
        message = json.member("message")?.string ?? before?.message ?? ""
        completionMessage = json.member("completionMessage")?.string ?? before?.completionMessage
        isEditable = json.member("editable")?.bool ?? before?.isEditable ?? true
        questions =
            json.member("questions")?.elements.compactMap { Survey.Question($0) } ?? before?.questions ?? []
        route = json.member("route")?.elements.compactMap(\.string) ?? []
        answers = json.member("answers").map { Value($0) }?.object ?? [:]
        submissions = (json.member("submissions").map { Value($0) }?.object ?? [:]).compactMapValues { Submission($0) }
        draft = Draft(json.member("draft").map { Value($0) })
        progress = Progress(json.member("progress").map { Value($0) })
        isCompleted = json.member("completed")?.bool ?? false
        completedAt = json.member("completedAt")?.string
    }
}

extension Form.Submission {
    init?(_ value: Value) {
        guard let state = value["state"]?.string.flatMap(State.init) else { return nil }
        self.state = state
        attempts = value["attempts"]?.integer ?? 0
        problem = value["problem"]?.string
    }
}

extension Form.Draft {
    init(_ value: Value?) {
        page = value?["page"]?.string
        answers = value?["answers"]?.object ?? [:]
    }
}

extension Form.Progress {
    init(_ value: Value?) {
        answered = value?["answered"]?.integer ?? 0
        total = value?["total"]?.integer ?? 0
        text = value?["text"]?.string ?? ""
        next = value?["next"]?.string
    }
}
