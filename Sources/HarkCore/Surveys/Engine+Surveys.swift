package import HarkWire

/// From the event to the presentation that is scheduled or ready.
extension Engine {
    /// Adds a user's surveys as the store has them.
    package mutating func admit(_ user: UserKey, _ state: UserSurveys) {
        var state = state
        for removal in unsettledRemovals { state.remove(removal, of: user) }
        surveys.admit(user, state)
    }

    /// Adds a closed presentation of a user that was admitted, so that it differs from one that never existed.
    package mutating func admit(closed presentation: Presentation) {
        guard !unsettledRemovals.contains(where: { $0.contains(presentation) }) else { return }
        surveys.admit(closed: presentation)
    }

    /// Replaces the surveys in force. Without `Need.eventRules` their rules do not count events yet (`countEvents`).
    ///
    /// Presentations on screen whose texts have changed are taken back, to be shown anew. Open presentations of a survey that is
    /// gone are cancelled, here for the users that are loaded; `cancelGone` must follow for all others.
    package mutating func configure(
        _ configuration: SurveyConfiguration, now: Timestamp, into changes: inout Changes
    ) {
        let before = surveys.configuration
        // Entries that were due meanwhile were skipped.
        if !knowsSurveys { surveys.schedule.rewind() }
        surveys.document = configuration
        countEvents(into: &changes)
        for presentation in surveys.allOpen where presentation.prompt == nil {
            guard let survey = configuration.survey(presentation.survey) else {
                cancelGone(presentation, now: now, into: &changes)
                continue
            }
            // Waiting presentations need no change: they are shown with the texts of that time.
            if presentation.state == .presented, survey.content != before.survey(survey.id)?.content {
                release(presentation, now: now, into: &changes)
            }
        }
    }

    /// Cancels open presentations of surveys that are gone, for a user that was admitted.
    package mutating func cancelGone(of user: UserKey, now: Timestamp, into changes: inout Changes) {
        for presentation in surveys.state(of: user)?.open ?? []
        where definition(of: presentation) == nil {
            cancelGone(presentation, now: now, into: &changes)
        }
    }

    mutating func cancelGone(_ presentation: Presentation, now: Timestamp, into changes: inout Changes) {
        close(presentation, .cancelled, reason: Presentation.removedReason, now: now, into: &changes)
    }

    package mutating func setDebugMode(_ mode: DebugMode) {
        surveys.debug = mode
    }

    /// Forgets a user's history with one survey or all; open presentations stay open.
    package mutating func resetSurveys(_ user: UserKey, survey: String?, into changes: inout Changes) -> Int {
        let state = surveys.state(of: user) ?? UserSurveys()
        let known = survey.map { [ExactName($0)] } ?? state.gating.keys.sorted()
        let forgotten = known.filter { state.gating[$0] != nil }
        for survey in forgotten { put(nil, of: survey.text, user, into: &changes) }
        return forgotten.count
    }

    mutating func clearSurveys(_ selection: Selection, now: Timestamp, into changes: inout Changes) {
        let ended = surveys.allOpen.filter(selection.contains).map { presentation in
            var presentation = presentation
            presentation.state = .cancelled
            presentation.reason = Presentation.clearedReason
            presentation.closedAt = now
            return presentation
        }
        surveys.remove(selection)
        changes.rows.append(.survey(.remove(selection, ended: ended)))
    }

    mutating func mendGating(of user: UserKey, now: Timestamp, into changes: inout Changes) {
        for (survey, var gating) in surveys.state(of: user)?.gating ?? [:] where gating.mend(now) {
            put(gating, of: survey.text, user, into: &changes)
        }
        mendWishes(of: user.uid, now: now, into: &changes)
    }

    /// The gate for a survey and a user. The history of an account's anonymous user does not apply to visitors of its kiosk.
    ///
    /// - Parameter session: the session in which it would be shown, if known.
    func gate(
        _ survey: Survey, _ user: UserKey, in scope: Scope, session: Identifier?, for event: Properties = .none,
        now: Timestamp
    ) -> SurveyGate {
        let isVisitor = isVisitor(user, in: scope)
        let state = isVisitor ? nil : surveys.state(of: user)
        let globalCooldown = surveys.configuration.globalCooldown
        let quota = standing(survey, for: event, now: now)
        let now = believed(now)
        var gate = SurveyGate(
            survey: survey, user: user,
            gating: (state?.gating[ExactName(survey.id)] ?? Gating()).inForce(survey.limits, at: now),
            lastPresentedAny: globalCooldown == nil ? nil : state?.lastPresented, globalCooldown: globalCooldown,
            session: session, debug: surveys.debug, person: limits(of: user.uid, survey.id), now: now)
        if isVisitor { gate.person.isFromAfar = false }
        gate.quietUntil = quiet(survey, of: user.uid, at: now)
        gate.quota = quota
        gate.around.history = state
        look(at: survey.audience, of: user, in: scope, &gate.around, now: now)
        gate.around.atMost = surveys.configuration.atMost
        if !survey.groups.isEmpty { gate.around.groups = surveys.configuration.groups(of: survey) }
        gate.isDroppedWhileQuiet = gate.quietUntil != nil && drops(survey, at: now)
        return gate
    }

    /// The current session of a presentation's app, if it is its user's. A prompt is for any user.
    func currentSession(for presentation: Presentation) -> SessionIdentity? {
        guard let current = sessions.current(presentation.scope)?.identity,
            presentation.prompt != nil || UserKey(current) == presentation.user
        else { return nil }
        return current
    }

    /// The survey or prompt of a presentation; nil if it is gone from the configuration.
    package func definition(of presentation: Presentation) -> Survey? {
        presentation.prompt?.survey ?? surveys.configuration.survey(presentation.survey)
    }

    mutating func put(_ presentation: Presentation, into changes: inout Changes) {
        let before = surveys.presentation(presentation.id)
        let growth = presentation.size - (before?.size ?? Amount())
        if presentation.prompt != nil { hold(prompt: presentation, before: before) }
        hold(growth, .presentations, of: presentation.user.uid)
        surveys.put(presentation)
        changes.rows.append(.survey(.putPresentation(presentation)))
    }

    mutating func put(_ gating: Gating?, of survey: String, _ user: UserKey, into changes: inout Changes) {
        surveys.put(gating, of: survey, user)
        changes.rows.append(.survey(.putGating(gating, survey: survey, user)))
    }
}

extension Presentation {
    /// The source of changes that the daemon makes by itself.
    var ownSource: Source { Source(uid: user.uid, pid: 0) }

    /// Reasons for a cancellation, in addition to the names of the checks of `SurveyGate`.
    static let removedReason = "surveyRemoved"
    static let answeredReason = "answeredElsewhere"
    static let withdrawnReason = "withdrawn"
    static let clearedReason = "cleared"
    /// An event has come that its survey names in `cancelOn`.
    static let eventReason = "event"
    /// The reason of a dismissal by no person.
    static let abandonedReason = DismissalScope.abandoned.rawValue

    mutating func becomeReady(_ limits: SurveyLimits, at now: Timestamp) {
        state = .ready
        // A prompt of a schedule has its expiry since it was made.
        guard times.sampling == nil else { return }
        expiresAt = [limits.expireAfter.map { now.adding(milliseconds: $0) }, limits.ends].compactMap(\.self).min()
    }
}
