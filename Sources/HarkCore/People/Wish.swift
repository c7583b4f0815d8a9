package import HarkWire

/// What a person, an account of the machine, has said of being asked: by one survey, or by any.
package struct Wish: Sendable, Equatable {
    /// Until then the person is not asked; `.latest` is for ever, nil is not muted.
    package var mutedUntil: Timestamp?
    /// The questions of programs are muted as well.
    package var mutesPrompts = false
    /// At most once in so many milliseconds; 0 is as often as surveys want, nil is that nothing was said.
    package var every: Int64?
    /// When the person was last shown it.
    package var askedAt: Timestamp?
    /// The same, of surveys that come from a hub or a URL, and not while they were tried out.
    package var askedFromAfarAt: Timestamp?

    package init() {}

    func isMuting(at now: Timestamp) -> Bool { mutedUntil.map { now < $0 } ?? false }

    /// Whether there is something of it that the person has said and that still means something.
    package func isInForce(at now: Timestamp) -> Bool { isMuting(at: now) || every != nil }

    /// Whether the person has said something, and be it that its time is over by now.
    var isSaid: Bool { mutedUntil != nil || every != nil }

    /// A showing that seems to lie ahead means that the clock was set back (`Gating.mend`).
    mutating func mend(_ now: Timestamp) -> Bool {
        let before = self
        askedAt = askedAt.map { min($0, now) }
        askedFromAfarAt = askedFromAfarAt.map { min($0, now) }
        return self != before
    }
}

/// Whose wish it is, and about what.
package struct WishKey: Sendable, Hashable {
    package let uid: UInt32
    /// The survey, or the name of a program's question; nil is all of them.
    package let survey: ExactName?

    package init(uid: UInt32, survey: String?) {
        self.uid = uid
        self.survey = survey.map { ExactName($0) }
    }
}

/// What a person wants of one survey, with what the same person has said of all.
package struct PersonalLimits: Sendable, Equatable {
    /// Of this survey.
    let own: Wish
    /// Of any.
    let all: Wish
    /// It comes from a hub or a URL: nobody at this machine has written it.
    var isFromAfar: Bool

    package static let none = PersonalLimits(own: Wish(), all: Wish(), isFromAfar: false)

    /// How often whoever says nothing of it is asked by surveys from a hub or a URL, in milliseconds.
    package static let usualFromAfar: Int64 = 7 * 86_400_000

    /// Until when the person does not want to be asked; nil: there is no such wish.
    func mutedUntil(at now: Timestamp) -> Timestamp? {
        [own, all].filter { $0.isMuting(at: now) }.compactMap(\.mutedUntil).max()
    }

    /// Whether the person has said how often.
    var saysHowOften: Bool { own.every != nil || all.every != nil }

    /// When the times that the person wants between surveys are over; nil: there are none, or nothing was shown.
    var ownIntervalEnd: Timestamp? {
        [own, all].compactMap { wish in
            guard let every = wish.every, every > 0 else { return nil }
            return wish.askedAt?.adding(milliseconds: every)
        }.max()
    }

    /// The same of the time that is kept for who has said nothing.
    var usualIntervalEnd: Timestamp? {
        guard isFromAfar, !saysHowOften else { return nil }
        return all.askedFromAfarAt?.adding(milliseconds: PersonalLimits.usualFromAfar)
    }

    /// The longest of the times that the person wants between two surveys, in milliseconds.
    var every: Int64? { [own.every, all.every].compactMap(\.self).max() }
}
