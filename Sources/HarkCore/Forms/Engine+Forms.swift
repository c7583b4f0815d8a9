package import HarkWire

/// Filling in forms. The participant's user and scope must have been admitted.
extension Engine {
    /// Adds a user's forms as the store has them.
    package mutating func admit(forms: UserForms, of user: UserKey) {
        self.forms.admit(user, isClearing(user) ? [:] : forms)
    }

    mutating func clearForms(_ selection: Selection, into changes: inout Changes) {
        forms.remove(selection)
        keep(FormRow.remove(selection), into: &changes)
    }

    /// Replaces the forms in force. Answers to forms that are gone are kept until the forms come back.
    package mutating func configure(_ configuration: FormConfiguration) {
        forms.configuration = configuration
    }

    /// Begins a form; for a user who has begun it, returns the state unchanged.
    package mutating func startForm(
        _ id: String, by participant: FormParticipant, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> FormState {
        try check(participant)
        _ = try formWithQuestions(id)
        if let state = forms.state(of: participant.user, id) { return state }
        let state = FormState(startedAt: now)
        try checkRoom(for: state, id, by: participant, path: "formId")
        put(state, of: participant.user, id, into: &changes)
        return state
    }

    /// Stores answers, all of them or none. If the form has a server, they are queued for it.
    ///
    /// - Parameter given: by question; null withdraws an answer that is not required.
    package mutating func answerForm(
        _ id: String, _ given: [(id: String, value: JSONValue)], path: (String) -> String,
        by participant: FormParticipant, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> FormState {
        try check(participant)
        let form = try formWithQuestions(id)
        let before = forms.state(of: participant.user, id)
        var state = before ?? FormState(startedAt: now)
        var changed: [String] = []
        let endsDraft = given.contains { state.draft.answers[$0.id] != nil }
        for (question, value) in given {
            let answer = try accept(
                value, to: question, of: form, state, on: today(at: now), path: path(question))
            state.draft.answers[question] = nil
            // A repeated answer changes nothing, unless it must be sent again.
            guard answer != state.answers[question]?.answer || !form.isEditable else { continue }
            changed.append(question)
            state.answers[question] = answer.map { answer in
                let submission = submission(
                    of: answer, after: state.answers[question], to: question, of: form, now: now)
                return FormAnswer(answer, at: now, submission: submission)
            }
        }
        try checkHours(in: id, state, changed: changed, path: path)
        guard !changed.isEmpty || before == nil else {
            if endsDraft { put(state, of: participant.user, id, into: &changes) }
            return state
        }
        try checkRoom(for: state, id, by: participant, path: given.first.map { path($0.id) } ?? "formId")
        note(form, answers: changed, in: state, by: participant, now: now, into: &changes)
        complete(&state, of: form, by: participant, now: now, into: &changes)
        put(state, of: participant.user, id, into: &changes)
        for question in changed {
            let place = SubmissionPlace(user: participant.user, form: id, question: question)
            keep(FormRow.putAnswer(state.answers[question], place), into: &changes)
        }
        noteProfile(about: form, before: before, by: participant, now: now, into: &changes)
        return state
    }

    /// Forgets the answers to a form.
    ///
    /// - Returns: the number of answers.
    package mutating func resetForm(
        _ id: String, by participant: FormParticipant, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> Int {
        try check(participant)
        // The answers to a form that is gone can also be forgotten.
        guard let state = forms.state(of: participant.user, id) else {
            if forms.configuration.form(id) == nil { throw noForm(id) }
            return 0
        }
        put(nil, of: participant.user, id, into: &changes)
        emit(.form, id, [("action", .string("reset"))], by: participant, now: now, into: &changes)
        if let form = forms.configuration.form(id) {
            noteProfile(about: form, before: state, by: participant, now: now, into: &changes)
        }
        return state.answers.count
    }

    private func accept(
        _ value: JSONValue, to id: String, of form: Form, _ state: FormState, on today: CivilDate, path: String
    ) throws(WireError) -> Answer? {
        guard let question = form.question(id) else { throw form.noQuestion(id, .invalidParams, path: path) }
        let answer = try question.accept(value, path: path, on: today)
        if answer == nil, question.isRequired || !form.isEditable { throw question.refusal(path, "must not be empty") }
        switch state.answers[id]?.submission?.state {
        case .submitted where !form.isEditable:
            throw WireError(.conflict, "the answer to '\(id)' was submitted already, and is final", path: path)
        case .sending:
            throw WireError(
                .conflict, "the answer to '\(id)' is on its way to the server just now; see what becomes of it first",
                path: path)
        case nil, .queued, .failed, .unconfirmed, .submitted: return answer
        }
    }

    private mutating func submission(
        of answer: Answer, after before: FormAnswer?, to question: String, of form: Form, now: Timestamp
    ) -> Submission? {
        guard !form.isEditable else { return nil }
        guard var submission = before?.submission, before?.answer == answer else {
            return Submission(
                key: identifiers.next(at: now), numericId: form.question(question)?.numericId, dueAt: now)
        }
        submission.retry(now: now)
        return submission
    }

    /// Notes the time when a form becomes complete.
    mutating func complete(
        _ state: inout FormState, of form: Form, by participant: FormParticipant, now: Timestamp,
        into changes: inout Changes
    ) {
        guard form.isCompleted(state) else {
            state.completedAt = nil
            return
        }
        guard state.completedAt == nil else { return }
        state.completedAt = now
        emit(.form, form.id, [("action", .string("completed"))], by: participant, now: now, into: &changes)
    }

    mutating func put(_ state: FormState?, of user: UserKey, _ form: String, into changes: inout Changes) {
        hold(growth(of: user, form, to: state), .forms, of: user.uid)
        forms.put(state, of: user, form)
        keep(FormRow.put(state, form: form, user), into: &changes)
    }

    /// - Throws: when the forms of a user would exceed the limits.
    func checkRoom(
        for state: FormState, _ form: String, by participant: FormParticipant, path: String
    ) throws(WireError) {
        let growth = growth(of: participant.user, form, to: state)
        try checkRoom(for: growth, .forms, of: participant.user.uid, paths: (path, path))
    }

    private func growth(of user: UserKey, _ form: String, to state: FormState?) -> Amount {
        let before = forms.state(of: user, form)?.size(of: user, form) ?? Amount()
        return (state?.size(of: user, form) ?? Amount()) - before
    }

    func check(_ participant: FormParticipant) throws(WireError) {
        try Limits.check(userId: participant.user.userId)
        try Limits.check(app: participant.scope.app)
    }

    func noForm(_ id: String) -> WireError {
        let ids = forms.configuration.forms.map { "'\($0.id)'" }
        let advice = ids.isEmpty ? "there are none: write a forms.json" : "there are: \(ids.joined(separator: ", "))"
        return WireError(.notFound, "there is no form '\(id)'; \(advice)", path: "formId")
    }

    package func form(_ id: String) throws(WireError) -> Form {
        guard let form = forms.configuration.form(id) else { throw noForm(id) }
        return form
    }

    /// The form, if there are questions to answer.
    func formWithQuestions(_ id: String) throws(WireError) -> Form {
        let form = try form(id)
        guard !form.questionnaire.questions.isEmpty else {
            throw WireError(
                .networkError, "the questions of '\(id)' have not come from their server yet",
                path: "formId")
        }
        return form
    }
}

extension Form {
    func noQuestion(_ id: String, _ reason: ErrorReason, path: String) -> WireError {
        let ids = questionnaire.questions.map(\.id).joined(separator: ", ")
        return WireError(reason, "there is no question '\(id)'; there are: \(ids)", path: path)
    }
}
