package import HarkWire

/// Participants of surveys with a schedule: joining, pausing and leaving.
extension Engine {
    /// The data that a user may give on joining.
    package struct Joining: Sendable {
        package var group: String?
        /// The participant's own hours; nil: those of the survey.
        package var hours: SamplingWindow?

        package init(group: String? = nil, hours: SamplingWindow? = nil) {
            (self.group, self.hours) = (group, hours)
        }
    }

    /// Makes a user take part, and records `study.joined`. The user, the scope and the user's forms must be admitted.
    package mutating func join(
        _ id: String, _ user: UserKey, in scope: Scope, _ joining: Joining = Joining(), source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> Enrolment {
        let (survey, schedule) = try scheduled(id)
        if let known = surveys.enrolment(of: user, id), known.isActive {
            throw WireError(
                .conflict, "this user takes part in '\(id)' already; study.leave ends that", path: Engine.surveyPath)
        }
        if let hours = joining.hours {
            if case .at = schedule.plan.placing {
                throw WireError(
                    .invalidParams, "the prompts of '\(id)' come at the same times for all; leave 'hours' out",
                    path: "hours")
            }
            let own = SamplingPlan(schedule.plan.placing, window: hours, gap: schedule.plan.gap)
            if let fault = own.fault {
                throw WireError(
                    .invalidParams, "the window \(hours.text) \(fault)", path: "hours")
            }
        }
        try checkRoom(
            for: Amount(count: 1, bytes: Engine.enrolmentBytes), .presentations, of: user.uid,
            paths: (Engine.surveyPath, Engine.surveyPath))
        let first = try begin(of: schedule, user, joining, now: now)
        let enrolment = enrol(survey, schedule, user, in: scope, joining, first, now: now, into: &changes)
        tell(
            StudyEvents.joined, joining.properties, of: enrolment, source: source, now: now, into: &changes)
        return surveys.enrolment(of: user, id) ?? enrolment
    }

    /// Makes a user take part because of an event. Does nothing for a user who takes part already or cannot.
    mutating func join(
        _ survey: Survey, _ schedule: SamplingSchedule, _ property: ((String) -> JSONValue?)?,
        on occasion: SurveyOccasion, now: Timestamp, into changes: inout Changes
    ) {
        guard surveys.enrolment(of: occasion.user, survey.id)?.isActive != true, lackOfRoom(for: occasion.user) == nil
        else { return }
        var joining = Joining()
        joining.group = property?("group")?.stringValue.flatMap { Engine.isGroup($0) ? $0 : nil }
        joining.hours = property?("hours")?.stringValue.flatMap { SamplingWindow(text: $0) }
        if schedule.plan(in: joining.hours) == nil { joining.hours = nil }
        guard let first = try? begin(of: schedule, occasion.user, joining, now: now) else { return }
        _ = enrol(survey, schedule, occasion.user, in: occasion.scope, joining, first, now: now, into: &changes)
    }

    /// Makes an account's anonymous user take part in every survey that is for everybody. The user must be admitted.
    package mutating func joinForEverybody(
        _ user: UserKey, in scope: Scope, now: Timestamp, into changes: inout Changes
    ) {
        for survey in surveys.configuration.surveys {
            guard let schedule = survey.trigger.schedule, schedule.isForEverybody,
                surveys.enrolment(of: user, survey.id) == nil, lackOfRoom(for: user) == nil,
                survey.limits.rolloutPercent.map({ user.rolloutPlace(of: survey.id) < $0 }) ?? true,
                let first = try? begin(of: schedule, user, Joining(), now: now)
            else { continue }
            _ = enrol(survey, schedule, user, in: scope, Joining(), first, now: now, into: &changes)
        }
    }

    /// Whether a text may be the name of a group.
    package static func isGroup(_ name: String) -> Bool { !name.trimmed.isEmpty && name.utf8.count <= 256 }

    static let surveyPath = "surveyId"

    /// The error for a survey that is not in the configuration.
    package static func unknown(survey id: String) -> WireError {
        WireError(.notFound, "there is no survey '\(id)' in the configuration", path: surveyPath)
    }

    /// The approximate maximum of bytes that an enrolment takes in addition to its key.
    private static let enrolmentBytes = 4_096

    /// Finds a survey with a schedule.
    ///
    /// - Throws: `notFound`, or `invalidParams` for a survey without a schedule.
    package func scheduled(_ id: String) throws(WireError) -> (survey: Survey, schedule: SamplingSchedule) {
        guard let survey = surveys.configuration.survey(id) else { throw Engine.unknown(survey: id) }
        guard let schedule = survey.trigger.schedule else {
            throw WireError(
                .invalidParams, "the survey '\(id)' has no schedule (trigger.schedule), so nobody takes part in it",
                path: Engine.surveyPath)
        }
        return (survey, schedule)
    }

    /// The date of day 1, and the date of joining if the participant has the rest of its window, as day 0.
    package func begin(
        of schedule: SamplingSchedule, _ user: UserKey, _ joining: Joining, now: Timestamp
    ) throws(WireError) -> (first: SamplingDate, rest: SamplingDate?) {
        let zone = zone(of: schedule)
        let today = zone.date(believed(now))
        let plan = schedule.plan(in: ownHours(of: user, schedule, said: joining.hours)) ?? schedule.plan
        let second = believed(now).milliseconds / 1_000
        let begin = zone.moment(today, minute: plan.dayWindow.from)
        var full = today
        if case .at(let minutes) = plan.placing {
            if let first = minutes.first, zone.moment(today, minute: first) <= second { full = today.adding(1) }
        } else if begin <= second {
            full = today.adding(1)
        }
        let rest = full > today && schedule.takesRest && plan.dayEnd(today, in: zone) > second ? today : nil
        switch schedule.begins {
        case .joining, .event(afterDays: 0): return (full, rest)
        case .event(let days): return (today.adding(days), nil)
        case .date(let date): return date > today ? (date, nil) : (full, rest)
        case .answer(let form, let question, let days):
            let answer = forms.state(of: user, form)?.answers[ExactName(question)]?.answer
            guard let date = answer?.words.flatMap({ SamplingDate($0) }) else {
                throw WireError(
                    .conflict,
                    "day 1 is counted from the date that this user answers to '\(question)' of the form '\(form)', and "
                        + "there is no such answer yet", path: Engine.surveyPath)
            }
            return (date.adding(days), nil)
        }
    }

    private mutating func enrol(
        _ survey: Survey, _ schedule: SamplingSchedule, _ user: UserKey, in scope: Scope, _ joining: Joining,
        _ begin: (first: SamplingDate, rest: SamplingDate?), now: Timestamp, into changes: inout Changes
    ) -> Enrolment {
        let today = zone(of: schedule).date(believed(now))
        var enrolment = Enrolment(
            id: identifiers.next(at: now), survey: survey.id, user: user, app: scope.app, joinedAt: believed(now),
            first: begin.first, date: today)
        (enrolment.rest, enrolment.group, enrolment.hours) = (begin.rest, joining.group, joining.hours)
        plan(&enrolment, schedule, now: now, into: &changes)
        if enrolment.wakesAt == nil {
            (enrolment.endedAt, enrolment.endReason) = (now, StudyEnd.over)
        }
        put(enrolment, into: &changes)
        return enrolment
    }

    /// Ends a user's participation, and cancels the survey's open prompts.
    package mutating func leave(
        _ id: String, _ user: UserKey, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Enrolment {
        let enrolment = try active(id, user)
        end(enrolment, StudyEnd.left, source: source, now: now, into: &changes)
        for open in surveys.state(of: user)?.open ?? []
        where open.times.sampling != nil && open.survey.hasSameBytes(as: id) {
            close(open, .cancelled, reason: StudyEnd.left, source: source, now: now, into: &changes)
        }
        return surveys.enrolment(of: user, id) ?? enrolment
    }

    /// Excuses a user from the prompts before a time.
    ///
    /// - Parameter until: `latest`: until further notice; nil: ends the pause.
    package mutating func pause(
        _ id: String, _ user: UserKey, until: Timestamp?, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Enrolment {
        var enrolment = try active(id, user)
        enrolment.pausedUntil = until
        put(enrolment, into: &changes)
        var properties: [(String, PropertyValue)] = []
        if let until, until != .latest { properties.append(("until", .string("\(until)"))) }
        tell(
            until == nil ? StudyEvents.resumed : StudyEvents.paused, properties, of: enrolment, source: source,
            now: now,
            into: &changes)
        return enrolment
    }

    private func active(_ id: String, _ user: UserKey) throws(WireError) -> Enrolment {
        guard let enrolment = surveys.enrolment(of: user, id), enrolment.isActive else {
            throw WireError(
                .notFound, "this user does not take part in '\(id)' (study.list lists who does)",
                path: Engine.surveyPath)
        }
        return enrolment
    }

    mutating func end(
        _ enrolment: Enrolment, _ reason: String, source: Source? = nil, now: Timestamp, into changes: inout Changes
    ) {
        var enrolment = enrolment
        (enrolment.endedAt, enrolment.endReason) = (now, reason)
        (enrolment.wakesAt, enrolment.isPlanned, enrolment.prompts, enrolment.next) = (nil, false, [], 0)
        put(enrolment, into: &changes)
        tell(
            StudyEvents.left, [("reason", .string(reason))], of: enrolment, source: source, now: now, into: &changes)
    }

    mutating func put(_ enrolment: Enrolment, into changes: inout Changes) {
        let before = surveys.enrolment(of: enrolment.user, enrolment.survey)
        hold(enrolment.size - (before?.size ?? Amount()), .presentations, of: enrolment.user.uid)
        surveys.put(enrolment)
        changes.rows.append(.survey(.putEnrolment(enrolment)))
    }

    /// Records an event about a participant in their session, and triggers the surveys that listen to it.
    mutating func tell(
        _ name: String, _ properties: [(String, PropertyValue)], of enrolment: Enrolment, source: Source? = nil,
        now: Timestamp, into changes: inout Changes
    ) {
        let source = source ?? Source(uid: enrolment.user.uid, pid: 0)
        let current = sessions.current(enrolment.scope)?.identity
        let own = current.flatMap { UserKey($0) == enrolment.user ? $0 : nil }
        let session =
            own
            ?? beginSessionAside(
                enrolment.scope, userId: enrolment.user.userId, source: source, now: now, into: &changes)
        var all = Properties([("surveyId", .string(enrolment.survey))])
        for (key, value) in properties { all.append(key, value) }
        let recorded = append(
            .event, of: session, name: name, properties: all, source: source, at: now, into: &changes)
        if own == nil { endSessionAside(session, source: source, now: now, into: &changes) }
        fireListeners(to: name, all, recorded, of: session, source: source, now: now, into: &changes)
        trigger(name, all, in: session, source: source, now: now, into: &changes)
    }
}

extension Engine.Joining {
    fileprivate var properties: [(String, PropertyValue)] {
        var properties: [(String, PropertyValue)] = []
        if let group { properties.append(("group", .string(group))) }
        if let hours { properties.append(("hours", .string(hours.text))) }
        return properties
    }
}

extension Enrolment {
    /// The size of the enrolment in the store.
    var size: Amount { Amount(count: 1, bytes: properties.byteCount) }
}

/// Reports from presenters of prompts about the person.
extension Engine {
    /// Notes that a prompt's person is away. The prompt is missed, unless its schedule waits.
    package mutating func noteAway(
        _ id: Identifier, _ reason: MissedReason, visibleTo uid: UInt32?, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Presentation {
        var presentation = try find(id, visibleTo: uid)
        guard presentation.state.isOpen else { throw presentation.closedError }
        guard presentation.state == .ready || presentation.state == .presented, presentation.times.notified == nil,
            presentation.times.opened == nil, presentation.times.sampling != nil,
            let schedule = surveys.configuration.survey(presentation.survey)?.trigger.schedule
        else { return presentation }
        if schedule.whenAway == .miss {
            return close(presentation, .expired, reason: reason.rawValue, now: now, into: &changes)
        }
        guard presentation.times.sampling?.away != reason.rawValue else { return presentation }
        presentation.times.sampling?.away = reason.rawValue
        put(presentation, into: &changes)
        return presentation
    }

    /// Starts the time in which a prompt can be answered, if its schedule waits for the person. Called once the person is
    /// notified of the prompt.
    func startExpiry(of presentation: inout Presentation, now: Timestamp) {
        guard presentation.times.sampling != nil,
            let survey = surveys.configuration.survey(presentation.survey), let schedule = survey.trigger.schedule,
            schedule.whenAway != .miss, let expireAfter = survey.limits.expireAfter
        else { return }
        let end = believed(now).adding(milliseconds: expireAfter)
        presentation.expiresAt = survey.limits.ends.map { min($0, end) } ?? end
    }

    /// Gives a person who opens a prompt in time `finishWithin` to finish it.
    func allowFinishing(_ presentation: inout Presentation, now: Timestamp) {
        guard presentation.times.sampling != nil, let expires = presentation.expiresAt,
            let within = surveys.configuration.survey(presentation.survey)?.trigger.schedule?.finishWithin
        else { return }
        presentation.expiresAt = max(expires, believed(now).adding(milliseconds: within))
    }
}
