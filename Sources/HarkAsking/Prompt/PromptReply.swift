package import HarkClient
package import HarkWire

/// The state of a prompt, as reported by the daemon.
package struct PromptReply: Sendable {
    package let json: JSONText
    package let told: PromptInfo
    package let promptId: String
    package private(set) var state: PromptState
    package let expiresAt: Timestamp?
    /// The reason for a cancellation.
    package let reason: String?

    /// - Parameter result: The result of a method about a prompt.
    package init(_ result: JSONText) throws(ClientError) {
        json = PromptReport(result).prompt.json
        told = PromptInfo(json)
        guard told.promptId != PromptInfo().promptId, let state = PromptState(rawValue: told.state) else {
            throw ClientError(.malformedReply, "the daemon's reply has no prompt in it")
        }
        promptId = told.promptId.description
        self.state = state
        expiresAt = told.expiresAt
        reason = told.reason
    }

    /// The answer, or the default of an expired prompt, one or more lines per question; nil if there is none.
    package var answer: [String]? { lines(told.answers) ?? (state == .expired ? fallback : nil) }

    /// The same prompt as expired, for when the daemon is not there to report it.
    package var expired: PromptReply {
        var reply = self
        reply.state = .expired
        return reply
    }

    /// The default answer; nil if there is none.
    package var fallback: [String]? { lines(told.fallback) }

    private func lines(_ told: AnyJSON?) -> [String]? {
        guard let answers = told?.json.membersByName else { return nil }
        return ["option", "options", "rating", "text", "answer", "answer.other"].flatMap { id -> [String] in
            guard let answer = answers[id] else { return [] }
            if let text = answer.string { return [text] }
            if let number = answer.answer.flatMap({ ExactNumber($0) }) { return [number.description] }
            return answer.elements.compactMap(\.string)
        }
    }

    /// Returns the presentation for an account; nil if the account is not asked, or no longer.
    package func shown(to uid: UInt32) -> ShownSurvey? {
        let open = ["ready", "presented", "scheduled"]
        guard let shown = told.presentations.first(where: { $0.uid == Int64(uid) }), open.contains(shown.state) else {
            return nil
        }
        var presentation = PresentationInfo()
        (presentation.state, presentation.uid) = (told.state, shown.uid)
        (presentation.promptId, presentation.askedBy) = (told.promptId, told.askedBy)
        (presentation.reason, presentation.answers) = (told.reason, told.answers)
        return ShownSurvey(presentation, told.content, id: shown.presentationId)
    }
}
