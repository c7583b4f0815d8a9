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
        json.key("progress")
        progress.write(to: &json, isSubmitted: !isEditable)
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
            json.key("draft")
            state.draft.write(to: &json, of: self)
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
            submission.write(to: &json)
        }
        json.endObject()
    }
}

extension FormProgress {
    package func write(to json: inout JSONWriter, isSubmitted: Bool) {
        json.beginObject()
        json.key("answered")
        json.int(answered)
        json.key("total")
        json.int(total)
        json.key("text")
        json.string(text)
        json.key("next")
        if let next { json.string(next) } else { json.null() }
        if isSubmitted {
            json.key("waiting")
            json.int(waiting)
            json.key("failed")
            json.int(failed)
            json.key("unconfirmed")
            json.int(unconfirmed)
        }
        json.endObject()
    }
}

extension Submission {
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("state")
        json.string(state.word)
        json.key("attempts")
        json.int(attempts)
        json.key("status")
        if let status { json.int(status) } else { json.null() }
        if let problem {
            json.key("problem")
            json.string(problem)
        }
        if state == .queued {
            json.key("nextAttemptAt")
            json.timestamp(dueAt)
        }
        if let submittedAt {
            json.key("submittedAt")
            json.timestamp(submittedAt)
        }
        json.endObject()
    }
}
