package import HarkWire

/// Past showings and answers for a simulation, in addition to the ordinary commands.
extension Engine {
    /// The state of a past showing when the simulation begins.
    package enum Course {
        /// It waits, because its event came before the simulated time. Its limits are tested once the delay is over.
        case waiting(until: Timestamp)
        /// It can be shown, because its cause is in no log. No limits are tested, because it really happened.
        case ready(expiresAt: Timestamp?)
    }

    /// Adds a showing as it really was.
    ///
    /// Its user and the session of its scope must have been admitted.
    ///
    /// - Parameters:
    ///   - event: the properties that were kept with it.
    ///   - createdAt: when it was really created.
    /// - Returns: the presentation; nil if there is no such survey.
    package mutating func bringAbout(
        _ survey: String, of user: UserKey, app: String, event: Properties = .none, createdAt: Timestamp,
        _ course: Course, now: Timestamp, into changes: inout Changes
    ) -> Identifier? {
        guard let survey = surveys.configuration.survey(survey) else { return nil }
        let current = sessions.current(Scope(uid: user.uid, app: app))?.identity
        let origin = current.flatMap { UserKey($0) == user ? $0.id : nil } ?? identifiers.next(at: now)
        var presentation = Presentation(
            id: identifiers.next(at: now), survey: survey.id, user: user, app: app, origin: origin,
            createdAt: createdAt, state: .scheduled, dueAt: believed(now))
        presentation.trigger = event
        switch course {
        case .waiting(let due) where due > believed(now): presentation.dueAt = due
        case .waiting:
            if let until = quiet(survey, of: user.uid, at: believed(now)) {
                presentation.dueAt = until
            } else {
                presentation.becomeReady(survey.limits, at: now)
            }
        case .ready(let expires):
            presentation.state = .ready
            presentation.expiresAt = expires
        }
        put(presentation, into: &changes)
        return presentation.id
    }

    /// Makes a postponed showing ready, because it was really on screen. It must have been admitted.
    package mutating func resume(asRecorded id: Identifier, now: Timestamp, into changes: inout Changes) {
        guard var presentation = surveys.presentation(id), presentation.state == .scheduled else { return }
        presentation.state = .ready
        presentation.dueAt = believed(now)
        put(presentation, into: &changes)
    }

    /// Ends a showing as it really ended. It must have been admitted.
    package mutating func close(
        asRecorded id: Identifier, _ state: PresentationState, reason: String?, now: Timestamp,
        into changes: inout Changes
    ) {
        guard let presentation = surveys.presentation(id), presentation.state.isOpen, !state.isOpen else { return }
        close(presentation, state, reason: reason, now: now, into: &changes)
    }

    /// Makes a showing count as answered, with answers to the questions of that time.
    package mutating func answer(
        _ id: Identifier, asRecorded answers: Answers, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: nil)
        guard presentation.state == .presented else { throw notShown(presentation) }
        return take(
            answers, to: presentation, try survey(of: presentation), source: source, now: now, into: &changes)
    }

    /// Notes an event for the rules about a user's history, and does nothing else.
    package mutating func recall(
        _ event: String, _ properties: Properties, of user: UserKey, at: Timestamp, now: Timestamp,
        into changes: inout Changes
    ) {
        var work = 0
        let property = properties.lookup(times: surveys.configuration.memories(of: event).count)
        remember(event, property, of: user, at: min(at, now), now: now, &work, into: &changes)
    }
}

extension SurveyConfiguration {
    /// The configuration that a log of events can trigger: surveys that depend on other data listen to nothing.
    ///
    /// - Returns: also the ids of those surveys.
    package var fromEventsAlone: (configuration: SurveyConfiguration, others: [String]) {
        var others: [String] = []
        let surveys = surveys.map { survey in
            let (trigger, audience) = (survey.trigger, survey.audience)
            guard
                trigger.event == nil || trigger.counters != nil || trigger.schedule != nil
                    || audience.session != nil || audience.profile != nil || audience.firstSeen != nil
            else { return survey }
            others.append(survey.id)
            var silent = survey
            silent.trigger.event = nil
            silent.trigger.counters = nil
            return silent
        }
        guard !others.isEmpty else { return (self, []) }
        var configuration = replacing(surveys)
        configuration.isFromAfar = isFromAfar
        return (configuration, others)
    }
}

extension SurveyEvents {
    /// Whether showings and answers record this event.
    package static func comesOfShowings(_ name: String) -> Bool {
        [presented, response, dismissed, quota].contains { name.hasSameBytes(as: $0) }
    }
}
