/// Names and limits shared by the daemon and programs that act for agents (`hark mcp`).
package enum AgentWords {
    /// The name of agents' prompts, by which people mute them and the daemon counts them.
    package static let promptName = "agent"
    /// The app of events about agents' actions.
    package static let app = "mcp"
    /// The maximum number of open questions of agents for an account.
    package static let openQuestions = 3
}
