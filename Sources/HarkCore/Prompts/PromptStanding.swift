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

    package var info: PromptInfo {
        var info = PromptInfo()
        info.promptId = prompt.id
        info.name = prompt.question.name
        info.state = state.rawValue
        info.askedBy = Int64(prompt.asker)
        info.keep = prompt.isKept
        info.askedAt = presentations.map(\.createdAt).min()
        info.expiresAt = presentations.compactMap(\.expiresAt).max()
        if state != .open { info.closedAt = presentations.compactMap(\.closedAt).max() }
        if state == .cancelled { info.reason = presentations.compactMap(\.reason).first }
        info.fallback = prompt.question.fallback.isEmpty ? nil : AnyJSON(prompt.question.fallback)
        if let answered {
            info.answers = AnyJSON(answered.answers)
            info.answeredBy = Int64(answered.user.uid)
        } else if state == .expired {
            info.answers = info.fallback
        }
        var survey = prompt.survey
        survey.content.questionnaire = survey.content.questionnaire.drawn(for: prompt.id)
        info.content = survey.info(in: nil)
        info.presentations = presentations.map { presentation in
            var told = PromptPresentation()
            told.presentationId = presentation.id
            told.uid = Int64(presentation.user.uid)
            told.state = presentation.state.word
            return told
        }
        return info
    }
}
