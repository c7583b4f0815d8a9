package import HarkWire

/// What a simulation takes from the past as it really was, beside the commands that everybody has.
extension Engine {
    /// Brings about a showing whose cause is not in the log, such as a counter. No limit is asked, as it really came about.
    ///
    /// Its user and the session of its scope must have been admitted.
    ///
    /// - Parameter event: the properties that were kept with it.
    /// - Returns: the presentation, which is ready; nil if there is no such survey.
    package mutating func bringAbout(
        _ survey: String, of user: UserKey, app: String, event: Properties = .none, now: Timestamp,
        into changes: inout Changes
    ) -> Identifier? {
        guard let survey = surveys.configuration.survey(survey) else { return nil }
        let current = sessions.current(Scope(uid: user.uid, app: app))?.identity
        let origin = current.flatMap { UserKey($0) == user ? $0.id : nil } ?? identifiers.next(at: now)
        var presentation = Presentation(
            id: identifiers.next(at: now), survey: survey.id, user: user, app: app, origin: origin, createdAt: now,
            state: .scheduled, dueAt: believed(now))
        presentation.trigger = event
        presentation.becomeReady(survey.limits, at: now)
        put(presentation, into: &changes)
        return presentation.id
    }

    /// Has a showing count as answered, with answers to whatever the survey asked then.
    package mutating func answer(
        _ id: Identifier, asRecorded answers: Answers, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        let presentation = try find(id, visibleTo: nil)
        guard presentation.state == .presented else { throw notShown(presentation) }
        return take(
            answers, to: presentation, try survey(of: presentation), source: source, now: now, into: &changes)
    }

    /// Remembers an event for the rules that look at a user's history, and does nothing else.
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
    /// What a log of events can bring about again: surveys that listen to counters, or have a schedule, listen to nothing.
    ///
    /// - Returns: also the ids of those surveys.
    package var fromEventsAlone: (configuration: SurveyConfiguration, others: [String]) {
        var others: [String] = []
        let surveys = surveys.map { survey in
            guard survey.trigger.counters != nil || survey.trigger.schedule != nil else { return survey }
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
    /// Whether showings and answers record this event by themselves.
    package static func comesOfShowings(_ name: String) -> Bool {
        [presented, response, dismissed, quota].contains { name.hasSameBytes(as: $0) }
    }
}
