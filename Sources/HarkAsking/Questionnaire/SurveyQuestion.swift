package import HarkClient
package import HarkPattern
package import HarkWire

/// A question, as the daemon sends it to presenters.
package struct SurveyQuestion: Sendable, Equatable {
    package let id: String
    /// Empty if the survey's message is the question.
    package let prompt: String
    package let isRequired: Bool
    /// The question whose option "Other" this text explains; nil for all other questions.
    package let of: String?
    /// The matrix to which this row belongs; nil for all other questions.
    package let matrix: Matrix?
    /// An image below the prompt.
    package let image: QuestionImage?
    package let kind: Kind
    /// The words at the ends of a scale, if any.
    package let ends: Ends
    /// Whether several choices have an order, the best first.
    package let isRanking: Bool
    /// The look of a rating's steps; nil for other questions.
    package let shape: ScaleShape?

    /// Rows that are shown together.
    package struct Matrix: Sendable, Equatable {
        package let id: String
        /// The prompt for all rows.
        package let prompt: String
    }

    /// The prompt, after the prompt of its matrix if it has one.
    package var wholePrompt: String { matrix.map { "\($0.prompt): \(prompt)" } ?? prompt }

    package struct Ends: Sendable, Equatable {
        package let low: String?
        package let high: String?

        /// Both in one line; nil if there are none.
        package var line: String? {
            guard low != nil || high != nil else { return nil }
            return [low, high].compactMap(\.self).joined(separator: " … ")
        }
    }

    package enum Kind: Sendable, Equatable {
        /// Choices, with the number to choose; `isMultiple`: several may be chosen.
        case choices([Choice], isMultiple: Bool, count: ClosedRange<Int>)
        case text(TextRules)
        case slider(ScaleField)
        /// A text that is only read.
        case note
    }

    package struct Choice: Sendable, Equatable {
        /// The value to send: a string, or a number for ratings.
        package let value: JSONValue
        package let label: String
        package let emoji: String?
        package var image: QuestionImage?
        /// The key that chooses it; nil for its number.
        package var key: Character?
        /// Whether choosing it excludes all others.
        package var isExclusive = false
        /// Whether a text explains it.
        package var isOther = false

        /// The description of its image, unless the label says the same; nil without an image.
        package var imageText: String? {
            image.flatMap { $0.alternative.isEmpty || $0.alternative == label ? nil : $0.alternative }
        }
        /// The label for a screen without images, with the description of its image.
        package var words: String { imageText.map { "\(label) (\($0))" } ?? label }
    }

    package struct TextRules: Sendable, Equatable {
        package var placeholder: String?
        /// Limits in visible characters, without surrounding white space.
        package var minLength: Int?
        package var maxLength: Int?
        /// The form that the text must have, and the message for a text of another form; nil for the usual sentence.
        package var pattern: AnswerPattern?
        package var patternMessage: String?
        /// Whether it is written in one line, which Enter ends.
        package var isOneLine = false
        /// Set if the text must be a number, in one line.
        package var number: NumberRules?
        /// Set if the text must be a date or a time, in one line.
        package var moment: MomentRule?

        package init(
            placeholder: String? = nil, minLength: Int? = nil, maxLength: Int? = nil, number: NumberRules? = nil,
            moment: MomentRule? = nil
        ) {
            self.placeholder = placeholder
            self.minLength = minLength
            self.maxLength = maxLength
            self.number = number
            self.moment = moment
        }

        fileprivate init(_ rules: TextRulesInfo) {
            self.init(
                placeholder: rules.placeholder, minLength: SurveyQuestion.count(rules.minLength),
                maxLength: SurveyQuestion.count(rules.maxLength))
            pattern = rules.pattern.map { AnswerPattern(checked: $0) }
            patternMessage = rules.patternMessage
        }
    }

    /// Nil for a type of question that this version does not know.
    package init?(_ question: JSONText) { self.init(QuestionInfo(question)) }

    package init?(_ question: QuestionInfo) {
        guard !question.id.isEmpty else { return nil }
        id = question.id
        of = question.of
        matrix = question.matrix.map { Matrix(id: $0.id, prompt: $0.question) }
        prompt = of == nil ? question.question : UsualWords.said(question.question)
        isRequired = question.required
        image = QuestionImage(question.image)
        ends = Ends(low: question.lowLabel, high: question.highLabel)
        shape = question.steps.flatMap(ScaleShape.init)
        let type = QuestionType(rawValue: question.type)
        isRanking = type == .ranking
        switch type {
        case .single: kind = .choices(Self.choices(question), isMultiple: false, count: 1...1)
        case .multiple:
            let choices = Self.choices(question)
            let least = Self.count(question.minSelections) ?? 1
            let most = Self.count(question.maxSelections) ?? choices.count
            kind = .choices(choices, isMultiple: true, count: least...max(least, most))
        case .ranking:
            let choices = Self.choices(question)
            let top = Self.count(question.top) ?? choices.count
            kind = .choices(choices, isMultiple: true, count: top...top)
        case .yesNo, .consent: kind = .choices(Self.yesNo(question), isMultiple: false, count: 1...1)
        case .rating, .csat, .ces:
            kind = .choices(Self.ratings(question, isUsual: type != .rating), isMultiple: false, count: 1...1)
        case .scale:
            guard let scale = ScaleField(question) else { return nil }
            let isShort = question.show == ScaleControl.buttons.rawValue
            kind = isShort ? .choices(Self.points(scale), isMultiple: false, count: 1...1) : .slider(scale)
        case .number: kind = .text(TextRules(number: NumberRules(question)))
        case .date, .time:
            let rule = Self.moments(question, isDate: type == .date)
            kind = .text(TextRules(placeholder: MomentText.example(rule), moment: rule))
        case .note: kind = .note
        case .nps:
            let numbers = (0...10).map { Choice(value: .int($0), label: String($0), emoji: nil) }
            kind = .choices(numbers, isMultiple: false, count: 1...1)
        case .text:
            var rules = TextRules(question.text)
            rules.isOneLine = of != nil || rules.pattern != nil
            kind = .text(rules)
        case nil: return nil
        }
    }

    private static func moments(_ question: QuestionInfo, isDate: Bool) -> MomentRule {
        let (min, max) = (question.min?.json.string, question.max?.json.string)
        return isDate
            ? .date(min: min.flatMap { DateBound($0) }, max: max.flatMap { DateBound($0) })
            : .time(min: min.flatMap { ClockTime($0) }, max: max.flatMap { ClockTime($0) })
    }

    private static func count(_ number: Int64?) -> Int? { number.flatMap { Int(exactly: max(0, $0)) } }

    private static func choices(_ question: QuestionInfo) -> [Choice] {
        (question.options ?? []).map { option in
            let isOther = option.other ?? false
            let label = option.label.isEmpty ? option.value : option.label
            return Choice(
                value: .string(option.value), label: isOther ? UsualWords.said(label) : label, emoji: option.emoji,
                image: QuestionImage(option.image), isExclusive: option.exclusive ?? false, isOther: isOther)
        }
    }

    private static func yesNo(_ question: QuestionInfo) -> [Choice] {
        let choices = choices(question).map {
            Choice(value: $0.value, label: UsualWords.said($0.label), emoji: $0.emoji)
        }
        guard let keys = UsualWords.keys(choices.map(\.label)) else { return choices }
        return zip(choices, keys).map { Choice(value: $0.value, label: $0.label, emoji: $0.emoji, key: $1) }
    }

    /// The numbers of a short scale.
    private static func points(_ scale: ScaleField) -> [Choice] {
        var scale = scale
        return (0...min(scale.steps, 100)).compactMap { place in
            scale.set(place: place)
            return scale.number.map { number in
                let label = scale.labels.first { $0.number == number }?.text
                return Choice(value: number.value, label: label ?? DecimalText.text(number), emoji: nil)
            }
        }
    }

    /// - Parameter isUsual: Whether its labels may be the usual ones, which are translated into the person's language.
    private static func ratings(_ question: QuestionInfo, isUsual: Bool) -> [Choice] {
        let told = question.labels?.json.elements.compactMap(\.string) ?? []
        let labels = isUsual ? told.map(UsualWords.said) : told
        let emoji = question.emoji ?? []
        let scale = min(max(question.scale ?? 5, 1), 100)
        return (1...Int(scale)).map { number in
            Choice(
                value: .int(Int64(number)),
                label: labels.count >= number ? labels[number - 1] : String(number),
                emoji: emoji.count >= number ? emoji[number - 1] : nil)
        }
    }
}
