package import HarkWire

/// All data that decides whether a survey may be shown to a user at a time.
package struct SurveyGate: Sendable {
    package enum Check: String, Sendable, CaseIterable {
        case muted, ownInterval, quietHours, started, notEnded, rollout, completion, oncePerUser, oncePerSession,
            maxAttempts, cooldown, globalCooldown, atMost, groups, globalAtMost, audience, quota

        /// The checks of the person's preferences, which always apply.
        static let ofPerson: [Check] = [.muted, .ownInterval]
    }

    package let survey: Survey
    package let user: UserKey
    /// The part that is in force.
    package let gating: Gating
    /// When any survey was last shown to the user.
    package let lastPresentedAny: Timestamp?
    package let globalCooldown: Int64?
    /// The session it would be shown in; nil when that is not known yet.
    package let session: Identifier?
    package let debug: DebugMode
    /// The preferences of the account on being asked.
    package var person = PersonalLimits.none
    /// The end of the current quiet hours; nil: it is not quiet.
    package var quietUntil: Timestamp?
    /// Whether it is dropped instead of waiting for their end.
    package var isDroppedWhileQuiet = false
    package var around = Around()
    /// nil: the survey has none.
    var quota: QuotaStanding?
    package let now: Timestamp

    /// The first check that fails; nil when it may be shown.
    ///
    /// - Parameter resumed: whether it was shown already and only continues. Then only a mute, the end of the survey, or an
    ///   answer elsewhere is an obstacle.
    package func obstacle(resumed: Bool = false) -> Check? {
        if let check = (resumed ? [.muted] : Check.ofPerson).first(where: { !passes($0) }) { return check }
        if debug.bypassesGating { return nil }
        if isDroppedWhileQuiet, !resumed { return .quietHours }
        // Quiet hours postpone it, and are no obstacle.
        return (resumed ? [.notEnded, .completion] : Check.allCases).first { $0 != .quietHours && !passes($0) }
    }

    package func passes(_ check: Check) -> Bool {
        switch check {
        case .muted: person.mutedUntil(at: now) == nil
        case .ownInterval: isOver(personalIntervalEnd)
        case .quietHours: quietUntil == nil
        case .started: survey.limits.starts.map { now >= $0 } ?? true
        case .notEnded: survey.limits.ends.map { now < $0 } ?? true
        case .rollout: survey.limits.rolloutPercent.map { rolloutPlace < $0 } ?? true
        case .completion: gating.completed == nil || survey.trigger.schedule != nil
        case .oncePerUser: !survey.limits.oncePerUser || gating.lastPresented == nil
        case .oncePerSession: !survey.limits.oncePerSession || !wasShownInSession
        case .maxAttempts: survey.limits.maxAttempts.map { gating.attempts < $0 } ?? true
        case .cooldown: isOver(cooldownEnd)
        case .globalCooldown: isOver(globalCooldownEnd)
        case .atMost: ownCaps.allSatisfy { $0.until == nil }
        case .groups: groupCaps.allSatisfy { $0.caps.allSatisfy { $0.until == nil } }
        case .globalAtMost: fileCaps.allSatisfy { $0.until == nil }
        case .audience: isInAudience
        case .quota: quota?.isWanted ?? true
        }
    }

    /// The end of the interval between surveys for this person. The default interval does not apply in debug mode.
    var personalIntervalEnd: Timestamp? {
        // A user who has joined has asked for the survey.
        let hasJoined = survey.trigger.schedule.map { !$0.isForEverybody } ?? false
        return person.ownIntervalEnd ?? (hasJoined || debug.bypassesGating ? nil : person.usualIntervalEnd)
    }

    var rolloutPlace: Double { user.rolloutPlace(of: survey.id) }

    var wasShownInSession: Bool { session.map { gating.sessions.values.contains($0) } ?? false }

    /// Whether the next showing would be another attempt after one that was not answered.
    var isReattempt: Bool { gating.attempts > 0 && gating.completed == nil }

    /// The time that must pass after the last showing of this survey; milliseconds.
    var cooldown: Int64? {
        guard isReattempt else { return survey.limits.cooldown }
        return debug.attemptCooldown ?? survey.limits.attemptCooldown ?? survey.limits.cooldown
    }

    var cooldownEnd: Timestamp? {
        guard let last = gating.lastPresented, let cooldown else { return nil }
        return last.adding(milliseconds: cooldown)
    }

    var globalCooldownEnd: Timestamp? {
        // A cooldown would shift the times at which a study asks.
        if let schedule = survey.trigger.schedule, !schedule.heedsCooldowns { return nil }
        guard let last = lastPresentedAny, let globalCooldown else { return nil }
        return last.adding(milliseconds: globalCooldown)
    }

    private func isOver(_ end: Timestamp?) -> Bool { end.map { now >= $0 } ?? true }
}
