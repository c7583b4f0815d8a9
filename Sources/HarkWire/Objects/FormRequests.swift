/// The owner of a form or profile.
package struct FormOwner: WireObject, Equatable {
    /// Unsaid: the user of the open session.
    package var user = UserChoice.unsaid
    package var app: String?

    package init() {}

    /// - Parameter app: The app whose session is meant; nil for the default app.
    package init(_ user: UserChoice, app: String?) { (self.user, self.app) = (user, app) }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", &user, "the user; without it, the user of the current session")
        m("app", &app, "the application of that session; `default` without it")
    }
}

/// A method about somebody's forms or profile.
package protocol OwnerMethod: WireMethod {
    var owner: FormOwner { get set }
}

/// A method about a form, which gives the form as it is then.
package protocol FormMethod: OwnerMethod where Result: FormReport {
    var formId: String { get set }
}

package struct FormList: PagedMethod, OwnerMethod {
    package typealias Result = FormPageInfo
    package static let name = "form.list"

    package var owner = FormOwner()
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        owner.map(&m)
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "forms a page (1000)")
    }
}

package struct FormStart: FormMethod {
    package typealias Result = FormStarted
    package static let name = "form.start"

    package var formId = ""
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId, "which form")
        owner.map(&m)
    }
}

package struct FormAnswerRequest: FormMethod {
    package typealias Result = FormResult
    package static let name = "form.answer"

    package var formId = ""
    package var questionId: String?
    package var answer: AnyJSON?
    package var answers: AnyJSON?
    package var confirm: Bool?
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId, "which form")
        m("questionId", &questionId, "which question")
        m("answer", given: &answer, .anything, "the answer to it")
        m("answers", &answers, .anObject(.changedAnswers), "several answers at once, by question")
        m(
            "confirm", &confirm,
            "true: the reply waits until the server has answered, or the time for a request is over")
        owner.map(&m)
    }
}

package struct FormDraftRequest: FormMethod {
    package typealias Result = FormResult
    package static let name = "form.draft"

    package var formId = ""
    package var page: String?
    package var answers: AnyJSON?
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId, "which form")
        m("page", &page, "the question that the user sees")
        m(
            "answers", &answers, .anObject(.changedAnswers),
            "by question: a text, an option, an array of options or a number; null removes one")
        owner.map(&m)
    }
}

package struct FormRetry: FormMethod {
    package typealias Result = FormRetried
    package static let name = "form.retry"

    package var formId = ""
    package var questionId: String?
    package var confirm: Bool?
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId, "which form")
        m("questionId", &questionId, "the question whose answer to send; without it, all failed and waiting ones")
        m("confirm", &confirm, "as in `form.answer`")
        owner.map(&m)
    }
}

package struct FormProgressRequest: FormMethod {
    package typealias Result = FormResult
    package static let name = "form.progress"

    package var formId = ""
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId, "which form")
        owner.map(&m)
    }
}

package struct FormReset: OwnerMethod {
    package typealias Result = RemovedAnswers
    package static let name = "form.reset"

    package var formId = ""
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId, "which form")
        owner.map(&m)
    }
}
