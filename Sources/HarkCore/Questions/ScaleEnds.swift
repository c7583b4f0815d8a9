/// The words at the two ends of a scale; nil for none.
package struct ScaleEnds: Sendable, Equatable {
    package var low: String?
    package var high: String?

    package init(low: String? = nil, high: String? = nil) {
        self.low = low
        self.high = high
    }

    /// The ends in another language.
    func translated(_ texts: ScaleEnds) -> ScaleEnds {
        ScaleEnds(low: texts.low ?? low, high: texts.high ?? high)
    }
}
