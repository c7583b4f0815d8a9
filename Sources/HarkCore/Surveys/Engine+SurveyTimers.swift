package import HarkWire

/// Changes of presentations that are due by time.
extension Engine {
    /// The next moment at which `fire` has something to do; nil for never.
    package var earliestDue: Timestamp? { surveys.schedule.earliest }

    /// Whether a document of surveys was read, so that surveys not in it are gone.
    package var knowsSurveys: Bool { surveys.document != nil }

    /// The data to load before `fire` can continue: entries of the schedule after a key, or the state of users.
    struct DueNeed: Equatable {
        var page: SurveySchedule.Key?
        var users: [UserKey] = []
    }

    mutating func dueNeed(at now: Timestamp) -> DueNeed {
        let now = believed(now)
        var need = DueNeed(page: surveys.schedule.pageNeeded(at: now))
        var seen: Set<UserKey> = []
        for entry in surveys.schedule.due(at: now).prefix(Engine.maxFired)
        where seen.insert(entry.user).inserted && lack(of: entry.user) != nil {
            need.users.append(entry.user)
        }
        return need
    }

    /// Adds the entries that follow a key in the store, in order, at most `SurveySchedule.page` of them.
    package mutating func admit(schedule page: [SurveySchedule.Entry], isLast: Bool) {
        surveys.schedule.admit(page, isLast: isLast)
    }

    /// Carries out due entries, at most `maxFired` at a time, so that other work need not wait long.
    ///
    /// It stops at the first entry whose user is not loaded. The scopes of due entries should have been admitted: gating looks
    /// at their sessions.
    ///
    /// - Returns: whether there are more due entries now.
    package mutating func fire(now: Timestamp, into changes: inout Changes) -> Bool {
        let due = surveys.schedule.due(at: believed(now)).prefix(Engine.maxFired).prefix { surveys.isLoaded($0.user) }
        surveys.schedule.removeFirst(due.count)
        for entry in due {
            if let presentation = surveys.presentation(entry.key.id) {
                if presentation.wakesAt == entry.key.at { wake(presentation, now: now, into: &changes) }
            } else if let enrolment = surveys.enrolment(entry.key.id, of: entry.user), enrolment.wakesAt == entry.key.at
            {
                wake(enrolment, now: now, into: &changes)
            }
        }
        return surveys.schedule.earliest.map { $0 <= believed(now) } ?? false
    }

    package static let maxFired = 64

    private mutating func wake(_ presentation: Presentation, now: Timestamp, into changes: inout Changes) {
        if presentation.prompt != nil { return wakePrompt(presentation, now: now, into: &changes) }
        // Until a document was read, no survey is known to be gone; due entries come again with the document.
        guard knowsSurveys else { return }
        guard let survey = surveys.configuration.survey(presentation.survey) else {
            cancelGone(presentation, now: now, into: &changes)
            return
        }
        guard presentation.state == .scheduled, presentation.isInTime(believed(now)) else {
            close(presentation, .expired, reason: missedReason(of: presentation), now: now, into: &changes)
            return
        }
        let session = currentSession(for: presentation)?.id
        let gate = gate(
            survey, presentation.user, in: presentation.scope, session: session,
            for: presentation.trigger, now: now)
        if let check = gate.obstacle(resumed: presentation.presentedAt != nil), check != .quota {
            close(presentation, .cancelled, reason: check.rawValue, now: now, into: &changes)
            return
        }
        if let until = gate.quietUntil { return hold(presentation, until: until, now: now, into: &changes) }
        var presentation = presentation
        presentation.becomeReady(survey.limits, at: now)
        put(presentation, into: &changes)
    }
}
