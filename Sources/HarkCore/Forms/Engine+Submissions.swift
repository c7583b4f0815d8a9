package import HarkWire

/// Sending answers to the servers of forms.
extension Engine {
    /// An answer that is due to be sent.
    package struct SubmissionJob: Sendable, Equatable {
        package let place: SubmissionPlace
        package let server: FormServer
        /// The idempotency key: the same for every attempt with the same answer.
        package let key: Identifier
        /// `{"id": …, "answer": …}`, with the id as the server gave it.
        package let body: [UInt8]
    }

    /// Marks answers as being sent. They may be sent once the marks are on disk.
    ///
    /// - Parameter places: candidates. Answers that are not due, or whose users were not admitted, are skipped.
    package mutating func beginSubmissions(
        _ places: [SubmissionPlace], now: Timestamp, into changes: inout Changes
    ) -> [SubmissionJob] {
        places.compactMap { place in
            guard let form = forms.configuration.form(place.form), let server = form.submission,
                let answer = forms.state(of: place.user, place.form)?.answers[place.question],
                let submission = answer.submission, submission.state == .queued,
                Submission.isDue(submission.dueAt, now: now),
                !forms.underWay.contains(place)
            else { return nil }
            update(place, into: &changes) { $0.begin() }
            forms.begin(place)
            var body = JSONWriter()
            body.beginObject()
            body.key("id")
            if let number = submission.numericId { body.int(number) } else { body.string(place.question) }
            body.key("answer")
            body.value(answer.answer.value)
            body.endObject()
            return SubmissionJob(place: place, server: server, key: submission.key, body: body.bytes)
        }
    }

    /// Applies the outcome of sending an answer.
    ///
    /// - Parameter dice: a random number from 0 to 1.
    package mutating func endSubmission(
        _ job: SubmissionJob, _ outcome: Submission.Outcome, dice: Double, now: Timestamp, into changes: inout Changes
    ) {
        // A submission that was removed or replaced meanwhile is left alone.
        if let submission = forms.submission(job.place), submission.key == job.key, submission.state == .sending {
            update(job.place, into: &changes) { $0.end(outcome, now: now, dice: dice) }
            completeSubmitted(job.place, now: now, into: &changes)
        }
    }

    /// Notes that no request is in progress for this answer: its outcome is on disk, or its start never was.
    package mutating func forgetJob(at place: SubmissionPlace) { forms.end(place) }

    /// Retries answers at a person's request.
    ///
    /// - Parameter question: nil for all that have failed or wait. An answer that the server may already have
    ///   (unconfirmed) must be named.
    /// - Returns: the questions whose answers are retried.
    package mutating func retrySubmissions(
        _ id: String, question: String?, by participant: FormParticipant, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> [String] {
        try check(participant)
        let form = try form(id)
        let answers = forms.state(of: participant.user, id)?.answers ?? [:]
        if let question { try checkRetry(question, of: form, answers[question]?.submission) }
        let places = answers.filter { question.map(ExactName.init) ?? $0.key == $0.key }.filter {
            switch $0.value.submission?.state {
            case .queued, .failed: true
            case .unconfirmed: question != nil
            case .sending, .submitted, nil: false
            }
        }
        let questions = places.keys.sorted().map(\.text)
        for question in questions {
            update(SubmissionPlace(user: participant.user, form: id, question: question), into: &changes) {
                $0.retry(now: now)
            }
        }
        return questions
    }

    private func checkRetry(_ question: String, of form: Form, _ submission: Submission?) throws(WireError) {
        let path = "questionId"
        switch submission?.state {
        case .queued, .failed, .unconfirmed: return
        case nil where form.question(question) == nil: throw form.noQuestion(question, .notFound, path: path)
        case nil: throw WireError(.notFound, "there is no answer to '\(question)' to submit", path: path)
        case .sending:
            throw WireError(.conflict, "the answer to '\(question)' is on its way just now", path: path)
        case .submitted:
            throw WireError(
                .conflict, "the answer to '\(question)' was submitted already, and is final", path: path)
        }
    }

    /// Makes submissions that wait for the network due, because the network is back.
    package mutating func hurrySubmissions(now: Timestamp, into changes: inout Changes) {
        forms.hurry(now: now)
        keep(FormRow.hurrySubmissions(at: now), into: &changes)
    }

    /// Marks submissions that were in progress when the daemon ended as unconfirmed. Called at start.
    package mutating func interruptSubmissions(into changes: inout Changes) {
        keep(FormRow.interruptSubmissions, into: &changes)
    }

    private mutating func update(
        _ place: SubmissionPlace, into changes: inout Changes, _ body: (inout Submission) -> Void
    ) {
        guard var state = forms.state(of: place.user, place.form), var answer = state.answers[place.question],
            var submission = answer.submission
        else { return }
        body(&submission)
        answer.submission = submission
        state.answers[place.question] = answer
        forms.put(state, of: place.user, place.form)
        keep(FormRow.putAnswer(answer, place), into: &changes)
    }

    private mutating func completeSubmitted(_ place: SubmissionPlace, now: Timestamp, into changes: inout Changes) {
        guard let form = forms.configuration.form(place.form), var state = forms.state(of: place.user, place.form)
        else { return }
        let before = state
        let participant = FormParticipant(
            user: place.user, scope: Scope(uid: place.user.uid), source: Source(uid: place.user.uid, pid: 0))
        complete(&state, of: form, by: participant, now: now, into: &changes)
        guard state != before else { return }
        put(state, of: place.user, place.form, into: &changes)
        noteProfile(about: form, before: before, by: participant, now: now, into: &changes)
    }
}
