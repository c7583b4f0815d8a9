/// The texts of a question in another language; nil keeps the original.
package struct QuestionTranslation: Sendable, Equatable {
    package var prompt: String?
    /// The label of each choice or rating, in order.
    package var labels: [String]?
    package var placeholder: String?
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
        return kind.choices?.count
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
        case .yesNo(let choices):
            question.kind = .yesNo(choices.labelled(texts.labels))
        case .consent(let choices, let version):
            question.kind = .consent(choices.labelled(texts.labels), version: version)
        case .ranking(let choices, let top):
            question.kind = .ranking(choices.labelled(texts.labels), top: top)
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
            question.kind = .text(field)
        case .rating(var rating):
            rating.labels = texts.labels ?? rating.labels
            question.kind = .rating(rating)
        case .nps, .moment, .note: break
        }
        return question
    }
}

extension [Question.Choice] {
    fileprivate func labelled(_ labels: [String]?) -> [Question.Choice] {
        guard let labels else { return self }
        return zip(self, labels).map { choice, label in
            var choice = choice
            choice.label = label
            return choice
        }
    }
}
