package import HarkWire

/// What all people have said of being asked. They are few, and surveys are held against it in the middle of other commands,
/// so all of it is at hand once it was needed.
package struct WishBook: Sendable {
    /// Whether those of the store were brought in.
    package private(set) var isLoaded = false
    private var people: [UInt32: [ExactName?: Wish]] = [:]
    /// The hours at which accounts are not asked.
    private var quiet: [UInt32: PersonalQuiet] = [:]

    init() {}

    package subscript(key: WishKey) -> Wish { people[key.uid]?[key.survey] ?? Wish() }

    /// What is in force of somebody, first what is about all surveys.
    package func inForce(of uid: UInt32, at now: Timestamp) -> [(key: WishKey, wish: Wish)] {
        (people[uid] ?? [:]).filter { $0.value.isInForce(at: now) }
            .sorted { WishBook.place($0.key) < WishBook.place($1.key) }
            .map { (WishKey(uid: uid, survey: $0.key?.text), $0.value) }
    }

    private static func place(_ survey: ExactName?) -> ExactName { survey ?? ExactName("") }

    /// How many have muted each survey, or all (nil): not who.
    package func mutingCounts(at now: Timestamp) -> [(survey: ExactName?, count: Int)] {
        var counts: [ExactName?: Int] = [:]
        for wishes in people.values {
            for (survey, wish) in wishes where wish.isMuting(at: now) { counts[survey, default: 0] += 1 }
        }
        return counts.sorted { WishBook.place($0.key) < WishBook.place($1.key) }.map { ($0.key, $0.value) }
    }

    /// Of all that somebody has said something of, or was asked.
    func keys(of uid: UInt32) -> [WishKey] {
        (people[uid] ?? [:]).keys.map { WishKey(uid: uid, survey: $0?.text) }
    }

    /// How many keys those are.
    func count(of uid: UInt32) -> Int { people[uid]?.count ?? 0 }

    /// Brings in all the store has.
    mutating func admit(_ stored: [(key: WishKey, wish: Wish)], quiet: [UInt32: PersonalQuiet]) {
        guard !isLoaded else { return }
        isLoaded = true
        self.quiet = quiet
        for (key, wish) in stored { put(wish, of: key) }
    }

    var hasQuiet: Bool { !quiet.isEmpty }

    package func quiet(of uid: UInt32) -> PersonalQuiet { quiet[uid] ?? PersonalQuiet() }

    mutating func put(_ quiet: PersonalQuiet, of uid: UInt32) {
        self.quiet[uid] = quiet == PersonalQuiet() ? nil : quiet
    }

    mutating func put(_ wish: Wish, of key: WishKey) {
        people[key.uid, default: [:]][key.survey] = wish == Wish() ? nil : wish
    }

    /// Forgets when people were asked, not what they have said.
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

/// What the store is to keep of what people have said.
package enum WishRow: FamilyRow {
    /// Nothing of it: the row goes.
    case put(Wish, WishKey)
    case putQuiet(PersonalQuiet, uid: UInt32)
    /// Forgets when somebody, or anybody (nil), was asked.
    case forgetAsking(uid: UInt32?)
}
