/// What programs that speak for agents (`hark mcp`) and the daemon have agreed on.
package enum AgentWords {
    /// The name of the prompts that agents ask by: people mute them by it, and the daemon counts them by it.
    package static let promptName = "agent"
    /// The app of the events that tell what agents did.
    package static let app = "mcp"
    /// The most questions of agents that may wait for the answer of one account.
    package static let openQuestions = 3
}
