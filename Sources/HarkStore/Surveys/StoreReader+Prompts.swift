package import HarkCore
package import HarkWire

/// Prompts, which are stored as their presentations.
extension StoreReader {
    /// The state of a prompt; nil if it is unknown.
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
}
