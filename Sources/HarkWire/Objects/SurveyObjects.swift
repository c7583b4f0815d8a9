/// How a survey without several questions is answered.
package struct ResponseInfo: WireObject {
    package var type = ""
    package var options: [String]?
    package var optionsLabel: String?
    package var textField: ResponseTextInfo?
    package var allowEmpty: Bool?
    package var text = TextRulesInfo()
    package var submitLabel: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("type", &type, .oneOf(["options", "text", "combined"]))
        m("options", &options)
        m("optionsLabel", &optionsLabel)
        m("textField", &textField)
        m("allowEmpty", &allowEmpty)
        text.map(&m)
        m("submitLabel", &submitLabel)
    }
}

/// The text beside the options of a survey.
package struct ResponseTextInfo: WireObject {
    package var label: String?
    package var required = false
    package var rules = TextRulesInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("label", &label)
        m("required", &required)
        rules.map(&m)
    }
}

/// What is read once a survey is answered.
package struct ThanksInfo: WireObject {
    package var title = ""
    package var message: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("title", &title)
        m("message", &message)
    }
}

/// The notification of a survey.
package struct NotificationInfo: WireObject {
    package var title = ""
    package var body = ""
    package var sound = true

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("title", &title)
        m("body", &body)
        m("sound", &sound)
    }
}

/// What is shown of a survey.
package struct SurveyContentInfo: WireObject {
    package var title = ""
    package var message = ""
    package var responseType = ""
    package var piping: Bool?
    package var submitLabel: String?
    package var thanks: ThanksInfo?
    package var response: ResponseInfo?
    package var questions: [QuestionInfo] = []
    package var locale: String?
    package var shuffle: Bool?
    package var notification: NotificationInfo?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("title", &title)
        m("message", &message)
        m("responseType", &responseType, .oneOf(ResponseType.allCases.map(\.rawValue)))
        m("piping", &piping, "true: its texts have places for values, as in `{event.amount}`")
        m("submitLabel", &submitLabel)
        m("thanks", &thanks, "read once it is answered")
        m("response", &response, "unless it has several questions")
        m("questions", &questions)
        m("locale", &locale, "of the translation, where it is one")
        m("shuffle", &shuffle, "in `survey.definitions`, true: options of it were shown in orders of their own")
        m("notification", &notification)
    }
}

/// A survey of the configuration.
package struct SurveyRuleInfo: WireObject {
    package var surveyId = ""
    package var event: String?
    package var delaySeconds = 0.0
    package var plan: String?
    package var counters: AnyJSON?
    package var priority: Int64?
    package var groups: [String]?
    package var atMost: [String]?
    package var audience: [String]?
    package var cancelOn: [String]?
    package var quota: [String]?
    package var variants: [String]?
    package var content = SurveyContentInfo()

    package init() {}

    package static var title: String? { "Survey" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("event", orNull: &event, "null: counters alone")
        m("delaySeconds", &delaySeconds, .span)
        m("plan", &plan, "of a schedule with `event` for joining: the plan part as it is hashed")
        m("counters", &counters, .objectValue, "the condition, where there is one")
        m("priority", &priority, .integer(in: -1_000...1_000), "unless it is 0")
        m("groups", &groups, "the groups that it is in")
        m("atMost", &atMost, "its caps, in words")
        m("audience", &audience, "the conditions on its user, in words")
        m("cancelOn", &cancelOn, "the events that cancel it while it waits, in words")
        m("quota", &quota, "how many answers are enough, in words")
        m("variants", &variants, "the ids of its wordings")
        content.map(&m)
    }
}

/// The result of `survey.list`.
package struct SurveyRulePage: WirePage {
    package var surveys: [SurveyRuleInfo] = []
    package var next: String?
    package var file: String?
    package var problems: [IssueInfo]?
    package var notifyProblem: String?

    package init() {}

    package var items: [SurveyRuleInfo] { surveys }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "surveys", &surveys,
            """
            each with `surveyId`, `event` (null: counters alone), `delaySeconds`, `counters` if it looks at any, and what is \
            shown
            """)
        m.next(&next)
        m(
            "file", orNull: &file, leftOut: problems == nil,
            """
            the file or URL they were read from; null without surveys. For administrators only
            """)
        m("problems", &problems, "the faults of that file, with JSON paths. For administrators only")
        m(
            "notifyProblem", orNull: &notifyProblem,
            """
            why nobody sees ready surveys, such as a missing session bus or presenter; null: no reason is known. The output of a \
            hook is for administrators only
            """)
    }
}
