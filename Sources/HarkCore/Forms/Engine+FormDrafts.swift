package import HarkWire

extension Engine {
    /// Stores a draft of the answers and the current question. A draft is not an answer and is not recorded.
    ///
    /// - Parameters:
    ///   - page: the question on screen; nil leaves it unchanged.
    ///   - given: values by question; null removes the draft of that question.
    package mutating func draftForm(
        _ id: String, page: String?, _ given: [(id: String, value: JSONValue)], by participant: FormParticipant,
        now: Timestamp, into changes: inout Changes
    ) throws(WireError) {
        try check(participant)
        let form = try formWithQuestions(id)
        let before = forms.state(of: participant.user, id)
        var state = before ?? FormState(startedAt: now)
        if let page {
            guard form.question(page) != nil else {
                throw form.noQuestion(page, .invalidParams, path: "page")
            }
            state.draft.page = page
        }
        for (question, value) in given {
            let path = "answers.\(question)"
            guard form.question(question) != nil else {
                throw form.noQuestion(question, .invalidParams, path: path)
            }
            guard value.isNull || FormDraft.takes(value) else {
                throw WireError(
                    .invalidParams, "must be a text, an option, an array of options, a whole number or null", path: path
                )
            }
            // A value that equals the answer is no draft.
            if value.isNull || value == state.answers[question]?.answer.value {
                state.draft.answers[question] = nil
            } else {
                state.draft.answers[question] = value
            }
        }
        guard state != before else { return }
        guard state.draft.packed.count <= FormDraft.maxBytes else {
            throw WireError(
                .tooLarge, "what is begun of a form takes at most \(FormDraft.maxBytes) bytes; answer some of it first",
                path: "answers")
        }
        try checkRoom(for: state, id, by: participant, path: "answers")
        put(state, of: participant.user, id, into: &changes)
    }
}
