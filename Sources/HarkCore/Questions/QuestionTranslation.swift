/// The texts of a question in another language; nil keeps the original.
package struct QuestionTranslation: Sendable, Equatable {
    package var prompt: String?
    /// The label of each choice or rating, in order.
    package var labels: [String]?
    package var placeholder: String?
    package var ends = ScaleEnds()

    package init(prompt: String? = nil, labels: [String]? = nil, placeholder: String? = nil) {
        self.prompt = prompt
        self.labels = labels
        self.placeholder = placeholder
    }
}

extension Question {
    /// The number of labels that a translation needs; nil when there are none to translate.
    var labelCount: Int? {
        switch kind {
        case .single(let choices), .multiple(let choices, _): choices.count
        case .rating(let rating): rating.scale
        case .text, .nps: nil
        }
    }

    /// The question in another language. Choices keep their values; only the labels change.
    func translated(_ texts: QuestionTranslation) -> Question {
        var question = self
        if let prompt = texts.prompt { question.prompt = prompt }
        question.ends = ends.translated(texts.ends)
        switch kind {
        case .single(let choices):
            question.kind = .single(choices.labelled(texts.labels))
        case .multiple(let choices, let count):
            question.kind = .multiple(choices.labelled(texts.labels), count)
        case .text(var field):
            field.placeholder = texts.placeholder ?? field.placeholder
            question.kind = .text(field)
        case .rating(var rating):
            rating.labels = texts.labels ?? rating.labels
            question.kind = .rating(rating)
        case .nps: break
        }
        return question
    }
}

extension [Question.Choice] {
    fileprivate func labelled(_ labels: [String]?) -> [Question.Choice] {
        guard let labels else { return self }
        return zip(self, labels).map { Question.Choice($0.value, label: $1, emoji: $0.emoji) }
    }
}
