package import HarkWire

/// Repeated notifications about a ready survey, which are not attempts.
extension Engine {
    /// Counts a reminder of a presentation, which must have been admitted.
    ///
    /// - Returns: the updated presentation; nil if it gets no reminder: it is closed, shown, postponed, muted, in quiet
    ///   hours, or has had its reminders.
    package mutating func remind(_ id: Identifier, now: Timestamp, into changes: inout Changes) -> Presentation? {
        guard var presentation = surveys.presentation(id), let survey = remindable(presentation),
            presentation.reminders < survey.reminders.limit, !isMuted(presentation, now: now),
            quiet(presentation, now: now) == nil,
            presentation.expiresAt.map({ believed(now) < $0 }) ?? true
        else { return nil }
        presentation.reminders += 1
        presentation.times.reminders &+= 1
        presentation.times.lastReminder = now
        put(presentation, into: &changes)
        changes.rows.append(.survey(.putReminders(presentation.reminders, id)))
        return presentation
    }

    /// Ends the reminders, because a person who postpones a survey has seen it.
    mutating func endReminders(of presentation: inout Presentation, into changes: inout Changes) {
        guard let survey = surveys.configuration.survey(presentation.survey), survey.reminders.limit > 0,
            presentation.prompt == nil
        else { return }
        presentation.reminders = survey.reminders.limit
        changes.rows.append(.survey(.putReminders(presentation.reminders, presentation.id)))
    }

    private func remindable(_ presentation: Presentation) -> Survey? {
        guard presentation.state == .ready, presentation.prompt == nil else { return nil }
        return surveys.configuration.survey(presentation.survey)
    }
}
