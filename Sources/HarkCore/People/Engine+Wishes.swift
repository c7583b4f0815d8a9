package import HarkWire

/// People's preferences on being asked: stronger than any survey's settings and than the debug mode.
extension Engine {
    /// A change of preferences; nil leaves a value unchanged.
    package struct WishOrder: Sendable, Equatable {
        /// Muted until then; `.latest` means for ever.
        package var mutedUntil: Timestamp?
        package var mutesPrompts: Bool?
        /// The shortest time between two surveys, in milliseconds.
        package var every: Int64?

        package init(mutedUntil: Timestamp? = nil, mutesPrompts: Bool? = nil, every: Int64? = nil) {
            self.mutedUntil = mutedUntil
            self.mutesPrompts = mutesPrompts
            self.every = every
        }
    }

    /// Sets all preferences as the store has them.
    package mutating func admit(
        wishes stored: [(key: WishKey, wish: Wish)], quiet: [UInt32: PersonalQuiet] = [:]
    ) {
        wishes.admit(stored, quiet: quiet)
        for removal in unsettledRemovals {
            if case .all = removal.target { wishes.forgetAsking(of: removal.uid) }
        }
    }

    /// Stores a preference, and cancels loaded presentations that are no longer wanted. `cancelUnwanted` must follow
    /// for users that are not loaded.
    package mutating func wish(
        _ order: WishOrder, of key: WishKey, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Wish {
        if let survey = key.survey, !wishes[key].isInForce(at: now) {
            try makeRoom(forWishOn: survey.text, of: key.uid, now: now, into: &changes)
        }
        var wish = wishes[key]
        if let until = order.mutedUntil {
            wish.mutedUntil = until
            wish.mutesPrompts = order.mutesPrompts ?? false
        }
        wish.every = order.every ?? wish.every
        put(wish, of: key, into: &changes)
        for presentation in surveys.allOpen where presentation.user.uid == key.uid {
            cancelIfMuted(presentation, source: source, now: now, into: &changes)
        }
        return wishes[key]
    }

    /// Removes expired preferences if there are too many; throws if that is not enough.
    private mutating func makeRoom(
        forWishOn survey: String, of uid: UInt32, now: Timestamp, into changes: inout Changes
    ) throws(WireError) {
        try Limits.check(mutedSurvey: survey)
        guard wishes.count(of: uid) >= Limits.wishesPerUser else { return }
        let said = wishes.keys(of: uid).filter { $0.survey != nil && wishes[$0].isSaid }
        let isOver = { [wishes] (key: WishKey) in !wishes[key].isInForce(at: now) }
        guard said.filter({ !isOver($0) }).count < Limits.wishesPerUser else {
            throw WireError(
                .tooLarge,
                "this account has muted \(Limits.wishesPerUser) surveys, which is the most; take some back (mute.remove), or "
                    + "mute all", path: "surveyId")
        }
        for key in said.filter(isOver) { takeBack(key, into: &changes) }
    }

    /// Removes the preference for a survey, or all preferences (nil).
    ///
    /// - Returns: the number removed that were still in force.
    package mutating func takeBackWishes(
        of uid: UInt32, survey: String?, now: Timestamp, into changes: inout Changes
    ) -> Int {
        let keys = survey.map { [WishKey(uid: uid, survey: $0)] } ?? wishes.keys(of: uid)
        let meant = keys.filter { wishes[$0].isInForce(at: now) }
        for key in meant { takeBack(key, into: &changes) }
        return meant.count
    }

    private mutating func takeBack(_ key: WishKey, into changes: inout Changes) {
        var wish = wishes[key]
        (wish.mutedUntil, wish.mutesPrompts, wish.every) = (nil, false, nil)
        put(wish, of: key, into: &changes)
    }

    /// Cancels waiting presentations of an admitted user whose survey is gone or muted.
    package mutating func cancelUnwanted(of user: UserKey, now: Timestamp, into changes: inout Changes) {
        cancelGone(of: user, now: now, into: &changes)
        for presentation in surveys.state(of: user)?.open ?? [] {
            cancelIfMuted(presentation, now: now, into: &changes)
        }
    }

    /// Whether `cancelUnwanted` must check open presentations of a survey. Preferences must have been admitted.
    package func isUnwanted(_ survey: String, of user: UserKey, now: Timestamp) -> Bool {
        let known = surveys.configuration.survey(survey)
        return known == nil || limits(of: user.uid, survey).mutedUntil(at: believed(now)) != nil
    }

    /// Also cancels a presentation on screen, unless it has answers already: those may still be sent.
    private mutating func cancelIfMuted(
        _ presentation: Presentation, source: Source? = nil, now: Timestamp, into changes: inout Changes
    ) {
        guard isMuted(presentation, now: now), presentation.state != .presented || presentation.answers.isEmpty else {
            return
        }
        close(
            presentation, .cancelled, reason: SurveyGate.Check.muted.rawValue, source: source, now: now,
            into: &changes)
    }

    /// The preferences that concern a survey.
    func limits(of uid: UInt32, _ survey: String) -> PersonalLimits {
        PersonalLimits(
            own: wishes[WishKey(uid: uid, survey: survey)], all: wishes[WishKey(uid: uid, survey: nil)],
            isFromAfar: surveys.configuration.isFromAfar)
    }

    /// Whether the person has muted this. Prompts of programs are muted only if the person has muted them too.
    func isMuted(_ presentation: Presentation, now: Timestamp) -> Bool {
        isMuted(
            presentation.survey, of: presentation.user.uid, isPrompt: presentation.prompt != nil, now: now)
    }

    func isMuted(_ survey: String, of uid: UInt32, isPrompt: Bool, now: Timestamp) -> Bool {
        let limits = limits(of: uid, survey)
        let now = believed(now)
        guard isPrompt else { return limits.mutedUntil(at: now) != nil }
        return [limits.own, limits.all].contains { $0.mutesPrompts && $0.isMuting(at: now) }
    }

    /// Notes that a survey was shown, which starts the interval until the next.
    mutating func noteAsked(_ presentation: Presentation, now: Timestamp, into changes: inout Changes) {
        guard presentation.prompt == nil else { return }
        for survey in [nil, presentation.survey] {
            let key = WishKey(uid: presentation.user.uid, survey: survey)
            var wish = wishes[key]
            wish.askedAt = now
            if surveys.configuration.isFromAfar, !presentation.isUncounted { wish.askedFromAfarAt = now }
            put(wish, of: key, into: &changes)
        }
    }

    mutating func mendWishes(of uid: UInt32, now: Timestamp, into changes: inout Changes) {
        for key in wishes.keys(of: uid) {
            var wish = wishes[key]
            if wish.mend(now) { put(wish, of: key, into: &changes) }
        }
    }

    /// Forgets when people were asked, if all data is cleared. Their preferences are not a record of past events, and stay.
    mutating func clearWishes(_ selection: Selection, into changes: inout Changes) {
        guard case .all = selection.target else { return }
        wishes.forgetAsking(of: selection.uid)
        keep(WishRow.forgetAsking(uid: selection.uid), into: &changes)
    }

    private mutating func put(_ wish: Wish, of key: WishKey, into changes: inout Changes) {
        wishes.put(wish, of: key)
        keep(WishRow.put(wish, key), into: &changes)
    }
}

extension Presentation {
    /// The presentation as others may see it: the fact that a person has muted it is private.
    ///
    /// - Parameter uid: the reader; nil for others, such as a hub.
    package func told(to uid: UInt32?) -> Presentation {
        guard reason == SurveyGate.Check.muted.rawValue, uid != user.uid else { return self }
        var told = self
        told.reason = Presentation.withdrawnReason
        return told
    }
}
