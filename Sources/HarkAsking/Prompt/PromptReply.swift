package import HarkClient
package import HarkWire

/// The state of a prompt, as reported by the daemon.
package struct PromptReply: Sendable {
    package let json: JSONText
    package let promptId: String
    package private(set) var state: PromptState
    package let expiresAt: Timestamp?
    /// The reason for a cancellation.
    package let reason: String?

    /// - Parameter result: The result of a method about a prompt.
    package init(_ result: JSONText) throws(ClientError) {
        guard let json = result.member("prompt"), let id = json.member("promptId")?.string,
            let state = json.member("state")?.string.flatMap(PromptState.init)
        else { throw ClientError(.malformedReply, "the daemon's reply has no prompt in it") }
        self.json = json
        promptId = id
        self.state = state
        expiresAt = json.member("expiresAt")?.string.flatMap { Timestamp($0) }
        reason = json.member("reason")?.string
    }

    /// The answer, or the default of an expired prompt, one or more lines per question; nil if there is none.
    package var answer: [String]? { lines("answers") ?? (state == .expired ? fallback : nil) }

    /// The same prompt as expired, for when the daemon is not there to report it.
    package var expired: PromptReply {
        var reply = self
        reply.state = .expired
        return reply
    }

    /// The default answer; nil if there is none.
    package var fallback: [String]? { lines("default") }

    private func lines(_ member: String) -> [String]? {
        guard let answers = json.member(named: member)?.membersByName else { return nil }
        return ["option", "options", "rating", "text", "answer", "answer.other"].flatMap { id -> [String] in
            guard let answer = answers[id] else { return [] }
            if let text = answer.string { return [text] }
            if let number = answer.answer.flatMap({ ExactNumber($0) }) { return [number.description] }
            return answer.elements.compactMap(\.string)
        }
    }

    /// Returns the presentation for an account; nil if the account is not asked, or no longer.
    package func shown(to uid: UInt32) -> ShownSurvey? {
        let presentation = json.member("presentations")?.elements.first { $0.member("uid")?.int == Int64(uid) }
        let open = ["ready", "presented", "scheduled"]
        guard let presentation, let state = presentation.member("state")?.string, open.contains(state),
            let id = presentation.member("presentationId")?.string
        else { return nil }
        return ShownSurvey(json, id: id)
    }
}
