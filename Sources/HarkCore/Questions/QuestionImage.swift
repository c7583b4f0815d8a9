extension Question {
    /// An image of a question or an option, and the text for people who do not see it.
    package struct Image: Sendable, Equatable {
        /// The path of a file. In a document, a relative path starts at the folder of the settings.
        package var file: String
        package var alternative: String

        package init(_ file: String, alternative: String) {
            self.file = file
            self.alternative = alternative
        }
    }
}

extension Question.Kind {
    package var hasImages: Bool { choices?.contains { $0.image != nil } ?? false }
}

extension Questionnaire {
    /// The questionnaire for presenters.
    ///
    /// - Parameter path: returns the absolute path of a file.
    package func withImages(at path: (String) -> String) -> Questionnaire {
        guard questions.contains(where: { $0.image != nil || $0.kind.hasImages }) else { return self }
        func placed(_ image: Question.Image) -> Question.Image {
            Question.Image(path(image.file), alternative: image.alternative)
        }
        return Questionnaire(
            questions.map { question in
                var question = question
                question.image = question.image.map(placed)
                question.kind = question.kind.changingChoices { choices in
                    var choices = choices
                    for place in choices.indices { choices[place].image = choices[place].image.map(placed) }
                    return choices
                }
                return question
            })
    }
}
