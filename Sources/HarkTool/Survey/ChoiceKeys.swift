import HarkAsking
import HarkClient

extension ChoiceField {
    /// Chooses the choice with that key. Returns false if there is none.
    mutating func choose(key: Character, _ typed: inout TypedNumber, at now: Double = MonotonicClock.now) -> Bool {
        guard let place = typed.place(of: key, in: self, at: now) else { return false }
        point(at: place)
        choose()
        return true
    }

    /// The typed text of each choice: its key, or a number of two digits as it is; nil for a choice that only arrows reach.
    var typedKeys: [String?] {
        let takesNumbers = areNumbers && !isMultiple
        return zip(keys, numbers).map { key, number in
            takesNumbers && number >= 10 ? String(number) : key.map { String($0) }
        }
    }

    /// The first and the last key, as `1-5`, or all where each has one of its own, as `y/n`; nil if not every choice has one.
    var keySpan: String? {
        let all = typedKeys.compactMap(\.self)
        guard all.count > 1, all.count == choices.count, let first = all.first, let last = all.last else { return nil }
        if choices.allSatisfy({ $0.key != nil }) { return all.joined(separator: "/") }
        return "\(first)-\(last)"
    }
}
