package struct SurveyPresent: WireMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.present"

    package var presentationId: String?
    package var app: String?
    package var locale: String?
    package var surface: Surface?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "which one; without it, the next that is ready")
        m("app", &app, "without an id: the application; `default` without it")
        m("locale", &locale, "the language to show it in, as in `de-AT`")
        m(
            "surface", &surface,
            """
            where the person sees it (`app`); a `notification` does not show its questions, and a `kiosk` is used by another \
            person each time
            """)
    }
}

/// A method about a showing.
package protocol PresentationMethod: WireMethod {
    var presentationId: String { get set }
}

extension PresentationMethod {
    package init(_ presentationId: String) {
        self.init()
        self.presentationId = presentationId
    }

    /// The id; zeros if it is none, which no request that was read has.
    package var presentation: Identifier { Identifier(presentationId) ?? Identifier(high: 0, low: 0) }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "the showing")
    }
}

package struct SurveyAnswer: PresentationMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.answer"

    package var presentationId = ""
    package var option: String?
    package var text: String?
    package var answers: AnyJSON?
    package var partial: Bool?
    /// Whether it can be undone.
    package var hold: Bool?
    package var isTried: Bool?
    package var locale: String?
    /// The question before the person.
    package var shown: String?
    package var surface: Surface?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "the showing")
        m("option", &option, "the choice")
        m("text", &text, "the text")
        m("answers", &answers, .anObject(.changedAnswers), "by question id; null takes one back")
        m("partial", &partial, "true: keep these answers, more will follow")
        m("hold", &hold, "true: keep this answer so that it can be undone; it counts once this connection ends")
        m("try", &isTried, "true: keep and show nothing, and return the reply that `partial` would get")
        m("locale", &locale, "the language to show it in, as in `de-AT`")
        m("shown", &shown, "with `partial`: the id of the question on the screen now (the next one)")
        m("surface", &surface, "where it is answered if it was not presented (`script`)")
    }
}

package struct SurveyChange: PresentationMethod {
    package typealias Result = ChangedPresentation
    package static let name = "survey.change"

    package var presentationId = ""
    package var option: String?
    package var text: String?
    package var answers: AnyJSON?
    package var takeBack: Bool?
    package var isTried: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "the showing")
        m("option", &option, "the choice")
        m("text", &text, "the text")
        m(
            "answers", &answers, .anObject(.changedAnswers),
            "the answers that change, by question id; null takes one back")
        m("takeBack", &takeBack, "true: take all answers back, so that they no longer count")
        m(
            "try", &isTried,
            "true: change nothing, and return whether the change is possible, and the `route` of the answers")
    }
}

package struct SurveyNotified: PresentationMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.notified"

    package var presentationId = ""

    package init() {}
}

package struct SurveyAway: PresentationMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.away"

    package var presentationId = ""
    package var reason = Absence.locked

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "the showing")
        m("reason", &reason, "why nobody sees it now")
    }
}

package struct SurveyDismiss: PresentationMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.dismiss"

    package var presentationId = ""
    package var scope: DismissalScope?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "the showing")
        m(
            "for", &scope,
            """
            `once` (default); `ever`: this account is not asked this survey again, by any app ([mute.set](#muteset)); \
            `abandoned`: the person left without closing it
            """)
    }
}

package struct SurveySnooze: PresentationMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.snooze"

    package var presentationId = ""
    package var seconds: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId, .id, "the showing")
        m("seconds", &seconds, .integer(in: 1...31_536_000), "how long; at most a year")
    }
}

package struct SurveyRelease: PresentationMethod {
    package typealias Result = PresentationResult
    package static let name = "survey.release"

    package var presentationId = ""

    package init() {}
}

package struct SurveyExplain: WireMethod {
    package typealias Result = SurveyExplained
    package static let name = "survey.explain"

    package var surveyId = ""
    package var user = UserChoice.unsaid
    package var app: String?
    package var seq: Int64?
    package var last: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "which survey")
        m("userId", &user, "the user; without it, the user of the current session")
        m.whichApp(&app)
        m(
            "seq", &seq, .integer(in: 1 ... .max),
            "check this event, which you recorded; without `app` and `userId`, those of the event count")
        m("last", &last, "check your last event in this app with the name that the survey listens to")
    }
}

package struct SurveyReset: WireMethod {
    package typealias Result = ForgottenSurveys
    package static let name = "survey.reset"

    package var user = UserChoice.unsaid
    package var surveyId: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", &user, "the user; null or left out: anonymous")
        m("surveyId", &surveyId, "the survey; without it, all surveys")
    }
}

package struct SurveySubscribe: WireMethod {
    package static let name = "survey.subscribe"
    package static var notifications: [NotificationShape] {
        [.surveyScheduled, .surveyReady, .surveyPresented, .surveyPresent, .surveyClosed]
    }

    package var presenter: Bool?
    package var app: String?
    package var locale: String?
    package var surface: Surface?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presenter", &presenter, "true: present here")
        m.onlyApp(&app)
        m("locale", &locale, "the language to present in, as in `de-AT`")
        m(
            "surface", &surface,
            """
            where the person sees it (`app`); a `notification` does not show its questions, and a `kiosk` is used by another \
            person each time
            """)
    }

    package struct Result: WireObject {
        package var subscription: Int64 = 0

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("subscription", &subscription, .integer(in: 1 ... .max), "its number on this connection")
        }
    }
}
