/// The bounds of a 95 % confidence interval.
package struct Interval: WireObject {
    package var low = 0.0
    package var high = 0.0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("low", &low, .real)
        m("high", &high, .real)
    }
}

/// A change, with its interval.
package struct ResultChange: WireObject {
    package var value = 0.0
    package var interval = Interval()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("value", &value, .real)
        interval.map(&m)
    }
}

/// The number of showings by outcome.
package struct ResultCounts: WireObject {
    package var shown: Int64 = 0
    package var scheduled: Int64 = 0
    package var ready: Int64 = 0
    package var presented: Int64 = 0
    package var answered: Int64 = 0
    package var dismissed: Int64 = 0
    package var expired: Int64 = 0
    package var cancelled: Int64 = 0
    package var abandoned: Int64 = 0
    package var people: Int64 = 0
    package var anonymous: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("shown", &shown, .count, "how many were shown")
        m("scheduled", &scheduled, .count, "how many wait for their time")
        m("ready", &ready, .count, "how many wait to be shown")
        m("presented", &presented, .count, "how many are being shown")
        m("answered", &answered, .count, "how many were answered")
        m("dismissed", &dismissed, .count, "how many were closed without an answer")
        m("expired", &expired, .count, "how many ended by themselves")
        m("cancelled", &cancelled, .count, "how many were taken away before an answer")
        m("abandoned", &abandoned, .count, "how many of the dismissed ones were left by a person without closing them")
        m("people", &people, .count, "how many different users answered, up to 200,000")
        m("anonymous", &anonymous, .count, "how many answers are anonymous")
    }
}

/// How often an answer was given.
package struct AnswerResult: WireObject {
    package var value = ""
    package var count: Int64 = 0
    package var share: Interval?
    package var first: Int64?
    package var meanRank: Double?
    package var change: ResultChange?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("value", &value)
        m("count", &count, .count)
        m(
            "share", &share,
            """
            the interval of the true share of all people (Wilson, 95 %); not with fewer than 10 answers
            """)
        m("first", &first, .count, "in a ranking: how often it was the first")
        m("meanRank", &meanRank, .real, "in a ranking: its mean place, of those who gave it one")
        m("change", &change, "of the share, from the wave before (Newcombe)")
    }
}

/// The answers to a question.
package struct QuestionResult: WireObject {
    package var questionId = ""
    package var question: String?
    package var answered: Int64 = 0
    package var netPromoterScore: Double?
    package var netPromoterInterval: Interval?
    package var satisfactionScore: Double?
    package var satisfactionInterval: Interval?
    package var mean: Double?
    package var meanInterval: Interval?
    package var change: ResultChange?
    package var answers: [AnswerResult] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("questionId", &questionId)
        m("question", &question)
        m("answered", &answered, .count, "how many answered it")
        m("netPromoterScore", &netPromoterScore, .number(in: -100...100))
        m("netPromoterInterval", &netPromoterInterval, "adjusted Wald, 95 %; not with fewer than 10 answers")
        m(
            "satisfactionScore", &satisfactionScore, .number(in: 0...100),
            "of a csat question: how many of 100 chose 4 or 5")
        m("satisfactionInterval", &satisfactionInterval, "Wilson, 95 %; not with fewer than 10 answers")
        m("mean", &mean, .real, "of a rating, a ces question, a scale or a number")
        m("meanInterval", &meanInterval, "by Student's t, 95 %; not with fewer than 10 answers")
        m("change", &change, "of the score or the mean, from the wave before")
        m("answers", &answers)
    }
}

/// How many came to a question, and how many left at it.
package struct DropOff: WireObject {
    package var questionId = ""
    package var seen: Int64 = 0
    package var answered: Int64 = 0
    package var left: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("questionId", &questionId)
        m("seen", &seen, .count)
        m("answered", &answered, .count)
        m("left", &left, .count)
    }
}

/// The first choice or number of an answer with a text.
package struct TextBeside: WireObject {
    package var questionId = ""
    package var value = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("questionId", &questionId)
        m("value", &value)
    }
}

/// A text that was answered.
package struct TextResult: WireObject {
    package var at = Timestamp.earliest
    package var questionId = ""
    package var text = ""
    package var beside: TextBeside?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("at", &at)
        m("questionId", &questionId)
        m("text", &text)
        m("beside", &beside, "the first choice or number of the same answer")
    }
}

/// The results of a wave, or of showings that have something in common.
package struct ResultPart: WireObject {
    package var from: Timestamp?
    package var until: Timestamp?
    package var by: AnyJSON?
    package var counts = ResultCounts()
    package var questions: [QuestionResult] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("from", &from, "with `boundaries`: from when")
        m("until", &until)
        m("by", &by, .shaped(Shape.groupKey), "with `by`: their common value; null: it is not known")
        counts.map(&m)
        m("questions", &questions)
    }
}

/// The result of `survey.results`.
package struct SurveyResultInfo: WireObject {
    package var surveyId = ""
    package var counts = ResultCounts()
    package var medianSecondsToAnswer: Double?
    package var questions: [QuestionResult] = []
    package var texts: [TextResult] = []
    package var dropOff: [DropOff] = []
    package var parts: [ResultPart]?
    package var rest: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "the survey")
        counts.map(&m)
        m(
            "medianSecondsToAnswer", orNull: &medianSecondsToAnswer,
            "from showing to answer; null without an answer; exact to 0.8 % with more than 4,096 answers")
        m("questions", &questions, "how often each answer was given, by question")
        m("texts", &texts, "the latest texts, newest first")
        m(
            "dropOff", &dropOff,
            """
            for each question, how often it was seen or answered (`seen`), how often it was answered, and how often the survey \
            was left at it
            """)
        m(
            "parts", &parts,
            """
            with `boundaries` or `by`: the parts with showings, with the change from the wave before, or with `variant` from the \
            first one
            """)
        m("rest", &rest, .count, "how many showings belong to further parts, for which there was no room (1,000)")
    }
}

/// What showings have shown.
package struct SurveyDefinition: WireObject {
    package var version = ""
    package var count: Int64 = 0
    package var firstAt = Timestamp.earliest
    package var lastAt = Timestamp.earliest
    package var shown = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("version", &version, "the name of what was shown, as in `survey.history`")
        m("count", &count, .count, "how many showings showed it")
        m("firstAt", &firstAt)
        m("lastAt", &lastAt)
        m("shown", &shown, .objectValue, "what was shown: `title`, `message`, `responseType`, `questions`")
    }
}

/// The result of `survey.definitions`.
package struct DefinitionPage: WireObject {
    package var current: AnyJSON?
    package var definitions: [SurveyDefinition] = []
    package var next: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "current", orNull: &current, .shaped(SurveyContentInfo.shape),
            """
            what it shows by the present configuration, without translations; null: the configuration no longer has it
            """)
        m("definitions", &definitions, "what its showings have shown; each translation is a definition of its own")
        m.next(&next)
    }
}
