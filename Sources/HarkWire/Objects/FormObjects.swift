/// How far a form is filled in.
package struct FormProgressInfo: WireObject {
    package var answered: Int64 = 0
    package var total: Int64 = 0
    package var text = ""
    package var next: String?
    package var waiting: Int64?
    package var failed: Int64?
    package var unconfirmed: Int64?

    package init() {}

    package static var title: String? { "FormProgress" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("answered", &answered, .count)
        m("total", &total, .count)
        m("text", &text)
        m("next", orNull: &next, "the question to go on with")
        m("waiting", &waiting, .count)
        m("failed", &failed, .count)
        m("unconfirmed", &unconfirmed, .count)
    }
}

/// What became of an answer that is sent to a server.
package struct SubmissionInfo: WireObject {
    package var state = ""
    package var attempts: Int64 = 0
    package var status: Int64?
    package var problem: String?
    package var nextAttemptAt: Timestamp?
    package var submittedAt: Timestamp?

    package init() {}

    package static var title: String? { "Submission" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("state", &state, .oneOf(SubmissionState.allCases.map(\.word)))
        m("attempts", &attempts, .count)
        m("status", orNull: &status, .whole, "of HTTP")
        m("problem", &problem)
        m("nextAttemptAt", &nextAttemptAt)
        m("submittedAt", &submittedAt)
    }
}

/// What was begun of a form.
package struct DraftInfo: WireObject {
    package var page: String?
    package var answers = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("page", orNull: &page)
        m("answers", &answers, .shaped(.answers))
    }
}

/// A form, and how somebody stands with it.
package struct FormInfo: WireObject {
    package var formId = ""
    package var userId: String?
    package var title = ""
    package var message: String?
    package var progress = FormProgressInfo()
    package var completed = false
    package var completedAt: Timestamp?
    package var startLabel: String?
    package var completionMessage: String?
    package var completionLabel: String?
    package var editable: Bool?
    package var questions: [QuestionInfo]?
    package var route: [String] = []
    package var answers = AnyJSON(.null)
    package var draft: DraftInfo?
    package var submissions: AnyJSON?

    package init() {}

    package static var title: String? { "Form" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId)
        m("userId", orNull: &userId)
        m("title", &title)
        m("message", &message)
        m("progress", &progress)
        m("completed", &completed)
        m("completedAt", orNull: &completedAt)
        m("startLabel", &startLabel)
        m("completionMessage", &completionMessage)
        m("completionLabel", &completionLabel)
        m("editable", &editable)
        m("questions", &questions)
        m("route", &route, "the questions on the way that the answers lead")
        m("answers", &answers, .shaped(.answers))
        m("draft", &draft)
        m("submissions", &submissions, .shaped(.map(SubmissionInfo.shape)), "by question, where answers go to a server")
    }
}

/// A form of the configuration, and how far somebody is with it.
package struct FormItemInfo: WireObject {
    package var formId = ""
    package var title = ""
    package var questions: Int64 = 0
    package var progress = FormProgressInfo()
    package var completed = false
    package var editable = false

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId)
        m("title", &title)
        m("questions", &questions, .count)
        m("progress", &progress)
        m("completed", &completed)
        m("editable", &editable)
    }
}

/// The result of `form.list`.
package struct FormPageInfo: WirePage {
    package var forms: [FormItemInfo] = []
    package var next: String?
    package var file: String?
    package var problems: [IssueInfo]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "forms", &forms,
            """
            each with `formId`, `title`, `questions` (how many), `progress`, `completed`, `editable`
            """)
        m.next(&next)
        m(
            "file", orNull: &file, leftOut: problems == nil,
            """
            the file or URL they were read from; null without forms. For administrators only
            """)
        m("problems", &problems, "the faults of that file, with JSON paths. For administrators only")
    }

    package var items: [FormItemInfo] { forms }
}

/// A result that has a form as it is now.
package protocol FormReport: WireObject {
    var form: AnyJSON { get set }
}

/// The result of `form.start`.
package struct FormStarted: FormReport {
    package var form = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "form", &form, .shaped(FormInfo.shape),
            """
            as in `form.progress`, with everything needed to show it: `message`, `questions`, `editable` \
            (whether answers can be changed later), `startLabel`, `completionMessage`, `completionLabel`
            """)
    }
}

/// The result of methods about a form.
package struct FormResult: FormReport {
    package var form = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "form", &form, .shaped(FormInfo.shape),
            """
            `formId`, `userId`, `title`, `progress`, `completed`, `completedAt`, `route` (the questions that these answers lead \
            to), `answers`, `draft` if there is one (`page` and `answers`, see `form.draft`), and `submissions` if answers go to \
            a server
            """)
    }
}

/// The result of `form.retry`.
package struct FormRetried: FormReport {
    package var retried: Int64 = 0
    package var form = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("retried", &retried, .count, "how many answers are sent again")
        m(
            "form", &form, .shaped(FormInfo.shape),
            """
            `formId`, `userId`, `title`, `progress`, `completed`, `completedAt`, `route` (the questions that these answers lead \
            to), `answers`, `draft` if there is one (`page` and `answers`, see `form.draft`), and `submissions` if answers go to \
            a server
            """)
    }
}
