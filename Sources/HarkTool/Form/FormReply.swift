import HarkClient
import HarkWire

/// A form as the daemon tells it: how far its user is and, from `form.start`, what there is to ask.
struct FormReply: Sendable {
    let formId: String
    let title: String
    let message: String
    let completionMessage: String?
    /// What the buttons say that begin and close it.
    let startLabel: String?
    let completionLabel: String?
    /// Whether answers can be changed later.
    let isEditable: Bool
    let questions: [SurveyQuestion]
    /// Whether there is a question of a kind that this version does not know.
    let isUnknown: Bool
    let route: [String]
    let answers: [String: JSONText]
    let submissions: [String: FormSubmission]
    let draft: FormDraft
    let progress: FormProgress
    let isCompleted: Bool
    /// As it came.
    let text: String

    /// Nil if it is no form.
    init?(_ form: JSONText) {
        guard let formId = form.member("formId")?.string else { return nil }
        self.formId = formId
        text = form.text
        title = form.member("title")?.string ?? formId
        message = form.member("message")?.string ?? ""
        completionMessage = form.member("completionMessage")?.string
        startLabel = form.member("startLabel")?.string
        completionLabel = form.member("completionLabel")?.string
        isEditable = form.member("editable")?.bool ?? (form.member("submissions") == nil)
        let questions = form.member("questions")?.elements ?? []
        self.questions = questions.compactMap { SurveyQuestion($0) }
        isUnknown = self.questions.count != questions.count
        route = form.member("route")?.elements.compactMap(\.string) ?? []
        answers = form.member("answers")?.membersByName ?? [:]
        submissions = form.member("submissions")?.membersByName.compactMapValues { FormSubmission($0) } ?? [:]
        draft = FormDraft(form.member("draft"))
        progress = FormProgress(form.member("progress"))
        isCompleted = form.member("completed")?.bool ?? false
    }
}

extension FormReply {
    /// Whether there is nothing of it yet.
    var isUntouched: Bool { answers.isEmpty && submissions.isEmpty && draft == FormDraft() }

    /// The question to show first: where its user left; else what nobody knows of, what was refused, or what waits for an
    /// answer. What is completed is gone through from the beginning.
    var firstPage: String? {
        if isCompleted, draft.answers.isEmpty { return route.first }
        if let page = draft.page, route.contains(page) { return page }
        for state in [SubmissionState.unconfirmed, .failed] {
            if let question = route.first(where: { submissions[$0]?.state == state }) { return question }
        }
        return progress.next ?? route.first
    }
}

/// What is begun of a form and not given as an answer, and the question where its user is.
struct FormDraft: Sendable, Equatable {
    var page: String?
    var answers: [String: JSONValue] = [:]

    init(page: String? = nil, answers: [String: JSONValue] = [:]) {
        self.page = page
        self.answers = answers
    }

    init(_ draft: JSONText?) {
        page = draft?.member("page")?.string
        answers = draft?.member("answers")?.membersByName.compactMapValues(\.answer) ?? [:]
    }
}

/// How far somebody is with a form.
struct FormProgress: Sendable, Equatable {
    var answered = 0
    var total = 0
    /// Answers of which the server has none for sure: refused, unknown, and on their way.
    var failed = 0
    var unconfirmed = 0
    var waiting = 0
    /// `2 of 5 Questions Answered`
    var text = ""
    /// The question that waits for an answer.
    var next: String?

    init(_ progress: JSONText?) {
        answered = Int(progress?.member("answered")?.int ?? 0)
        total = Int(progress?.member("total")?.int ?? 0)
        failed = Int(progress?.member("failed")?.int ?? 0)
        unconfirmed = Int(progress?.member("unconfirmed")?.int ?? 0)
        waiting = Int(progress?.member("waiting")?.int ?? 0)
        text = progress?.member("text")?.string ?? ""
        next = progress?.member("next")?.string
    }

    /// In a word, the most pressing first.
    func word(isCompleted: Bool) -> String {
        if isCompleted { return "completed" }
        if unconfirmed > 0 { return "unconfirmed" }
        if failed > 0 { return "failed" }
        if waiting > 0 { return "waiting" }
        return answered > 0 ? "begun" : "-"
    }
}

/// How an answer stands that goes to a server.
struct FormSubmission: Sendable, Equatable {
    let state: SubmissionState
    let attempts: Int64
    let problem: String?

    init?(_ submission: JSONText) {
        guard let state = submission.member("state")?.string.flatMap(SubmissionState.init(word:)) else { return nil }
        self.state = state
        attempts = submission.member("attempts")?.int ?? 0
        problem = submission.member("problem")?.string
    }

    /// Whether something is about to become of it.
    var isUnderWay: Bool { state == .sending || (state == .queued && problem == nil) }
    /// Whether it can be answered anew, or sent again.
    var isOpen: Bool { state == .queued || state == .failed || state == .unconfirmed }

    /// What went wrong, and what becomes of it; nil while nothing has.
    var failure: String? {
        guard state != .submitted, !isUnderWay else { return nil }
        let problem = problem ?? "it did not work"
        return switch state {
        case .queued: "\(problem); it is kept, and sent later"
        case .unconfirmed: "\(problem); the server may have the answer or not"
        default: problem
        }
    }
}

extension JSONText {
    /// The members of an object by their names.
    var membersByName: [String: JSONText] {
        var members: [String: JSONText] = [:]
        forEachMember { key, value in
            if let name = JSONText("\"\(String(decoding: key, as: UTF8.self))\"").string { members[name] = value }
            return true
        }
        return members
    }

    /// An answer, as a form holds it.
    var answer: JSONValue? {
        if isArray { return .array(elements.compactMap(\.answer)) }
        return string.map(JSONValue.string) ?? int.map(JSONValue.int)
    }
}
