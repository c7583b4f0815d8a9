import HarkClient
package import HarkWire

/// A position on a scale. There is none until the person sets it, so that nothing suggests an answer.
package struct ScaleField: Sendable, Equatable {
    package struct Label: Sendable, Equatable {
        package let number: ExactNumber
        package let text: String
    }

    package let rules: NumberRules
    package let min: ExactNumber
    package let max: ExactNumber
    package let step: ExactNumber
    /// Words at numbers of the scale.
    package let labels: [Label]
    package let showsValue: Bool
    package private(set) var number: ExactNumber?

    /// Nil for a question without the bounds of a scale.
    init?(_ question: QuestionInfo) {
        let rules = NumberRules(question)
        guard let min = rules.min, let max = rules.max, let step = rules.step, min < max, max.isStep(step, from: min)
        else { return nil }
        (self.rules, self.min, self.max, self.step) = (rules, min, max, step)
        var labels: [Label] = []
        question.labels?.json.forEachMember { key, text in
            if let number = ExactNumber(String(decoding: key, as: UTF8.self)), let text = text.string {
                labels.append(Label(number: number, text: text))
            }
            return true
        }
        self.labels = labels.sorted { $0.number < $1.number }
        showsValue = question.showValue ?? true
    }

    /// The number of steps from one end to the other.
    package var steps: Int { max.steps(of: step, from: min) }
    /// The position as a number of steps from the low end; nil if there is none.
    package var place: Int? { number?.steps(of: step, from: min) }

    /// Sets the position; the number of steps is clamped.
    package mutating func set(place: Int) {
        number = min.adding(Swift.min(Swift.max(place, 0), steps), of: step, upTo: max)
    }

    /// Moves by some steps; without a position, it starts at the end from which it comes.
    package mutating func move(_ places: Int) { set(place: place.map { $0 + places } ?? (places > 0 ? 0 : steps)) }

    /// A page of keys, in steps: a tenth of the scale.
    package var page: Int { Swift.max(1, steps / 10) }

    package mutating func restore(_ value: JSONValue) {
        number = ExactNumber(value).flatMap { rules.problem($0) == nil ? $0 : nil }
    }

    package mutating func clear() { number = nil }

    /// The label at a number, with the number unless it is hidden; empty if there is neither.
    package func words(at number: ExactNumber) -> String {
        let text = labels.first { $0.number == number }?.text
        guard showsValue else { return text ?? "" }
        let value = DecimalText.text(number) + (rules.unit.map { " " + $0 } ?? "")
        return text.map { "\(value): \($0)" } ?? value
    }

    package func problem(isRequired: Bool) -> String? {
        number == nil && isRequired ? Words.say("Choose a place on the scale first.") : nil
    }

    /// The labels of the scale, in one line; nil if there are none.
    package var legend: String? {
        guard !labels.isEmpty else { return nil }
        return labels.map { showsValue ? "\(DecimalText.text($0.number)): \($0.text)" : $0.text }
            .joined(separator: " · ")
    }
}
