/// The texts of a question in another language; nil keeps the original.
package struct QuestionTranslation: Sendable, Equatable {
    package var prompt: String?
    /// The label of each choice or rating, in order.
    package var labels: [String]?
    /// The label of the option "Other".
    package var other: String?
    /// The prompt for all rows of the matrix.
    package var matrix: String?
    /// The description of the question's image, and the descriptions of its choices' images, in order.
    package var alternative: String?
    package var alternatives: [String?] = []
    package var placeholder: String?
    package var patternMessage: String?
    package var ends = ScaleEnds()
    /// The words at numbers of a scale, and the unit of a number.
    package var points: [Scale.Label] = []
    package var unit: String?

    package init(prompt: String? = nil, labels: [String]? = nil, placeholder: String? = nil) {
        self.prompt = prompt
        self.labels = labels
        self.placeholder = placeholder
    }
}

extension Question {
    /// The number of labels that a translation needs; nil when there are none to translate.
    var labelCount: Int? {
        if case .rating(let rating) = kind { return rating.scale }
        return kind.choices?.count { !$0.isOther }
    }

    /// The question in another language. Choices keep their values; only the labels change.
    func translated(_ texts: QuestionTranslation) -> Question {
        var question = self
        if let prompt = texts.prompt { question.prompt = prompt }
        if let matrix = texts.matrix { question.matrix?.prompt = matrix }
        question.ends = ends.translated(texts.ends)
        if let alternative = texts.alternative { question.image?.alternative = alternative }
        question.kind = kind.changingChoices { $0.translated(texts) }
        switch kind {
        case .scale(var scale):
            scale.rule.unit = texts.unit ?? scale.rule.unit
            for place in scale.labels.indices {
                let text = texts.points.first { $0.number == scale.labels[place].number }?.text
                scale.labels[place].text = text ?? scale.labels[place].text
            }
            question.kind = .scale(scale)
        case .number(var rule):
            rule.unit = texts.unit ?? rule.unit
            question.kind = .number(rule)
        case .text(var field):
            field.placeholder = texts.placeholder ?? field.placeholder
            field.patternMessage = texts.patternMessage ?? field.patternMessage
            question.kind = .text(field)
        case .rating(var rating):
            rating.labels = texts.labels ?? rating.labels
            question.kind = .rating(rating)
        default: break
        }
        return question
    }
}

extension [Question.Choice] {
    fileprivate func translated(_ texts: QuestionTranslation) -> [Question.Choice] {
        var choices = self
        for (place, label) in zip(choices.indices, texts.labels ?? []) { choices[place].label = label }
        for place in choices.indices where choices[place].isOther {
            choices[place].label = texts.other ?? choices[place].label
        }
        for (place, alternative) in zip(choices.indices, texts.alternatives) {
            if let alternative { choices[place].image?.alternative = alternative }
        }
        return choices
    }
}
