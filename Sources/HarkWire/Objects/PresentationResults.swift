/// The result of `survey.pending`.
package struct PresentationPage: WireObject {
    package var surveys = AnyJSON(.null)
    package var next: String?
    package var notifyProblem: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "surveys", &surveys, .shaped(.array(PresentationInfo.shape)),
            """
            each with `presentationId`, `surveyId`, `state`, `userId`, `sessionId`, `app`, `triggerAt`, and what \
            is shown: `title`, `message`, `response`, `questions`, `notification`
            """)
        m.next(&next)
        m(
            "notifyProblem", orNull: &notifyProblem,
            """
            why nobody sees ready surveys, such as a missing session bus or presenter; null: no reason is known. The output of a \
            hook is for administrators only
            """)
    }
}

/// The result of `survey.history`.
package struct HistoryPage: WireObject {
    package var presentations = AnyJSON(.null)
    package var next: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "presentations", &presentations, .shaped(.array(PresentationInfo.shape)),
            """
            each as in `survey.pending`, without what is shown; if known, `presentedAt`, `closedAt`, `reason`, `answers`, and \
            `times` of each step
            """)
        m.next(&next)
    }
}

/// The result of methods that give one presentation.
package struct PresentationResult: WireObject {
    package var survey = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("survey", &survey, .shaped(PresentationInfo.shape), "the presentation, as in `survey.pending`")
    }
}

/// The result of `survey.change`.
package struct ChangedPresentation: WireObject {
    package var survey = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "survey", &survey, .shaped(PresentationInfo.shape),
            "the presentation that has the answers now, with what it `revises`")
    }
}

/// The event against which a survey was explained.
package struct ExplainedEvent: WireObject {
    package var seq: Int64 = 0
    package var name = ""
    package var timestamp = Timestamp.earliest

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("seq", &seq, .count)
        m("name", &name)
        m("timestamp", &timestamp)
    }
}

/// A check that decides whether a survey is shown.
package struct SurveyCheck: WireObject {
    package var check = ""
    package var passed = false
    package var explanation = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("check", &check)
        m("passed", &passed)
        m("explanation", &explanation)
    }
}

/// The result of `survey.explain`.
package struct SurveyExplained: WireObject {
    package var surveyId = ""
    package var userId: String?
    package var event: ExplainedEvent?
    package var wouldShow = false
    package var gatingBypassed = false
    package var checks: [SurveyCheck] = []
    package var notShown: String?
    package var notifyProblem: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "the survey")
        m("userId", orNull: &userId, "the user; null: anonymous")
        m("event", &event, "the event that was named")
        m("wouldShow", &wouldShow, "whether it would")
        m("gatingBypassed", &gatingBypassed, "debug mode: the checks of gating do not count")
        m("checks", &checks, "each with `check`, `passed` and `explanation`, which has the numbers")
        m(
            "notShown", orNull: &notShown,
            """
            why a waiting showing is not on a screen; null: none waits, or nothing is known that keeps it from being shown
            """)
        m("notifyProblem", orNull: &notifyProblem, "as in `survey.list`; null also while a presenter is there")
    }
}

/// The result of `survey.reset`.
package struct ForgottenSurveys: WireObject {
    package var reset: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("reset", &reset, .count, "how many surveys were reset")
    }
}

/// The params of notifications about surveys.
package struct SurveyNotice: WireObject {
    package var survey = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("survey", &survey, .shaped(PresentationInfo.shape))
    }
}
