package import HarkWire

extension Form {
    /// A user's progress, as in replies.
    ///
    /// - Parameter withQuestions: whether to include everything that is needed to show the form.
    package func info(_ state: FormState?, of user: UserKey, withQuestions: Bool) -> FormInfo {
        let progress = progress(in: state)
        var info = FormInfo()
        info.formId = id
        info.userId = user.userId
        info.title = title
        info.progress = progress.info(isSubmitted: !isEditable)
        info.completed = progress.isCompleted
        info.completedAt = progress.isCompleted ? state?.completedAt : nil
        if withQuestions {
            info.message = message.nonEmpty
            info.startLabel = startLabel
            info.completionMessage = completionMessage
            info.completionLabel = completionLabel
            info.editable = isEditable
            info.questions = questionnaire.drawn(for: user, of: id).questions.map { $0.info(ratesOptions: false) }
        }
        info.route = way(in: state).map(\.id)
        info.answers = AnyJSON(state.map(answers) ?? Answers())
        if let state, !state.draft.isEmpty { info.draft = state.draft.info(of: self) }
        if !isEditable { info.submissions = AnyJSON(writing: { writeSubmissions(to: &$0, state) }) }
        return info
    }

    private func writeSubmissions(to json: inout JSONWriter, _ state: FormState?) {
        json.beginObject()
        for question in questionnaire.questions {
            guard let submission = state?.answers[question.id]?.submission else { continue }
            json.key(question.id)
            submission.info.write(to: &json)
        }
        json.endObject()
    }
}

extension FormProgress {
    package func info(isSubmitted: Bool) -> FormProgressInfo {
        var info = FormProgressInfo()
        info.answered = Int64(answered)
        info.total = Int64(total)
        info.text = text
        info.next = next
        guard isSubmitted else { return info }
        info.waiting = Int64(waiting)
        info.failed = Int64(failed)
        info.unconfirmed = Int64(unconfirmed)
        return info
    }
}

extension Submission {
    package var info: SubmissionInfo {
        var info = SubmissionInfo()
        info.state = state.word
        info.attempts = Int64(attempts)
        info.status = status.map { Int64($0) }
        info.problem = problem
        if state == .queued { info.nextAttemptAt = dueAt }
        info.submittedAt = submittedAt
        return info
    }
}
