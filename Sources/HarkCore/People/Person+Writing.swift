package import HarkWire

/// Private data of a person, written only to exports of that person's data.
extension AskingInfo {
    package init(_ gating: Gating, of survey: String, _ user: UserKey) {
        self.init()
        surveyId = survey
        uid = Int64(user.uid)
        attempts = Int64(gating.attempts)
        presentedAt = gating.lastPresented
        completedAt = gating.completed
        shown = gating.recent.times.map(\.description)
        variant = gating.variant
        let places = gating.sessions.sorted { $0.key < $1.key }
        sessions = AnyJSON(.object(JSONObject(places.map { ($0.key.text, .string($0.value.description)) })))
    }
}

extension HistoryInfo {
    package init(_ times: RecentTimes, of rule: String, _ user: UserKey) {
        self.init()
        event = EventPattern.event(ofRule: rule)
        uid = Int64(user.uid)
        self.times = times.times.map(\.description)
    }
}

extension KeptFormInfo {
    /// Everything, including questions and forms that are no longer in the configuration.
    package init(_ state: FormState, of form: String, _ user: UserKey) {
        self.init()
        let kept = state.answers.sorted { $0.key < $1.key }
        formId = form
        uid = Int64(user.uid)
        startedAt = state.startedAt
        completedAt = state.completedAt
        answers = AnyJSON(state.allAnswers)
        answeredAt = AnyJSON(.object(JSONObject(kept.map { ($0.key.text, .string($0.value.at.description)) })))
        if !state.draft.isEmpty {
            var draft = DraftInfo()
            (draft.page, draft.answers) = (state.draft.page, AnyJSON(state.draft.document))
            self.draft = draft
        }
        submissions = AnyJSON(writing: { json in
            json.beginObject()
            for (question, answer) in kept {
                guard let submission = answer.submission else { continue }
                json.key(question.text)
                submission.info.write(to: &json)
            }
            json.endObject()
        })
    }
}
