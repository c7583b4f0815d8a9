package import HarkWire

extension Form {
    /// Writes a user's progress, as in replies.
    ///
    /// - Parameter withQuestions: whether to include everything that is needed to show the form.
    package func write(
        to json: inout JSONWriter, _ state: FormState?, of user: UserKey, withQuestions: Bool
    ) {
        let progress = progress(in: state)
        json.beginObject()
        json.key("formId")
        json.string(id)
        json.key("userId")
        if let userId = user.userId { json.string(userId) } else { json.null() }
        json.key("title")
        json.string(title)
        if withQuestions, !message.isEmpty {
            json.key("message")
            json.string(message)
        }
        json.member("progress", progress.info(isSubmitted: !isEditable))
        json.key("completed")
        json.bool(progress.isCompleted)
        json.key("completedAt")
        if let at = state?.completedAt, progress.isCompleted { json.timestamp(at) } else { json.null() }
        if withQuestions {
            for (key, text) in labels {
                guard let text else { continue }
                json.key(key)
                json.string(text)
            }
            json.key("editable")
            json.bool(isEditable)
            json.key("questions")
            json.beginArray()
            for question in questionnaire.drawn(for: user, of: id).questions {
                question.write(to: &json, ratesOptions: false)
            }
            json.endArray()
        }
        json.key("route")
        json.beginArray()
        for question in way(in: state) { json.string(question.id) }
        json.endArray()
        json.key("answers")
        (state.map(answers) ?? Answers()).write(to: &json)
        if let state, !state.draft.isEmpty {
            json.member("draft", state.draft.info(of: self))
        }
        if !isEditable { writeSubmissions(to: &json, state) }
        json.endObject()
    }

    /// The optional texts of a form.
    private var labels: [(key: StaticString, text: String?)] {
        [
            ("startLabel", startLabel), ("completionMessage", completionMessage),
            ("completionLabel", completionLabel),
        ]
    }

    private func writeSubmissions(to json: inout JSONWriter, _ state: FormState?) {
        json.key("submissions")
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
