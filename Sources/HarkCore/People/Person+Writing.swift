package import HarkWire

/// Private data of a person, written only to exports of that person's data.
extension Gating {
    package func write(to json: inout JSONWriter, of survey: String, _ user: UserKey) {
        json.beginObject()
        json.key("surveyId")
        json.string(survey)
        json.key("uid")
        json.uint(UInt64(user.uid))
        json.key("attempts")
        json.int(attempts)
        json.key("presentedAt")
        if let lastPresented { json.timestamp(lastPresented) } else { json.null() }
        json.key("completedAt")
        if let completed { json.timestamp(completed) } else { json.null() }
        json.key("shown")
        recent.writeTimes(to: &json)
        if let variant {
            json.key("variant")
            json.string(variant)
        }
        json.key("sessions")
        json.beginObject()
        for (app, session) in sessions.sorted(by: { $0.key < $1.key }) {
            json.key(app.text)
            json.identifier(session)
        }
        json.endObject()
        json.endObject()
    }
}

extension RecentTimes {
    package func write(to json: inout JSONWriter, of rule: String, _ user: UserKey) {
        json.beginObject()
        json.key("event")
        json.string(EventPattern.event(ofRule: rule))
        json.key("uid")
        json.uint(UInt64(user.uid))
        json.key("times")
        writeTimes(to: &json)
        json.endObject()
    }

    fileprivate func writeTimes(to json: inout JSONWriter) {
        json.beginArray()
        for time in times { json.timestamp(time) }
        json.endArray()
    }
}

extension FormState {
    /// Writes everything, including questions and forms that are no longer in the configuration.
    package func write(to json: inout JSONWriter, whole form: String, of user: UserKey) {
        let answers = answers.sorted { $0.key < $1.key }
        json.beginObject()
        json.key("formId")
        json.string(form)
        json.key("uid")
        json.uint(UInt64(user.uid))
        json.key("startedAt")
        json.timestamp(startedAt)
        json.key("completedAt")
        if let completedAt { json.timestamp(completedAt) } else { json.null() }
        json.key("answers")
        allAnswers.write(to: &json)
        json.key("answeredAt")
        json.beginObject()
        for (question, answer) in answers {
            json.key(question.text)
            json.timestamp(answer.at)
        }
        json.endObject()
        if !draft.isEmpty {
            json.key("draft")
            json.beginObject()
            json.key("page")
            if let page = draft.page { json.string(page) } else { json.null() }
            json.key("answers")
            json.value(draft.document)
            json.endObject()
        }
        json.key("submissions")
        json.beginObject()
        for (question, answer) in answers {
            guard let submission = answer.submission else { continue }
            json.key(question.text)
            submission.info.write(to: &json)
        }
        json.endObject()
        json.endObject()
    }
}
