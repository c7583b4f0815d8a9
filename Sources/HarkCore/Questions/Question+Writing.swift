internal import HarkPattern
package import HarkWire

extension Question {
    /// The question with everything needed to show it and to check an answer before it is sent.
    ///
    /// - Parameter ratesOptions: whether options that read like ratings get a face.
    package func info(ratesOptions: Bool = true) -> QuestionInfo {
        var info = QuestionInfo()
        info.id = id
        info.type = kind.type.rawValue
        info.question = prompt
        info.of = of
        info.matrix = matrix?.info
        info.image = ImageInfo(image)
        info.required = isRequired
        info.when = when?.text
        info.shuffle = order.map { AnyJSON($0.value) }
        kind.fill(&info, ratesOptions)
        info.lowLabel = ends.low
        info.highLabel = ends.high
        return info
    }
}

extension Question.Kind {
    fileprivate func fill(_ info: inout QuestionInfo, _ ratesOptions: Bool) {
        if let choices { info.options = options(choices, ratesOptions) }
        switch self {
        case .consent(_, let version): info.version = version
        case .ranking(_, let top): info.top = Int64(top)
        case .multiple(_, let count):
            info.minSelections = Int64(count.lowerBound)
            info.maxSelections = Int64(count.upperBound)
        case .text(let field): info.text = field.info
        case .rating(let rating): rating.fill(&info)
        case .scale(let scale):
            scale.rule.fill(&info)
            if !scale.labels.isEmpty {
                info.labels = AnyJSON(
                    .object(JSONObject(scale.labels.map { ($0.number.description, .string($0.text)) })))
            }
            info.show = scale.control.rawValue
            info.showValue = scale.showsValue
        case .number(let rule): rule.fill(&info)
        case .moment(let rule):
            info.min = rule.bounds.min.map { AnyJSON(.string($0)) }
            info.max = rule.bounds.max.map { AnyJSON(.string($0)) }
        case .single, .yesNo: break
        case .nps, .note: break
        }
    }

    private func options(_ choices: [Question.Choice], _ ratesOptions: Bool) -> [QuestionOption] {
        let emoji = RatingEmoji.emoji(forAll: choices.map(\.ownLabel))
        // Only if all labels are ratings: colours or cities are none, and a star among faces would look like the best
        // one. The places of a ranking are none either.
        let isRanking = if case .ranking = self { true } else { false }
        let isRating = ratesOptions && !isRanking && emoji.allSatisfy { $0 != RatingEmoji.other }
        return zip(choices, emoji).map { choice, emoji in
            var option = QuestionOption()
            option.value = choice.value
            option.label = choice.label
            // A label that begins with a picture needs no second one.
            let face = isRating && !RatingEmoji.begins(choice.label) ? emoji : nil
            option.emoji = choice.emoji ?? face
            option.other = choice.isOther ? true : nil
            option.exclusive = choice.isExclusive ? true : nil
            option.image = ImageInfo(choice.image)
            return option
        }
    }
}

extension Question.Rating {
    fileprivate func fill(_ info: inout QuestionInfo) {
        info.scale = Int64(scale)
        if !labels.isEmpty { info.labels = AnyJSON(.array(labels.map(JSONValue.string))) }
        info.steps = shape.rawValue
        guard shape != .numbers else { return }
        info.emoji = (1...scale).map { RatingEmoji.emoji(for: $0, of: scale, as: shape) }
    }
}

extension NumberRule {
    fileprivate func fill(_ info: inout QuestionInfo) {
        info.min = min.map { AnyJSON($0.value) }
        info.max = max.map { AnyJSON($0.value) }
        info.step = step.map { AnyJSON($0.value) }
        info.unit = unit
    }
}

extension Question.TextField {
    var info: TextRulesInfo {
        var info = TextRulesInfo()
        info.placeholder = placeholder?.nonEmpty
        info.minLength = minLength.map { Int64($0) }
        info.maxLength = maxLength.map { Int64($0) }
        info.pattern = pattern?.text
        info.patternMessage = patternMessage
        return info
    }
}

extension Question.Matrix {
    fileprivate var info: QuestionMatrix {
        var info = QuestionMatrix()
        (info.id, info.question) = (id, prompt)
        return info
    }
}

extension ImageInfo {
    fileprivate init(_ image: Question.Image?) {
        self.init()
        (self.image, alt) = (image?.file, image?.alternative)
    }
}
