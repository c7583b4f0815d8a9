package import HarkWire

/// The choices of a question during selection: the highlighted choice, and the chosen ones.
///
/// Invariant: `cursor` and `chosen` are indices of `choices`; without multiple choice, at most one is chosen. Nothing
/// is highlighted before the first key, so that a stray Enter chooses nothing.
package struct ChoiceField: Sendable, Equatable {
    package let choices: [SurveyQuestion.Choice]
    package let isMultiple: Bool
    /// Whether the order in which they are chosen is the answer.
    package let isRanked: Bool
    package let count: ClosedRange<Int>
    /// The number of each choice, for prompts that ask for a number.
    package let numbers: [Int]
    /// The key of each choice; nil for a choice that only arrows reach.
    package let keys: [Character?]
    package private(set) var cursor: Int?
    package private(set) var chosen: Set<Int> = []
    /// The chosen choices, in the order in which they were chosen.
    private var order: [Int] = []

    package init(
        _ choices: [SurveyQuestion.Choice], isMultiple: Bool, count: ClosedRange<Int>, isRanked: Bool = false
    ) {
        self.choices = choices
        self.isRanked = isRanked
        self.isMultiple = isMultiple
        self.count = count
        numbers = Self.numbers(choices)
        let own = choices.map(\.key)
        keys = own.contains(nil) ? Self.keys(numbers) : own
    }

    /// Returns the numbers of choices. Numeric choices keep their value, so that 5 is never the first of five; others
    /// are counted.
    private static func numbers(_ choices: [SurveyQuestion.Choice]) -> [Int] {
        let numbers = choices.compactMap { number($0) }
        return Set(numbers).count == choices.count ? numbers : Array(1...max(choices.count, 1))
    }

    /// Returns the digit of each choice; above 9, a letter from a.
    private static func keys(_ numbers: [Int]) -> [Character?] {
        var letters = Array("abcdefghijklmnopqrstuvwxyz").makeIterator()
        return numbers.map { (0...9).contains($0) ? Character(String($0)) : letters.next() }
    }

    private static func number(_ choice: SurveyQuestion.Choice) -> Int? {
        choice.value.intValue.map { Int($0) } ?? choice.value.stringValue.flatMap { Int($0) }
    }

    /// Whether the choices are only numbers.
    package var areBareNumbers: Bool { areNumbers && choices.allSatisfy { $0.emoji == nil } }

    /// Whether the labels are only numbers, with or without emoji.
    package var areNumbers: Bool { choices.indices.allSatisfy { choices[$0].label == String(numbers[$0]) } }

    /// Highlights a choice; the index is clamped.
    package mutating func point(at place: Int) {
        cursor = choices.isEmpty ? nil : min(max(place, 0), choices.count - 1)
    }

    /// Moves the highlight; without one, it starts at the end from which it comes.
    package mutating func move(_ places: Int) {
        point(at: cursor.map { $0 + places } ?? (places > 0 ? 0 : choices.count - 1))
    }

    /// Chooses the highlighted choice, or unchooses it in a multiple choice.
    package mutating func choose() {
        guard let cursor else { return }
        set(cursor, isMultiple ? !chosen.contains(cursor) : true)
    }

    /// Chooses a choice, or takes it back. An exclusive choice takes back all others, and any other choice takes back an
    /// exclusive one.
    package mutating func set(_ place: Int, _ isChosen: Bool) {
        guard choices.indices.contains(place) else { return }
        if !isChosen {
            chosen.remove(place)
        } else if !isMultiple || choices[place].isExclusive {
            chosen = [place]
        } else {
            chosen = chosen.filter { !choices[$0].isExclusive }.union([place])
        }
        keepOrder(adding: [place])
    }

    /// Puts newly chosen choices after the others.
    private mutating func keepOrder(adding places: [Int]) {
        order = order.filter(chosen.contains)
        for place in places where chosen.contains(place) && !order.contains(place) { order.append(place) }
    }

    /// Whether a chosen choice needs a text that explains it.
    package var takesOther: Bool { chosen.contains { choices[$0].isOther } }

    /// The place of a choice in the order, from 1 on; nil if it is not chosen, or there is no order.
    package func rank(of place: Int) -> Int? {
        isRanked ? order.firstIndex(of: place).map { $0 + 1 } : nil
    }

    /// Chooses exactly these choices, in this order.
    package mutating func choose(only places: [Int]) {
        chosen = Set(places)
        order = []
        keepOrder(adding: places)
        cursor = places.first
    }

    /// Chooses the choices with these stored values.
    package mutating func restore(_ values: [JSONValue]) {
        let places = values.compactMap { value in choices.firstIndex { $0.value == value } }
        choose(only: isRanked ? places : places.sorted())
    }

    /// The value to send; nil if nothing is chosen.
    package var value: JSONValue? {
        let values = (isRanked ? order : chosen.sorted()).map { choices[$0].value }
        guard isMultiple, !values.isEmpty else { return values.first }
        return .array(values)
    }

    /// Returns the violated rule; nil if there is none.
    package func problem(isRequired: Bool) -> String? {
        if chosen.isEmpty {
            guard isRequired else { return nil }
            return isMultiple && count.lowerBound > 1
                ? Words.say("Choose at least {least}.", ["least": String(count.lowerBound)])
                : Words.say("Choose an answer first.")
        }
        if let alone = chosen.first(where: { isMultiple && choices[$0].isExclusive }) {
            return chosen.count == 1
                ? nil : Words.say("Choose “{choice}” alone, or the others.", ["choice": choices[alone].label])
        }
        if isRanked, chosen.count != count.upperBound {
            return Words.say("Choose {number} in your order, the best first", ["number": String(count.upperBound)])
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
