internal import HarkWire

/// Plans the days of participants, and starts prompts when they are due.
extension Engine {
    /// The most prompts of one participant that are handled at a time, if many were missed.
    private static let mostSteps = 64
    /// The longest delay of a prompt that still counts as on time; milliseconds. If the delay is longer, the prompt could not be
    /// shown when it was due.
    package static let mostPunctuality: Int64 = 60_000

    /// Performs the due step of a participant: plans the day, starts the next prompt, or notes that it was missed.
    mutating func wake(_ enrolment: Enrolment, now: Timestamp, into changes: inout Changes) {
        guard knowsSurveys else { return }
        guard let survey = surveys.configuration.survey(enrolment.survey), let schedule = survey.trigger.schedule else {
            return end(enrolment, StudyEnd.removed, now: now, into: &changes)
        }
        var enrolment = enrolment
        for _ in 0..<Engine.mostSteps {
            guard let due = enrolment.wakesAt, due <= believed(now) else { break }
            if enrolment.isPlanned {
                bring(&enrolment, survey, schedule, now: now, into: &changes)
            } else {
                plan(&enrolment, schedule, now: now, into: &changes)
            }
            guard enrolment.wakesAt == nil else { continue }
            return end(enrolment, StudyEnd.over, now: now, into: &changes)
        }
        put(enrolment, into: &changes)
    }

    /// The time zone of a schedule: its own or the machine's.
    package func zone(of schedule: SamplingSchedule) -> LocalZone {
        schedule.timeZone.flatMap { surveys.clock.namedZone($0) } ?? zone
    }

    /// A participant's own hours, if they can hold the prompts.
    ///
    /// - Parameter said: the hours given on joining, which take precedence over those from a form.
    /// - Returns: nil if the file's hours apply.
    package func ownHours(of user: UserKey, _ schedule: SamplingSchedule, said: SamplingWindow?) -> SamplingWindow? {
        func minutes(_ question: String) -> Int64? {
            guard let hours = schedule.hours else { return nil }
            let answers = forms.state(of: user, hours.form)?.answers
            return answers?[ExactName(question)]?.answer.words.flatMap(WallClock.minutes)
        }
        var own = said
        if own == nil, let hours = schedule.hours, let from = minutes(hours.from), let until = minutes(hours.until) {
            own = SamplingWindow(checking: from, until)
        }
        return own.flatMap { schedule.plan(in: $0) == nil ? nil : $0 }
    }

    /// The plan of a participant's day, by the hours that apply now.
    package func plan(of enrolment: Enrolment, _ schedule: SamplingSchedule) -> SamplingPlan {
        let own = ownHours(of: enrolment.user, schedule, said: enrolment.hours)
        return schedule.plan(in: own) ?? schedule.plan
    }

    /// Plans the enrolment's current day, or moves on to the next day with prompts.
    mutating func plan(
        _ enrolment: inout Enrolment, _ schedule: SamplingSchedule, now: Timestamp, into changes: inout Changes
    ) {
        let zone = zone(of: schedule)
        // The file's calendar may have changed since.
        let found = schedule.calendar.date(from: enrolment.date, first: enrolment.first, rest: enrolment.rest)
        guard let found else {
            enrolment.wakesAt = nil
            return
        }
        let today = zone.date(believed(now))
        guard found.date <= today else {
            // The file may have an earlier day by now, so each day is checked.
            enrolment.date = min(found.date, max(enrolment.date, today.adding(1)))
            enrolment.wakesAt = Timestamp(milliseconds: zone.moment(enrolment.date, minute: 0) &* 1_000)
            return
        }
        enrolment.date = found.date
        noteZone(&enrolment, schedule, now: now, into: &changes)
        let plan = plan(of: enrolment, schedule)
        enrolment.place = found.place
        enrolment.plan = plan.text
        enrolment.window = plan.dayWindow
        enrolment.windowEnd = plan.dayEnd(found.date, in: zone)
        enrolment.prompts = plan.prompts(on: found.date, schedule.key(enrolment.survey, enrolment), in: zone)
        enrolment.isPlanned = true
        // On the day of joining, prompts before the time of joining do not count.
        enrolment.next =
            enrolment.prompts.firstIndex { $0 &* 1_000 >= enrolment.joinedAt.milliseconds } ?? enrolment.prompts.count
        point(&enrolment, schedule)
    }

