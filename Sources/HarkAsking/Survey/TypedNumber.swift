/// The number of a choice that is being typed: a 1 and soon after it a 0 mean 10 where there is a choice of that number.
package struct TypedNumber: Sendable, Equatable {
    private var first: Int?
    private var time = 0.0

    /// How long after a digit another one belongs to it; seconds.
    private static let pause = 0.7

    package init() {}

    /// The place of the choice that a key means.
    ///
    /// - Parameter now: seconds, by a clock that is never set back.
    package mutating func place(of key: Character, in choices: ChoiceField, at now: Double = MonotonicClock.now) -> Int?
    {
        let digit = key.isASCII ? key.wholeNumberValue : nil
        defer { (first, time) = (first == nil ? digit : nil, now) }
        // Of several, the first digit has ticked one already.
        if let digit, let first, now - time < Self.pause, !choices.isMultiple,
            let place = choices.numbers.firstIndex(of: 10 * first + digit)
        {
            return place
        }
        first = nil
        return choices.keys.firstIndex(of: Character(key.lowercased()))
    }
}
