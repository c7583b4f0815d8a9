/// The questions and answers of surveys and forms.
extension Shape {
    static let answer = Shape.either([.string, .strings, .number])
    static let answers = Shape.map(.answer)
    /// Null withdraws an answer.
    static let changedAnswers = Shape.map(.orNull(.answer))
}
