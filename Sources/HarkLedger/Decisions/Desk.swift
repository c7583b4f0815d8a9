package import HarkCore
package import HarkStore
package import HarkSystem
package import HarkWire

/// Acts on commits for one family: shows surveys, sends data and starts programs once the decisions are stored.
///
/// A desk decides nothing; the engine does. Its state that derives from the store changes only in `begin` and `follow`.
/// So a refused commit has the effect of a start: the engine's decisions are forgotten, and `begin` loads the content of
/// the store. Only facts from outside persist: running programs, requests in progress, clients.
@DaemonActor
package protocol Desk: AnyObject {
    /// The name of its timer in `daemon.status`.
    var timerName: String { get }
    /// The time of its next action by itself; nil: not before some event.
    var dueAt: Timestamp? { get }

    /// Problems that keep it from working properly, for `daemon.status`.
    var troubles: [Trouble] { get }

    /// Reloads the documents that the settings name, and returns once they are in force.
    func reloadDocuments() async
    /// Loads the content of the store: at the start, and when the store accepts commits again after it has refused some.
    func begin() throws
    /// Handles a successful commit.
    func follow(_ changes: Stored<Changes>, _ report: CommitReport)
    func networkChanged(_ path: NetworkPath)
    /// The machine's clock stops or starts being believed, or has jumped again.
    func lookAtClock()
    /// A client has disconnected; it is known by its identity alone.
    func connectionEnded(_ client: ObjectIdentifier)
    /// Prepares for the end of the daemon: starts nothing new, and lets running work finish.
    func stop()
    /// Ends with the daemon.
    func end()
}

/// The subject of the problem, such as "surveys", and its description.
package typealias Trouble = (about: String, message: String)

extension Desk {
    package var timerName: String { "" }
    package var dueAt: Timestamp? { nil }
    package var troubles: [Trouble] { [] }
    package func reloadDocuments() async {}
    package func begin() {}
    package func follow(_ changes: Stored<Changes>, _ report: CommitReport) {}
    package func networkChanged(_ path: NetworkPath) {}
    package func lookAtClock() {}
    package func connectionEnded(_ client: ObjectIdentifier) {}
    package func stop() {}
    package func end() {}
}
