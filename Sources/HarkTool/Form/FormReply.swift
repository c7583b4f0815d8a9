import HarkClient
import HarkWire

/// A form as the daemon tells it: how far its user is and, from `form.start`, what there is to ask.
struct FormReply: Sendable {
    let formId: String
    let title: String
    let message: String
    let completionMessage: String?
    /// Whether answers can be changed later.
    let isEditable: Bool
    let questions: [SurveyQuestion]
    /// Whether there is a question of a kind that this version does not know.
    let isUnknown: Bool
    let route: [String]
    let answers: [String: JSONText]
    let submissions: [String: FormSubmission]
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
        isEditable = form.member("editable")?.bool ?? (form.member("submissions") == nil)
        let questions = form.member("questions")?.elements ?? []
        self.questions = questions.compactMap { SurveyQuestion($0) }
        isUnknown = self.questions.count != questions.count
        route = form.member("route")?.elements.compactMap(\.string) ?? []
        answers = form.member("answers")?.membersByName ?? [:]
        submissions = form.member("submissions")?.membersByName.compactMapValues { FormSubmission($0) } ?? [:]
        progress = FormProgress(form.member("progress"))
        isCompleted = form.member("completed")?.bool ?? false
    }
}

/// How far somebody is with a form.
struct FormProgress: Sendable, Equatable {
    var answered = 0
    var total = 0
    /// `2 of 5 Questions Answered`
    var text = ""
    /// The question that waits for an answer.
    var next: String?

    init(_ progress: JSONText?) {
        answered = Int(progress?.member("answered")?.int ?? 0)
        total = Int(progress?.member("total")?.int ?? 0)
        text = progress?.member("text")?.string ?? ""
        next = progress?.member("next")?.string
    }
}

/// How an answer stands that goes to a server.
struct FormSubmission: Sendable, Equatable {
    enum State: String, Sendable {
        case queued, sending, submitted, failed, unconfirmed
    }

    let state: State
    let attempts: Int64
    let problem: String?

    init?(_ submission: JSONText) {
        guard let state = submission.member("state")?.string.flatMap({ State(rawValue: $0) }) else { return nil }
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
