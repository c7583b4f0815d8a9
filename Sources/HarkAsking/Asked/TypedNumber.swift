internal import HarkClient

/// A number typed to select a choice: a 1 and soon after it a 0 mean 10, if there is a choice with that number.
package struct TypedNumber: Sendable, Equatable {
    private var first: Int?
    private var time = 0.0

    /// How long a second digit belongs to the first, in seconds.
    private static let pause = 0.7

    package init() {}

    /// Returns the index of the choice for a key.
    ///
    /// - Parameter now: Seconds on a monotonic clock.
    package mutating func place(of key: Character, in choices: ChoiceField, at now: Double = MonotonicClock.now) -> Int?
    {
        let digit = key.isASCII ? key.wholeNumberValue : nil
        defer { (first, time) = (first == nil ? digit : nil, now) }
        // In a multiple choice, the first digit has already chosen one.
        if let digit, let first, now - time < Self.pause, !choices.isMultiple,
            let place = choices.numbers.firstIndex(of: 10 * first + digit)
        {
            return place
        }
        first = nil
        return key.lowercased().first.flatMap { choices.keys.firstIndex(of: $0) }
    }
}
