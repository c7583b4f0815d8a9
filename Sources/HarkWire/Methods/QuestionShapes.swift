/// The questions and answers of surveys and forms.
extension Shape {
    static let answer = Shape.either([.string, .strings, .integer])
    static let answers = Shape.map(.answer)
    /// Null withdraws an answer.
    static let changedAnswers = Shape.map(.orNull(.answer))

    /// The constraints of a text.
    static let textRules: [Member] = [
        .maybe("placeholder", .string), .maybe("minLength", .count), .maybe("maxLength", .count),
    ]

    static let question = Shape.named(
        "Question",
        .members(
            [
                .always("id", .string), .always("type", MemberType<QuestionType>.word.shape),
                .always("question", .string), .always("required", .bool),
                .maybe(
                    "options",
                    .array(
                        .members([.always("value", .string), .always("label", .string), .maybe("emoji", .string)]))),
                .maybe("minSelections", .count), .maybe("maxSelections", .count), .maybe("scale", .count),
                .maybe("labels", .strings), .maybe("emoji", .strings),
                .maybe("shape", MemberType<ScaleShape>.word.shape, "of a rating: what its steps look like"),
                .maybe("lowLabel", .string, "the words at the low end of a scale"),
                .maybe("highLabel", .string, "the words at its high end"),
            ] + textRules))
}
