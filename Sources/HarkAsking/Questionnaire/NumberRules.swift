import HarkClient
package import HarkWire

/// The rules for a number that answers a question, as the daemon sends them.
package struct NumberRules: Sendable, Equatable {
    package var min: ExactNumber?
    package var max: ExactNumber?
    /// An answer is a whole number of steps from `min`, or from 0.
    package var step: ExactNumber?
    package var unit: String?

    private static let one: ExactNumber = 1
    private static let zero: ExactNumber = 0

    package init(
        min: ExactNumber? = nil, max: ExactNumber? = nil, step: ExactNumber? = nil, unit: String? = nil
    ) {
        self.min = min
        self.max = max
        self.step = step
        self.unit = unit
    }

    init(_ question: QuestionInfo) {
        func number(_ value: AnyJSON?) -> ExactNumber? { value?.json.answer.flatMap { ExactNumber($0) } }
        self.init(
            min: number(question.min), max: number(question.max), step: number(question.step), unit: question.unit)
    }

    /// Returns the violated rule, as a sentence that gives the valid numbers; nil if there is none.
    package func problem(_ number: ExactNumber) -> String? {
        let text = { (number: ExactNumber) in DecimalText.text(number) }
        if min.map({ number < $0 }) ?? false || max.map({ number > $0 }) ?? false {
            switch (min, max) {
            case (let min?, let max?):
                return Words.say("Write a number from {least} to {most}.", ["least": text(min), "most": text(max)])
            case (let min?, nil): return Words.say("Write a number of at least {least}.", ["least": text(min)])
            case (nil, let max?): return Words.say("Write a number of at most {most}.", ["most": text(max)])
            case (nil, nil): return nil
            }
        }
        let base = min ?? Self.zero
        guard let step, !number.isStep(step, from: base) else { return nil }
        if step == Self.one, base.isWhole { return Words.say("Write a whole number.") }
        return Words.say(
            "Write a number in steps of {step} from {least}.", ["step": text(step), "least": text(base)])
    }

    /// The bounds in one line, for a prompt; empty if there are none.
    package var span: String {
        let text = { (number: ExactNumber) in DecimalText.text(number) }
        let unit = unit.map { " " + $0 } ?? ""
        switch (min, max) {
        case (let min?, let max?): return "\(text(min)) … \(text(max))\(unit)"
        case (let min?, nil): return "≥ \(text(min))\(unit)"
        case (nil, let max?): return "≤ \(text(max))\(unit)"
        case (nil, nil): return self.unit ?? ""
        }
    }
}
