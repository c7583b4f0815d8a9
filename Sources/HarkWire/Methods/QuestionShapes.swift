/// The questions and answers of surveys and forms.
extension Shape {
    static let answer = Shape.either([.string, .strings, .number])
    static let answers = Shape.map(.answer)
    /// Null withdraws an answer.
    static let changedAnswers = Shape.map(.orNull(.answer))

    /// The constraints of a text.
    static let textRules: [Member] = [
        .maybe("placeholder", .string), .maybe("minLength", .count), .maybe("maxLength", .count),
        .maybe("pattern", .string, "of a text: a regular expression of PCRE2, which the whole answer matches"),
        .maybe("patternMessage", .string, "what to say of an answer that does not match"),
    ]

    /// An image, and what it shows.
    private static let image: [Member] = [
        .maybe("image", .string, "the path of an image's file, which the presenter reads itself"),
        .maybe("alt", .string, "with an image: what it shows, for people who do not see it"),
    ]

    static let question = Shape.named(
        "Question",
        .members(
            [
                .always("id", .string), .always("type", MemberType<QuestionType>.word.shape),
                .always("question", .string), .always("required", .bool),
                .maybe(
                    "of", .string,
                    "of the text of an option 'Other': the question that has it, which it is shown with and follows in "
                        + "`route` once that is chosen"),
                .maybe(
                    "matrix", .members([.always("id", .string), .always("question", .string)]),
                    "of a row of a matrix: the matrix, and what it asks of all rows; those of one follow each other and are shown "
                        + "together"),
                .maybe("when", .string, "the condition without which it is passed over; `route` heeds it"),
            ] + image + [
                .maybe(
                    "options",
                    .array(
                        .members(
                            [
                                .always("value", .string), .always("label", .string), .maybe("emoji", .string),
                                .maybe("other", .bool, "true: a text is asked for beside it, by the next question"),
                                .maybe("exclusive", .bool, "true: of several, it is chosen alone"),
                            ] + image))),
                .maybe(
                    "shuffle", .either([.bool, .string]),
                    "true or `exceptLast`: the options are shown in an order drawn for the showing; where they are told to show "
                        + "them, they have it already"),
                .maybe("top", .count, "of a ranking: how many are put in order"),
                .maybe("version", .string, "of a consent: of the text that is agreed to"),
                .maybe("minSelections", .count), .maybe("maxSelections", .count), .maybe("scale", .count),
                .maybe(
                    "labels", .either([.strings, .map(.string)]),
                    "a text for each rating; of a scale, texts by the numbers they stand at"),
                .maybe("emoji", .strings),
                .maybe("shape", MemberType<ScaleShape>.word.shape, "of a rating: what its steps look like"),
                .maybe("lowLabel", .string, "the words at the low end of a scale"),
                .maybe("highLabel", .string, "the words at its high end"),
                .maybe(
                    "min", .either([.number, .string]),
                    "of a scale or number: the least; of a date or time: the first, or `-7d` from today"),
                .maybe("max", .either([.number, .string]), "the greatest, or the last"),
                .maybe("step", .number, "answers are whole steps from `min`, or from 0"),
                .maybe("unit", .string, "what the number counts"),
                .maybe("show", MemberType<ScaleControl>.word.shape, "what a scale looks like"),
                .maybe("showValue", .bool, "whether a scale tells its numbers"),
            ] + textRules))
}
