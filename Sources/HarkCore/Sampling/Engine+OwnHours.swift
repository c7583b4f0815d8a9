internal import HarkWire

/// Participants' own hours, from their answers to a form.
extension Engine {
    /// Refuses answers that schedules cannot use as hours: no time of day, or a window that cannot hold the prompts.
    ///
    /// - Parameters:
    ///   - state: the form with the new answers.
    ///   - changed: the questions whose answers change.
    ///   - path: the JSON path of a question's answer, for errors.
    func checkHours(
        in form: String, _ state: FormState, changed: [String], path: (String) -> String
    ) throws(WireError) {
        guard !changed.isEmpty else { return }
        for survey in surveys.configuration.surveys {
            guard let schedule = survey.trigger.schedule, let hours = schedule.hours, hours.form.hasSameBytes(as: form)
            else { continue }
            let asked = [hours.from, hours.until]
            guard let question = changed.last(where: { id in asked.contains { $0.hasSameBytes(as: id) } }) else {
                continue
            }
            func minutes(_ id: String) throws(WireError) -> Int64? {
                guard let answer = state.answers[ExactName(id)]?.answer else { return nil }
                if let minutes = answer.words.flatMap(WallClock.minutes) { return minutes }
                guard changed.contains(where: { $0.hasSameBytes(as: id) }) else { return nil }
                throw WireError(
                    .invalidParams, "must be a time of day such as 07:30, as the prompts of '\(survey.id)' go by it",
                    path: path(id))
            }
            guard let from = try minutes(hours.from), let until = try minutes(hours.until) else { continue }
            guard let window = SamplingWindow(checking: from, until) else {
                throw WireError(
                    .invalidParams, "makes a window that begins and ends at the same time", path: path(question))
            }
            let own = SamplingPlan(schedule.plan.placing, window: window, gap: schedule.plan.gap)
            guard let fault = own.fault else { continue }
            throw WireError(
                .invalidParams, "makes the window \(window.text) of '\(survey.id)', which \(fault)",
                path: path(question))
        }
    }
}
