package import HarkWire

/// From the event to the presentation that is scheduled or ready.
extension Engine {
    /// Brings in what the store knows of a user.
    package mutating func admit(_ user: UserKey, _ state: UserSurveys) {
        var state = state
        for removal in unsettledRemovals { state.remove(removal, of: user) }
        surveys.admit(user, state)
    }

    /// Brings in a closed presentation of a user that was admitted, so that it can be told from one that never was.
    package mutating func admit(closed presentation: Presentation) {
        guard !unsettledRemovals.contains(where: { $0.contains(presentation) }) else { return }
        surveys.admit(closed: presentation)
    }

    /// Puts surveys into force, in place of those before. Without `Need.eventRules` their rules do not count events yet
    /// (`countEvents`).
    ///
    /// What is shown of one whose texts have changed goes back to be shown anew. What is open of a survey that is gone is
    /// cancelled, here for the users that are loaded; `cancelGone` is to follow for all others.
    package mutating func configure(
        _ configuration: SurveyConfiguration, now: Timestamp, into changes: inout Changes
    ) {
        let before = surveys.configuration
        // What was due meanwhile was passed over.
        if !knowsSurveys { surveys.schedule.rewind() }
        surveys.document = configuration
        countEvents(into: &changes)
        for presentation in surveys.allOpen where presentation.prompt == nil {
            guard let survey = configuration.survey(presentation.survey) else {
                cancelGone(presentation, now: now, into: &changes)
                continue
            }
            // Nothing to do for what only waits: it is shown with the texts it has then.
            if presentation.state == .presented, survey.content != before.survey(survey.id)?.content {
                release(presentation, now: now, into: &changes)
            }
        }
    }

    /// Cancels what is open of surveys that are gone, for a user that was admitted.
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

    /// Forgets what gating remembers of a user, about one survey or all; what is open stays open.
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

    /// What is remembered of an account's nobody-in-particular is of no visitor of its kiosk.
    ///
    /// - Parameter session: in which it would be shown, if that is known.
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

    /// The current session of a presentation's app, if it is its user's. A prompt is for whoever is there.
    func currentSession(for presentation: Presentation) -> SessionIdentity? {
        guard let current = sessions.current(presentation.scope)?.identity,
            presentation.prompt != nil || UserKey(current) == presentation.user
        else { return nil }
        return current
    }

    /// What a presentation shows; nil when that is gone from the configuration.
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
    /// What the daemon does with it by itself.
    var ownSource: Source { Source(uid: user.uid, pid: 0) }

    /// Why something is cancelled, beside the names of the checks of `SurveyGate`.
    static let removedReason = "surveyRemoved"
    static let answeredReason = "answeredElsewhere"
    static let withdrawnReason = "withdrawn"
    static let clearedReason = "cleared"
    /// An event has come that its survey names in `cancelOn`.
    static let eventReason = "event"
    /// Why something is dismissed that nobody has closed.
    static let abandonedReason = DismissalScope.abandoned.rawValue

    mutating func becomeReady(_ limits: SurveyLimits, at now: Timestamp) {
        state = .ready
        // A prompt of a schedule has its expiry since it was made.
        guard times.sampling == nil else { return }
        expiresAt = [limits.expireAfter.map { now.adding(milliseconds: $0) }, limits.ends].compactMap(\.self).min()
    }
}
