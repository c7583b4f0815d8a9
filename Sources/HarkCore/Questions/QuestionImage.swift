internal import HarkWire

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

        func writeMembers(to json: inout JSONWriter) {
            json.key("image")
            json.string(file)
            json.key("alt")
            json.string(alternative)
        }
    }
}

extension Question.Kind {
    package var hasImages: Bool { choices?.contains { $0.image != nil } ?? false }

    /// The kind with each choice changed; kinds without choices stay as they are.
    func mapChoices(_ change: (Question.Choice) -> Question.Choice) -> Question.Kind {
        switch self {
        case .single(let choices): .single(choices.map(change))
        case .multiple(let choices, let count): .multiple(choices.map(change), count)
        case .yesNo(let choices): .yesNo(choices.map(change))
        case .consent(let choices, let version): .consent(choices.map(change), version: version)
        case .ranking(let choices, let top): .ranking(choices.map(change), top: top)
        case .text, .rating, .nps, .scale, .number, .moment, .note: self
        }
    }
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
                question.kind = question.kind.mapChoices { choice in
                    var choice = choice
                    choice.image = choice.image.map(placed)
                    return choice
                }
                return question
            })
    }
}
