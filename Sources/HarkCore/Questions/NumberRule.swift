package import HarkWire

/// The rule for numbers that answer a question.
package struct NumberRule: Sendable, Equatable {
    package var min: ExactNumber?
    package var max: ExactNumber?
    /// An answer is a whole number of steps from `min`, or from 0 without one.
    package var step: ExactNumber?
    /// The unit of the number, such as `kg`.
    package var unit: String?

    package init(
        min: ExactNumber? = nil, max: ExactNumber? = nil, step: ExactNumber? = nil, unit: String? = nil
    ) {
        self.min = min
        self.max = max
        self.step = step
        self.unit = unit
    }

    static let one: ExactNumber = 1
    static let zero: ExactNumber = 0

    static func whole(_ range: ClosedRange<Int>) -> NumberRule {
        NumberRule(
            min: ExactNumber(Int64(range.lowerBound)), max: ExactNumber(Int64(range.upperBound)), step: one)
    }

    var base: ExactNumber { min ?? Self.zero }

    /// The numbers in order; nil if there are more than `most`, or no end.
    func listed(most: Int) -> [ExactNumber]? {
        guard let min, let max, let step else { return nil }
        let last = max.steps(of: step, from: min)
        guard last < most else { return nil }
        return (0...last).map { min.adding($0, of: step, upTo: max) }
    }

    /// The rule as words that follow "must be".
    package var words: String {
        let kind = step == Self.one && base.isWhole ? "a whole number" : "a number"
        let span: String =
            switch (min, max) {
            case (let min?, let max?): " from \(min) to \(max)"
            case (let min?, nil): " of at least \(min)"
            case (nil, let max?): " of at most \(max)"
            case (nil, nil): ""
            }
        guard let step, step != Self.one || !base.isWhole else { return kind + span }
        return "\(kind)\(span), in steps of \(step)" + (min == nil ? " from 0" : "")
    }

    /// Whether a number keeps the rule.
    package func takes(_ number: ExactNumber) -> Bool {
        if let min, number < min { return false }
        if let max, number > max { return false }
        return step.map { number.isStep($0, from: base) } ?? true
    }
}
