/// The constraints of a text.
package struct TextRulesInfo: WireObject {
    package var placeholder: String?
    package var minLength: Int64?
    package var maxLength: Int64?
    package var pattern: String?
    package var patternMessage: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("placeholder", &placeholder)
        m("minLength", &minLength, .count)
        m("maxLength", &maxLength, .count)
        m("pattern", &pattern, "of a text: a regular expression (PCRE2) that the whole answer must match")
        m("patternMessage", &patternMessage, "the message for an answer that does not match")
    }
}

/// An image, and what it shows.
package struct ImageInfo: WireObject {
    package var image: String?
    package var alt: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("image", &image, "the path of an image's file, which the presenter reads itself")
        m("alt", &alt, "with an image: what it shows, for people who do not see it")
    }
}

/// An option of a question.
package struct QuestionOption: WireObject {
    package var value = ""
    package var label = ""
    package var emoji: String?
    package var other: Bool?
    package var exclusive: Bool?
    package var image = ImageInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("value", &value)
        m("label", &label)
        m("emoji", &emoji)
        m("other", &other, "true: the next question asks for a text with it")
        m("exclusive", &exclusive, "true: of several, it is chosen alone")
        image.map(&m)
    }
}

/// The matrix of a question that is one of its rows.
package struct QuestionMatrix: WireObject {
    package var id = ""
    package var question = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("question", &question)
    }
}

/// A question of a survey or a form.
package struct QuestionInfo: WireObject {
    package var id = ""
    package var type = ""
    package var question = ""
    package var of: String?
    package var matrix: QuestionMatrix?
    package var image = ImageInfo()
    package var required = true
    package var when: String?
    package var shuffle: AnyJSON?
    package var options: [QuestionOption]?
    package var version: String?
    package var top: Int64?
    package var minSelections: Int64?
    package var maxSelections: Int64?
    package var text = TextRulesInfo()
    package var scale: Int64?
    package var min: AnyJSON?
    package var max: AnyJSON?
    package var step: AnyJSON?
    package var unit: String?
    package var labels: AnyJSON?
    package var steps: String?
    package var emoji: [String]?
    package var show: String?
    package var showValue: Bool?
    package var lowLabel: String?
    package var highLabel: String?

    package init() {}

    package static var title: String? { "Question" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("type", &type, .oneOf(QuestionType.allCases.map(\.rawValue)))
        m("question", &question)
        m(
            "of", &of,
            """
            of the text of an option 'Other': the question with that option. The text is shown with it, and follows it in \
            `route` once the option is chosen
            """)
        m(
            "matrix", &matrix,
            """
            of a row of a matrix: the matrix, and its question for all rows. The rows of a matrix follow each other and are \
            shown together
            """)
        image.map(&m)
        m("required", &required)
        m("when", &when, "the condition without which it is passed over; `route` heeds it")
        m(
            "shuffle", &shuffle, .shaped(.either([.bool, .string])),
            """
            true or `exceptLast`: the options are shown in a random order for each showing; in a showing they are in this order \
            already
            """)
        m("options", &options)
        m("version", &version, "of a consent: the text that is agreed to")
        m("top", &top, .count, "of a ranking: how many are put in order")
        m("minSelections", &minSelections, .count)
        m("maxSelections", &maxSelections, .count)
        text.map(&m)
        m("scale", &scale, .count)
        m(
            "min", &min, .shaped(.either([.number, .string])),
            "of a scale or number: the least; of a date or time: the first, or `-7d` from today")
        m("max", &max, .shaped(.either([.number, .string])), "the greatest, or the last")
        m("step", &step, .shaped(.number), "answers are whole steps from `min`, or from 0")
        m("unit", &unit, "the unit of the number")
        m(
            "labels", &labels, .shaped(.either([.strings, .map(.string)])),
            "a text for each rating; of a scale, texts by the numbers they stand at")
        m("shape", &steps, .oneOf(ScaleShape.allCases.map(\.rawValue)), "of a rating: what its steps look like")
        m("emoji", &emoji)
        m("show", &show, .oneOf(ScaleControl.allCases.map(\.rawValue)), "what a scale looks like")
        m("showValue", &showValue, "whether a scale shows its numbers")
        m("lowLabel", &lowLabel, "the words at the low end of a scale")
        m("highLabel", &highLabel, "the words at its high end")
    }
}

/// The questions of a survey or a form, as they are.
package struct QuestionTexts: WireObject {
    package var questions: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("questions", &questions, .shaped(.array(QuestionInfo.shape)))
    }
}