    /// Moves on to the next prompt or, after the day's last one, to the next day.
    private func point(_ enrolment: inout Enrolment, _ schedule: SamplingSchedule) {
        if enrolment.next < enrolment.prompts.count {
            enrolment.wakesAt = Timestamp(milliseconds: enrolment.prompts[enrolment.next] &* 1_000)
            return
        }
        let next = schedule.calendar.date(
            from: enrolment.date.adding(1), first: enrolment.first, rest: enrolment.rest)
        (enrolment.isPlanned, enrolment.prompts, enrolment.next) = (false, [], 0)
        guard next != nil else {
            enrolment.wakesAt = nil
            return
        }
        enrolment.date = enrolment.date.adding(1)
        enrolment.wakesAt = Timestamp(milliseconds: zone(of: schedule).moment(enrolment.date, minute: 0) &* 1_000)
    }

    /// Notes the time zone, and records `study.zone` if it is another one than before.
    private mutating func noteZone(
        _ enrolment: inout Enrolment, _ schedule: SamplingSchedule, now: Timestamp, into changes: inout Changes
    ) {
        let name = schedule.timeZone ?? surveys.clock.zone()
        let wall = zone(of: schedule).wall(now)
        enrolment.offsetMinutes = (wall - now.milliseconds) / 60_000
        defer { enrolment.zone = name }
        guard let before = enrolment.zone, let name, before != name else { return }
        tell(
            StudyEvents.zone, [("from", .string(before)), ("to", .string(name))], of: enrolment, now: now,
            into: &changes)
    }

    /// Starts the prompt that is due, or closes it at once with the reason why it does not come.
    private mutating func bring(
        _ enrolment: inout Enrolment, _ survey: Survey, _ schedule: SamplingSchedule, now: Timestamp,
        into changes: inout Changes
    ) {
        noteZone(&enrolment, schedule, now: now, into: &changes)
        let second = enrolment.prompts[enrolment.next]
        let planned = Timestamp(milliseconds: second &* 1_000)
        var presentation = Presentation(
            id: enrolment.presentation(enrolment.date, enrolment.next), survey: survey.id, user: enrolment.user,
            app: enrolment.app, origin: enrolment.id, createdAt: now, state: .scheduled, dueAt: planned)
        var place = SamplingPlace(
            occasion: schedule.occasion, day: enrolment.place.day, prompt: Int64(enrolment.next + 1),
            burst: enrolment.place.burst)
        place.group = enrolment.group
        presentation.times.sampling = place
        presentation.times.zone = enrolment.zone
        presentation.times.offsetMinutes = enrolment.offsetMinutes
        presentation.expiresAt = deadline(of: planned, enrolment, survey)
        let session = currentSession(for: presentation)
        give(
            &presentation, survey,
            on: SurveyOccasion(scope: presentation.scope, user: presentation.user, session: session))
        draw(survey, for: &presentation, now: now, into: &changes)
        if let reason = lapse(of: second, presentation, enrolment, schedule, now: now) {
            close(presentation, .expired, reason: reason, now: now, into: &changes)
        } else if let reason = bar(to: presentation, enrolment, survey, now: now) {
            close(presentation, .cancelled, reason: reason, now: now, into: &changes)
        } else {
            begin(presentation, survey, now: now, into: &changes)
        }
        enrolment.previous = second
        enrolment.next += 1
        point(&enrolment, schedule)
    }

    /// The time until which a prompt may come. If the schedule does not wait, also until when it can be answered.
    private func deadline(of planned: Timestamp, _ enrolment: Enrolment, _ survey: Survey) -> Timestamp {
        let end = Timestamp(milliseconds: enrolment.windowEnd &* 1_000)
        // Without `expireAfterSeconds`: until the day's window ends, and at least a quarter of an hour.
        let usual = max(end, planned.adding(milliseconds: 900_000))
        let own = survey.limits.expireAfter.map { planned.adding(milliseconds: $0) } ?? usual
        let deadline = survey.trigger.schedule?.whenAway == .next ? max(own, end) : own
        return survey.limits.ends.map { min($0, deadline) } ?? deadline
    }

