package import HarkWire

/// The state of a prompt, derived from its presentations.
package struct PromptStanding: Sendable, Equatable {
    package typealias State = PromptState

    package let prompt: Prompt
    /// At least one, in the order in which the accounts were named.
    package let presentations: [Presentation]

    /// - Parameter presentations: all of one prompt.
    /// - Returns: nil when there are none.
    package init?(_ presentations: [Presentation]) {
        guard let prompt = presentations.first?.prompt else { return nil }
        self.prompt = prompt
        self.presentations = presentations.sorted { $0.id < $1.id }
    }

    package var state: State {
        let states = Set(presentations.map(\.state))
        if states.contains(.answered) { return .answered }
        if states.contains(where: \.isOpen) { return .open }
        if states.contains(.expired) { return .expired }
        return states.contains(.dismissed) ? .dismissed : .cancelled
    }

    package var answered: Presentation? { presentations.first { $0.state == .answered } }

    package func write(to json: inout JSONWriter) {
        let state = state
        json.beginObject()
        json.key("promptId")
        json.identifier(prompt.id)
        json.key("name")
        json.string(prompt.question.name)
        json.key("state")
        json.string(state.rawValue)
        json.key("askedBy")
        json.int(Int(prompt.asker))
        json.key("keep")
        json.bool(prompt.isKept)
        write("askedAt", presentations.map(\.createdAt).min(), to: &json)
        write("expiresAt", presentations.compactMap(\.expiresAt).max(), to: &json)
        if state != .open { write("closedAt", presentations.compactMap(\.closedAt).max(), to: &json) }
        if state == .cancelled, let reason = presentations.compactMap(\.reason).first {
            json.key("reason")
            json.string(reason)
        }
        writeAnswers(state, to: &json)
        var survey = prompt.survey
        survey.content.questionnaire = survey.content.questionnaire.drawn(for: prompt.id)
        survey.writeMembers(to: &json, locale: nil)
        let told = presentations.map { presentation in
            var told = PromptPresentation()
            told.presentationId = presentation.id
            told.uid = Int64(presentation.user.uid)
            told.state = presentation.state.word
            return told
        }
        json.member("presentations", told)
        json.endObject()
    }

    private func writeAnswers(_ state: State, to json: inout JSONWriter) {
        if let answered {
            json.key("answers")
            answered.answers.write(to: &json)
            json.key("answeredBy")
            json.int(Int(answered.user.uid))
        } else if state == .expired, !prompt.question.fallback.isEmpty {
            json.key("answers")
            prompt.question.fallback.write(to: &json)
        }
        if !prompt.question.fallback.isEmpty {
            json.key("default")
            prompt.question.fallback.write(to: &json)
        }
    }

    private func write(_ name: StaticString, _ time: Timestamp?, to json: inout JSONWriter) {
        guard let time else { return }
        json.key(name)
        json.timestamp(time)
    }
}
