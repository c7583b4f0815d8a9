internal import HarkWire

/// What brings surveys about.
extension Engine {
    /// Whose state a record of this event needs (`admit`); nil when none, or when it is there already.
    ///
    /// The scope must have been admitted.
    package func surveyUser(
        recording event: String, in scope: Scope, userId: String? = nil
    ) -> SurveyUser? {
        guard surveys.configuration.listeners(to: event) != nil else { return nil }
        let user = surveyUser(in: scope, userId: userId)
        return surveys.isLoaded(user) ? nil : user
    }

    /// Whether a record of this event needs the counters of a scope, and they are not there.
    package func needsCounters(recording event: String, in scope: Scope) -> Bool {
        guard let listeners = surveys.configuration.listeners(to: event), !counters.isLoaded(scope) else {
            return false
        }
        return listeners.contains { surveys.configuration.surveys[$0].trigger.counters != nil }
    }

    /// Whom a survey in a scope would be for: the user of the current session, or of the one that would start.
    func surveyUser(in scope: Scope, userId: String? = nil) -> SurveyUser {
        sessions.current(scope).map { SurveyUser($0.identity) } ?? SurveyUser(uid: scope.uid, userId: userId)
    }

    /// An event was recorded.
    mutating func trigger(
        _ event: String, _ properties: Properties, in scope: Scope, source: Source, now: Timestamp,
        into changes: inout Changes
    ) {
        guard let listeners = surveys.configuration.listeners(to: event) else { return }
        scheduleFirst(of: listeners, in: scope, source: source, now: now, into: &changes) { trigger in
            trigger.condition.holds(properties)
        }
    }

    /// A counter has changed.
    mutating func trigger(
        changed counter: Counter, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        guard let listeners = surveys.configuration.listeners(toCounter: counter.name) else { return }
        scheduleFirst(of: listeners, in: counter.scope, source: source, now: now, into: &changes) { _ in true }
    }

    /// Asks a survey without its trigger, and so without its delay.
    ///
    /// - Returns: what kept it from being asked.
    mutating func raise(
        survey id: String, in scope: Scope, source: Source, now: Timestamp, into changes: inout Changes
    ) -> String? {
        guard let survey = surveys.configuration.survey(id) else { return Engine.unknownSurvey }
        let user = surveyUser(in: scope)
        if isPending(id, of: user, in: scope) { return "it waits to be asked already" }
        if let check = obstacle(to: survey, user, in: scope, now: now, into: &changes) {
            return "its limits do not allow it: \(check.rawValue)"
        }
        schedule(survey, for: user, in: scope, delay: 0, source: source, now: now, into: &changes)
        return nil
    }

    static let unknownSurvey = "there is no such survey in the configuration"

    /// Schedules the first survey whose trigger matches and that may be shown.
    private mutating func scheduleFirst(
        of places: [Int], in scope: Scope, source: Source, now: Timestamp, into changes: inout Changes,
        where matches: (SurveyTrigger) -> Bool
    ) {
        let user = surveyUser(in: scope)
        for place in places {
            let survey = surveys.configuration.surveys[place]
            guard matches(survey.trigger), survey.trigger.counters.map({ counters.holds($0, in: scope) }) ?? true
            else { continue }
            // It has won already, with an event before: neither it nor one after it comes again for this one.
            if isPending(survey.id, of: user, in: scope) { return }
            guard obstacle(to: survey, user, in: scope, now: now, into: &changes) == nil else { continue }
            let delay = survey.trigger.delay > 0 ? surveys.debug.delay ?? survey.trigger.delay : 0
            schedule(survey, for: user, in: scope, delay: delay, source: source, now: now, into: &changes)
            return
        }
    }

    private mutating func obstacle(
        to survey: Survey, _ user: SurveyUser, in scope: Scope, now: Timestamp, into changes: inout Changes
    ) -> SurveyGate.Check? {
        mendGating(of: user, now: now, into: &changes)
        return gate(survey, user, session: sessions.current(scope)?.identity.id, now: now).obstacle()
    }

    /// Whether a survey waits since the current session, or since another and is about to be shown in this one.
    private func isPending(_ survey: String, of user: SurveyUser, in scope: Scope) -> Bool {
        let session = sessions.current(scope)?.identity.id
        return surveys.state(of: user)?.presentations.contains {
            guard $0.survey == survey, $0.state.isOpen else { return false }
            return $0.origin == session || ($0.state != .scheduled && $0.app == scope.app)
        } ?? false
    }

    /// Without a session an anonymous one starts, as it does with an event.
    private mutating func schedule(
        _ survey: Survey, for user: SurveyUser, in scope: Scope, delay: Int64, source: Source, now: Timestamp,
        into changes: inout Changes
    ) {
        let session =
            sessions.current(scope)
            ?? beginSession(
                scope, userId: user.userId, isImplicit: true, source: source, now: now, into: &changes)
        var presentation = Presentation(
            id: identifiers.next(at: now), survey: survey.id, user: user, app: scope.app, origin: session.identity.id,
            createdAt: now, state: .scheduled, dueAt: now.adding(milliseconds: delay))
        if delay == 0 { presentation.becomeReady(survey.limits, at: now) }
        put(presentation, into: &changes)
    }
}
