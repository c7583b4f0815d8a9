internal import HarkWire

/// The words at the two ends of a scale; nil for none.
package struct ScaleEnds: Sendable, Equatable {
    package var low: String?
    package var high: String?

    package init(low: String? = nil, high: String? = nil) {
        self.low = low
        self.high = high
    }

    func writeMembers(to json: inout JSONWriter) {
        for (key, text) in [("lowLabel", low), ("highLabel", high)] {
            guard let text else { continue }
            json.key(key)
            json.string(text)
        }
    }

    /// The ends in another language.
    func translated(_ texts: ScaleEnds) -> ScaleEnds {
        ScaleEnds(low: texts.low ?? low, high: texts.high ?? high)
    }
}
