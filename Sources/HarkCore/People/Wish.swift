package import HarkWire

/// The preferences of a person (an account of the machine) on being asked, for one survey or for all.
package struct Wish: Sendable, Equatable {
    /// The person is not asked until then; `.latest` means for ever, nil means not muted.
    package var mutedUntil: Timestamp?
    /// Whether prompts of programs are also muted.
    package var mutesPrompts = false
    /// The shortest time between two surveys, in milliseconds; 0 as often as surveys want, nil for no preference.
    package var every: Int64?
    /// When a survey was last shown.
    package var askedAt: Timestamp?
    /// When a survey from a hub or a URL was last shown, try-outs excluded.
    package var askedFromAfarAt: Timestamp?

    package init() {}

    func isMuting(at now: Timestamp) -> Bool { mutedUntil.map { now < $0 } ?? false }

    /// Whether any preference still has an effect.
    package func isInForce(at now: Timestamp) -> Bool { isMuting(at: now) || every != nil }

    /// Whether the person has stated a preference, expired or not.
    var isSaid: Bool { mutedUntil != nil || every != nil }

    /// Corrects times that lie ahead, which means that the clock was set back (`Gating.mend`).
    mutating func mend(_ now: Timestamp) -> Bool {
        let before = self
        askedAt = askedAt.map { min($0, now) }
        askedFromAfarAt = askedFromAfarAt.map { min($0, now) }
        return self != before
    }
}

/// The person and the subject of a preference.
package struct WishKey: Sendable, Hashable {
    package let uid: UInt32
    /// The survey, or the name of a program's question; nil for all of them.
    package let survey: ExactName?

    package init(uid: UInt32, survey: String?) {
        self.uid = uid
        self.survey = survey.map { ExactName($0) }
    }
}

/// A person's preferences for one survey and for all surveys.
package struct PersonalLimits: Sendable, Equatable {
    /// For this survey.
    let own: Wish
    /// For all surveys.
    let all: Wish
    /// Whether the survey comes from a hub or a URL, and not from this machine.
    var isFromAfar: Bool

    package static let none = PersonalLimits(own: Wish(), all: Wish(), isFromAfar: false)

    /// The default time between surveys from a hub or a URL, in milliseconds.
    package static let usualFromAfar: Int64 = 7 * 86_400_000

    /// When the mute ends; nil if the survey is not muted.
    func mutedUntil(at now: Timestamp) -> Timestamp? {
        [own, all].filter { $0.isMuting(at: now) }.compactMap(\.mutedUntil).max()
    }

    /// Whether the person has set an interval.
    var saysHowOften: Bool { own.every != nil || all.every != nil }

    /// When the interval set by the person ends; nil if none is set, or nothing was shown.
    var ownIntervalEnd: Timestamp? {
        [own, all].compactMap { wish in
            guard let every = wish.every, every > 0 else { return nil }
            return wish.askedAt?.adding(milliseconds: every)
        }.max()
    }

    /// When the default interval ends; nil if it does not apply, or nothing was shown.
    var usualIntervalEnd: Timestamp? {
        guard isFromAfar, !saysHowOften else { return nil }
        return all.askedFromAfarAt?.adding(milliseconds: PersonalLimits.usualFromAfar)
    }

    /// The longest interval set by the person, in milliseconds.
    var every: Int64? { [own.every, all.every].compactMap(\.self).max() }
}
