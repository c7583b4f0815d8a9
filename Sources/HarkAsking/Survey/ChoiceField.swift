package import HarkWire

/// The choices of a question while somebody chooses: what the keys point at, and what is taken.
///
/// Invariant: `cursor` and `chosen` are places of `choices`; where only one can be taken, at most one is. Nothing is
/// pointed at until a key does: an Enter that was meant for something else takes nothing.
package struct ChoiceField: Sendable, Equatable {
    package let choices: [SurveyQuestion.Choice]
    package let isMultiple: Bool
    package let count: ClosedRange<Int>
    /// What each choice is called by where a number is asked for.
    package let numbers: [Int]
    /// The key of each choice; nil for one that only the arrows reach.
    package let keys: [Character?]
    package private(set) var cursor: Int?
    package private(set) var chosen: Set<Int> = []
    private var typed = TypedNumber()

    package init(_ choices: [SurveyQuestion.Choice], isMultiple: Bool, count: ClosedRange<Int>) {
        self.choices = choices
        self.isMultiple = isMultiple
        self.count = count
        numbers = Self.numbers(choices)
        keys = Self.keys(numbers)
    }

    /// Numbers are called by themselves, so that 5 is never the first of five; everything else is counted.
    private static func numbers(_ choices: [SurveyQuestion.Choice]) -> [Int] {
        let numbers = choices.compactMap { number($0) }
        return Set(numbers).count == choices.count ? numbers : Array(1...max(choices.count, 1))
    }

    /// Their digit; past 9, a letter from a.
    private static func keys(_ numbers: [Int]) -> [Character?] {
        var letters = Array("abcdefghijklmnopqrstuvwxyz").makeIterator()
        return numbers.map { (0...9).contains($0) ? Character(String($0)) : letters.next() }
    }

    private static func number(_ choice: SurveyQuestion.Choice) -> Int? {
        choice.value.intValue.map { Int($0) } ?? choice.value.stringValue.flatMap { Int($0) }
    }

    /// Whether the numbers say it all.
    package var areBareNumbers: Bool { areNumbers && choices.allSatisfy { $0.emoji == nil } }

    /// Whether they are called by their numbers and nothing else, be there a picture or not.
    package var areNumbers: Bool { choices.indices.allSatisfy { choices[$0].label == String(numbers[$0]) } }

    /// Points at a choice; what lies outside is brought to the nearer end.
    package mutating func point(at place: Int) {
        cursor = choices.isEmpty ? nil : min(max(place, 0), choices.count - 1)
    }

    /// Points so many places further; from nowhere, at the end from which it comes.
    package mutating func move(_ places: Int) {
        point(at: cursor.map { $0 + places } ?? (places > 0 ? 0 : choices.count - 1))
    }

    /// Takes the choice that is pointed at; where several can be taken, takes it back if it was taken.
    package mutating func choose() {
        guard let cursor else { return }
        if !isMultiple {
            chosen = [cursor]
        } else if chosen.remove(cursor) == nil {
            chosen.insert(cursor)
        }
    }

    /// Takes the choice of that key; false if it is none's.
    package mutating func choose(key: Character, at now: Double = MonotonicClock.now) -> Bool {
        var typed = typed
        defer { self.typed = typed }
        guard let place = typed.place(of: key, in: self, at: now) else { return false }
        cursor = place
        choose()
        return true
    }

    /// Takes these choices and no others.
    package mutating func choose(only places: Set<Int>) {
        chosen = places
        cursor = places.min()
    }

    /// Takes the choices with these values, as they were kept.
    package mutating func restore(_ values: [JSONValue]) {
        choose(only: Set(choices.indices.filter { values.contains(choices[$0].value) }))
    }

    /// What is sent; nil if nothing is taken.
    package var value: JSONValue? {
        let values = chosen.sorted().map { choices[$0].value }
        guard isMultiple, !values.isEmpty else { return values.first }
        return .array(values)
    }

    /// The rule that what is taken does not keep; nil if it keeps all.
    package func problem(isRequired: Bool) -> String? {
        if chosen.isEmpty {
            guard isRequired else { return nil }
            return isMultiple && count.lowerBound > 1
                ? Words.say("Choose at least {least}.", ["least": String(count.lowerBound)])
                : Words.say("Choose an answer first.")
        }
        let taken = String(chosen.count)
        if chosen.count < count.lowerBound {
            return Words.say(
                "Choose at least {least}, not {taken}.", ["least": String(count.lowerBound), "taken": taken])
        }
        if chosen.count > count.upperBound {
            return Words.say("Choose at most {most}, not {taken}.", ["most": String(count.upperBound), "taken": taken])
        }
        return nil
    }
}
