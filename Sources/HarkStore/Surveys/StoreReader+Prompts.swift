package import HarkCore
package import HarkWire

/// Prompts, which lie in the store as their presentations.
extension StoreReader {
    /// How a prompt stands; nil when there is none.
    package func prompt(_ id: Identifier) throws(StoreError) -> PromptStanding? {
        PromptStanding(try surveys.presentations(ofPrompt: id))
    }

    /// The prompts that wait for an answer.
    package func openPrompts() throws(StoreError) -> [PromptStanding] {
        var standings: [PromptStanding] = []
        for id in try surveys.promptsThatAreOpen() {
            if let standing = try prompt(id) { standings.append(standing) }
        }
        return standings
    }

    /// For a command that names a prompt: all its presentations, and what their ends may bring about.
    package func loadPrompt(_ id: Identifier, into engine: inout Engine) throws(StoreError) {
        for presentation in try surveys.presentations(ofPrompt: id) {
            try loadAsked(presentation.scope, into: &engine)
            if !presentation.state.isOpen { engine.admit(closed: presentation) }
        }
    }

    /// For asking somebody: what waits for an answer there, the session, and whose it is.
    package func loadAsked(_ scope: Scope, into engine: inout Engine) throws(StoreError) {
        try load([.presentations, .prompts], of: scope.uid, into: &engine)
        try load([.allPrompts], of: Engine.everybody, into: &engine)
        try load(scope, into: &engine)
        try load(UserKey(uid: scope.uid, userId: nil), into: &engine)
        if let session = engine.sessions.current(scope) { try load(UserKey(session.identity), into: &engine) }
        try loadFollowing(in: scope, into: &engine)
    }
}
