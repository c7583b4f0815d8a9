package import HarkWire

extension Engine {
    /// - Parameter day: the local day, counted from 1970-01-01, for which daily values are drawn.
    package func profile(of user: UserKey, day: Int64) throws(WireError) -> Profile {
        let rules = try profileRules()
        return Profile(
            rules, forms.configuration.form(rules.form), forms.state(of: user, rules.form), DailyDraw(user, day: day))
    }

    /// Deletes the answers behind the profile.
    package mutating func resetProfile(
        by participant: FormParticipant, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Int {
        let rules = try profileRules()
        return try resetForm(rules.form, by: participant, now: now, into: &changes)
    }

    /// The answers behind the profile, in a form that can be imported again. Throws for a user without answers.
    package func exportProfile(of user: UserKey) throws(WireError) -> ProfileCopy {
        let rules = try profileRules()
        guard let state = forms.state(of: user, rules.form), !state.answers.isEmpty else {
            throw WireError(
                .notFound, "there is no profile of this user yet; the form '\(rules.form)' was not answered")
        }
        let form = forms.configuration.form(rules.form)
        return ProfileCopy(
            form: rules.form, startedAt: state.startedAt, completedAt: state.completedAt,
            answers: form?.answers(in: state) ?? state.allAnswers)
    }

    /// Imports an exported profile, from here or elsewhere, in place of the existing one.
    package mutating func importProfile(
        _ document: JSONObject, path: String, by participant: FormParticipant, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) {
        try check(participant)
        let rules = try profileRules()
        let form = try formWithQuestions(rules.form)
        guard form.isEditable else {
            throw WireError(
                .conflict, "answers to '\(form.id)' go to a server one by one; they cannot be imported", path: path)
        }
        let copy = try ProfileCopy(document, of: form, path: path)
        let before = forms.state(of: participant.user, form.id)
        var state = FormState(startedAt: copy.startedAt)
        for (id, answer) in copy.answers.members { state.answers[id] = FormAnswer(answer, at: now) }
        state.completedAt = form.isCompleted(state) ? copy.completedAt ?? now : nil
        try checkRoom(for: state, form.id, by: participant, path: path)
        put(nil, of: participant.user, form.id, into: &changes)
        put(state, of: participant.user, form.id, into: &changes)
        for (id, answer) in state.answers.sorted(by: { $0.key < $1.key }) {
            let place = SubmissionPlace(user: participant.user, form: form.id, question: id.text)
            keep(FormRow.putAnswer(answer, place), into: &changes)
        }
        emit(.form, form.id, [("action", .string("imported"))], by: participant, now: now, into: &changes)
        note(form, answers: copy.answers.members.map(\.id), in: state, by: participant, now: now, into: &changes)
        noteProfile(about: form, before: before, by: participant, now: now, into: &changes)
    }

    private func profileRules() throws(WireError) -> ProfileRules {
        guard let rules = forms.configuration.profile else {
            throw WireError(.notConfigured, "there are no rules for a profile: forms.json has no 'profile'")
        }
        return rules
    }
}
