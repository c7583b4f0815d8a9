package import HarkWire

/// Telling somebody once more of a survey that is ready, which is no attempt.
extension Engine {
    /// Counts that a presentation is told of again. It must have been admitted.
    ///
    /// - Returns: as it is now; nil where it is not to be told of: it is over, shown, put off, muted, at a quiet time, or was told
    ///   of often enough.
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

    /// Who has put a survey off has seen it: nobody is reminded of it any more.
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
