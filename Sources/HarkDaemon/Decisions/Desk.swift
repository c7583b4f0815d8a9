import HarkCore
import HarkStore
import HarkSystem
import HarkWire

/// What follows from commits, one desk for each family: it shows, sends and starts what has been stored.
///
/// A desk decides nothing; the engine does. Of what it remembers, what follows from the store changes in `begin` and `follow`
/// only, so a refusal of the store is the same as a start: what the engine decided is forgotten, and `begin` takes up what
/// the store holds. Only facts from outside outlast it: programs that run, requests under way, clients.
@DaemonActor
protocol Desk: AnyObject {
    /// What its timer is called in `daemon.status`.
    var timerName: String { get }
    /// When it acts next by itself; nil: not before something happens.
    var dueAt: Timestamp? { get }

    /// What keeps something of it from working as it is meant to, for `daemon.status`.
    var troubles: [Trouble] { get }

    /// The settings are in force: before it begins, and whenever they were read again.
    func configure(_ settings: Configuration) throws(WireError)
    /// Reads again what the settings lead to, and waits until that is in force.
    func reloadDocuments() async
    /// Takes up what the store holds: at the start, and when the store takes commits again after it has refused some.
    func begin() throws
    /// Something is on disk.
    func follow(_ changes: Stored<Changes>, _ report: CommitReport)
    func networkChanged(_ path: NetworkPath)
    func connectionEnded(_ connection: ClientConnection)
    /// The daemon is about to end: nothing new is taken up, and what is under way may come to its end.
    func stop()
    /// The daemon ends.
    func end()
}

/// What it is about, as in "surveys", and what is wrong.
typealias Trouble = (about: String, message: String)

extension Desk {
    var timerName: String { "" }
    var dueAt: Timestamp? { nil }
    var troubles: [Trouble] { [] }
    func configure(_ settings: Configuration) {}
    func reloadDocuments() async {}
    func begin() {}
    func follow(_ changes: Stored<Changes>, _ report: CommitReport) {}
    func networkChanged(_ path: NetworkPath) {}
    func connectionEnded(_ connection: ClientConnection) {}
    func stop() {}
    func end() {}
}