    /// Why a prompt comes too late, outside the window or too soon after the one before; nil: none of these.
    private func lapse(
        of second: Int64, _ presentation: Presentation, _ enrolment: Enrolment, _ schedule: SamplingSchedule,
        now: Timestamp
    ) -> String? {
        let planned = presentation.dueAt
        if enrolment.isPaused(at: planned) { return nil }
        let late = believed(now).milliseconds - planned.milliseconds
        let hasFollower = enrolment.prompts.dropFirst(enrolment.next + 1).first.map {
            $0 &* 1_000 <= believed(now).milliseconds
        }
        if late > Engine.mostPunctuality,
            schedule.whenAway == .miss || hasFollower ?? false || presentation.expiresAt ?? .latest <= believed(now)
        {
            return surveys.clock.absence(planned, now).rawValue
        }
        let (zone, window) = (zone(of: schedule), enrolment.window)
        let begin = zone.moment(enrolment.date, minute: window.from)
        let end = zone.moment(enrolment.date, minute: window.until)
        // If the clocks have skipped the window, it is empty and lies at the end of the leap.
        guard begin <= second, second <= max(begin, end) else { return MissedReason.zone.rawValue }
        if let previous = enrolment.previous, previous < second, schedule.plan.keepsGap,
            second - previous < schedule.plan.gap
        {
            return MissedReason.gap.rawValue
        }
        return nil
    }

    /// Why a prompt is not allowed to come: a pause, or a limit of the survey; nil: it may come.
    private func bar(
        to presentation: Presentation, _ enrolment: Enrolment, _ survey: Survey, now: Timestamp
    ) -> String? {
        if enrolment.isPaused(at: presentation.dueAt) { return StudyEnd.paused }
        let session = currentSession(for: presentation)?.id
        let gate = gate(
            survey, presentation.user, in: presentation.scope, session: session,
            for: presentation.trigger, now: now)
        return gate.obstacle()?.rawValue
    }

    /// Makes a prompt ready, or postpones it to the end of quiet hours. It is missed if it may not wait, or for lack of room.
    private mutating func begin(
        _ presentation: Presentation, _ survey: Survey, now: Timestamp, into changes: inout Changes
    ) {
        var presentation = presentation
        overtake(presentation, now: now, into: &changes)
        guard lackOfRoom(for: presentation.user) == nil else {
            close(presentation, .expired, reason: MissedReason.quota.rawValue, now: now, into: &changes)
            return
        }
        if let until = quiet(survey, of: presentation.user.uid, at: believed(now)) {
            guard survey.trigger.schedule?.whenAway != .miss, until < presentation.expiresAt ?? .latest else {
                close(presentation, .expired, reason: MissedReason.quiet.rawValue, now: now, into: &changes)
                return
            }
            return hold(presentation, until: until, now: now, into: &changes)
        }
        presentation.state = .ready
        put(presentation, into: &changes)
    }

    /// Why a presentation that ends by itself was not answered; nil: it is not a prompt of a schedule.
    func missedReason(of presentation: Presentation) -> String? {
        let reason = presentation.missedReason
        guard reason == MissedReason.noPresenter.rawValue, let shown = surveys.shown(in: presentation.scope),
            shown.id != presentation.id
        else { return reason }
        // Another survey is on the screen.
        return MissedReason.overtaken.rawValue
    }

    /// Ends earlier prompts of the survey that no person has opened, because the next one comes.
    private mutating func overtake(_ next: Presentation, now: Timestamp, into changes: inout Changes) {
        for other in surveys.state(of: next.user)?.open ?? []
        where other.times.sampling != nil && other.survey.hasSameBytes(as: next.survey) && other.state != .presented {
            let reason = other.times.notified == nil ? MissedReason.overtaken.rawValue : other.missedReason
            close(other, .expired, reason: reason, now: now, into: &changes)
        }
    }
}

extension Presentation {
    /// Why a prompt that ends by itself was not answered; nil: it is not a prompt of a schedule.
    var missedReason: String? {
        guard let sampling = times.sampling else { return nil }
        if times.opened != nil { return MissedReason.unfinished.rawValue }
        if times.notified != nil { return MissedReason.ignored.rawValue }
        return sampling.away ?? MissedReason.noPresenter.rawValue
    }
}

extension SamplingPlan {
    /// The hours of a day in which prompts lie: all day for fixed times.
    var dayWindow: SamplingWindow {
        if case .at = placing { return .allDay }
        return window
    }

    func dayEnd(_ date: SamplingDate, in zone: LocalZone) -> Int64 { zone.moment(date, minute: dayWindow.until) }

    /// Whether prompts keep the gap.
    var keepsGap: Bool {
        switch placing {
        case .blocks, .free: true
        case .at, .every: false
        }
    }
}

extension Answer {
    /// The text of a single choice or a text; nil for other answers.
    var words: String? {
        switch self {
        case .choice(let text), .text(let text): text
        case .choices, .number: nil
        }
    }
}
