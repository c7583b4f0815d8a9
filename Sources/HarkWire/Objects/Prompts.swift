/// A question of a program.
package struct PromptInfo: WireObject {
    package var promptId = Identifier(high: 0, low: 0)
    package var name = ""
    package var state = ""
    package var askedBy: Int64 = 0
    package var keep = false
    package var askedAt: Timestamp?
    package var expiresAt: Timestamp?
    package var closedAt: Timestamp?
    package var reason: String?
    package var answers: AnyJSON?
    package var answeredBy: Int64?
    package var fallback: AnyJSON?
    package var content = SurveyContentInfo()
    package var presentations: [PromptPresentation] = []

    package init() {}

    package static var title: String? { "Prompt" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("promptId", &promptId)
        m("name", &name)
        m("state", &state, .oneOf(PromptState.allCases.map(\.rawValue)))
        m("askedBy", &askedBy, .uid, "the account whose program asks")
        m("keep", &keep)
        m("askedAt", &askedAt)
        m("expiresAt", &expiresAt)
        m("closedAt", &closedAt)
        m("reason", &reason, "why it was cancelled")
        m(
            "answers", &answers, .shaped(.answers),
            """
            by question id: `option`, `options`, `text`, `rating`; once it has expired, those of `default`
            """)
        m("answeredBy", &answeredBy, .uid, "who has answered")
        m("default", &fallback, .shaped(.answers), "what counts once it has expired")
        content.map(&m)
        m("presentations", &presentations, "one for each account that is asked")
    }
}

/// The showing of a prompt to an account.
package struct PromptPresentation: WireObject {
    package var presentationId = Identifier(high: 0, low: 0)
    package var uid: Int64 = 0
    package var state = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId)
        m("uid", &uid, .uid)
        m("state", &state, .oneOf(PresentationState.allCases.map(\.word)))
    }
}

/// The result of methods about a prompt.
package struct PromptReport: WireObject {
    package var prompt = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("prompt", &prompt, .shaped(PromptInfo.shape), "its state")
    }
}
