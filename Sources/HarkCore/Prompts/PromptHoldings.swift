internal import HarkWire

extension Holding {
    private enum OpenPrompts {}
    private enum AllOpenPrompts {}

    /// Prompts that wait for an answer of an account.
    package static let prompts = Holding(OpenPrompts.self)
    /// Prompts that wait for an answer of any account; kept under `Engine.everybody`.
    package static let allPrompts = Holding(AllOpenPrompts.self)
}

extension HoldingBound {
    static let prompts = HoldingBound(
        of: .prompts, most: Amount(count: PromptLimits.openPerUser), things: "prompts that wait for an answer",
        whenMany: "answer, dismiss or cancel some (survey.pending lists them)", whenLarge: "")
}

extension Engine {
    /// A uid that no account has (`(uid_t) -1`), for holdings of all accounts together.
    package static let everybody = UInt32.max

    func checkRoom(forPromptTo uid: UInt32) throws(WireError) {
        let path = "uids"
        try checkRoom(for: Amount(count: 1), .prompts, of: uid, paths: (path, path))
        try checkRoom(for: Amount(count: 1), .presentations, of: uid, paths: (path, path))
    }

    func checkRoom(forPrompts count: Int) throws(WireError) {
        guard let held = holdings[Engine.everybody]?[.allPrompts], held.count > PromptLimits.open - count else {
            return
        }
        throw WireError(
            .tooLarge,
            "\(held.count) prompts wait for an answer on this machine, and \(PromptLimits.open) may; try again later",
            path: "question")
    }

    /// Limits the open questions of agents: an agent asks faster than a person reads. The account's users must have
    /// been admitted.
    func checkRoom(forAgentsQuestionTo uid: UInt32) throws(WireError) {
        let open = surveys.state(of: UserKey(uid: uid, userId: nil))?.open ?? []
        let count = open.count { $0.prompt != nil && $0.survey == AgentWords.promptName }
        guard count >= AgentWords.openQuestions else { return }
        throw WireError(
            .tooLarge,
            "\(count) questions of agents wait for this person's answer, which is the most; wait for one, or take one back",
            path: "question")
    }

    /// Updates the holdings for a prompt that opens or closes.
    mutating func hold(prompt: Presentation, before: Presentation?) {
        let more = (prompt.state.isOpen ? 1 : 0) - (before?.state.isOpen ?? false ? 1 : 0)
        hold(Amount(count: more), .prompts, of: prompt.user.uid)
        hold(Amount(count: more), .allPrompts, of: Engine.everybody)
    }
}
