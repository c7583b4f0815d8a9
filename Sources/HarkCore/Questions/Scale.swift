package import HarkWire

/// A scale between two numbers.
package struct Scale: Sendable, Equatable {
    /// Has `min`, `max` and `step`.
    package var rule: NumberRule
    /// Words at numbers of the scale, in their order.
    package var labels: [Label]
    package var control: ScaleControl
    /// Whether the person sees numbers; without them it is a visual analogue scale.
    package var showsValue: Bool

    package struct Label: Sendable, Equatable {
        package let number: ExactNumber
        package var text: String
    }
}
