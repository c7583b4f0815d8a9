package import HarkWire

/// All people's preferences on being asked. They are few and needed in the middle of other commands, so all of them are
/// in memory once they were loaded.
package struct WishBook: Sendable {
    /// Whether the store's preferences were loaded.
    package private(set) var isLoaded = false
    private var people: [UInt32: [ExactName?: Wish]] = [:]
    /// The quiet hours of accounts.
    private var quiet: [UInt32: PersonalQuiet] = [:]

    init() {}

    package subscript(key: WishKey) -> Wish { people[key.uid]?[key.survey] ?? Wish() }

    /// The preferences in force of a person, the one for all surveys first.
    package func inForce(of uid: UInt32, at now: Timestamp) -> [(key: WishKey, wish: Wish)] {
        (people[uid] ?? [:]).filter { $0.value.isInForce(at: now) }
            .sorted { WishBook.place($0.key) < WishBook.place($1.key) }
            .map { (WishKey(uid: uid, survey: $0.key?.text), $0.value) }
    }

    private static func place(_ survey: ExactName?) -> ExactName { survey ?? ExactName("") }

    /// The number of people who have muted each survey, or all (nil); not their names.
    package func mutingCounts(at now: Timestamp) -> [(survey: ExactName?, count: Int)] {
        var counts: [ExactName?: Int] = [:]
        for wishes in people.values {
            for (survey, wish) in wishes where wish.isMuting(at: now) { counts[survey, default: 0] += 1 }
        }
        return counts.sorted { WishBook.place($0.key) < WishBook.place($1.key) }.map { ($0.key, $0.value) }
    }

    /// The keys for which the book has an entry of this person.
    func keys(of uid: UInt32) -> [WishKey] {
        (people[uid] ?? [:]).keys.map { WishKey(uid: uid, survey: $0?.text) }
    }

    /// The number of these keys.
    func count(of uid: UInt32) -> Int { people[uid]?.count ?? 0 }

    /// Sets everything the store has.
    mutating func admit(_ stored: [(key: WishKey, wish: Wish)], quiet: [UInt32: PersonalQuiet]) {
        guard !isLoaded else { return }
        isLoaded = true
        self.quiet = quiet
        for (key, wish) in stored { put(wish, of: key) }
    }

    var hasQuiet: Bool { !quiet.isEmpty }

    package func quiet(of uid: UInt32) -> PersonalQuiet { quiet[uid] ?? PersonalQuiet() }

    mutating func put(_ quiet: PersonalQuiet, of uid: UInt32) {
        assert(isLoaded, Unasked.message)
        self.quiet[uid] = quiet == PersonalQuiet() ? nil : quiet
    }

    mutating func put(_ wish: Wish, of key: WishKey) {
        assert(isLoaded, Unasked.message)
        people[key.uid, default: [:]][key.survey] = wish == Wish() ? nil : wish
    }

    /// Forgets when people were asked, but not their preferences.
    mutating func forgetAsking(of uid: UInt32?) {
        for uid in uid.map({ [$0] }) ?? Array(people.keys) {
            for key in keys(of: uid) {
                var wish = self[key]
                (wish.askedAt, wish.askedFromAfarAt) = (nil, nil)
                put(wish, of: key)
            }
        }
    }
}

/// A change in the store to preferences.
package enum WishRow: FamilyRow {
    /// Stores a preference; an empty one deletes the row.
    case put(Wish, WishKey)
    case putQuiet(PersonalQuiet, uid: UInt32)
    /// Forgets when one person, or every person (nil), was asked.
    case forgetAsking(uid: UInt32?)
}
