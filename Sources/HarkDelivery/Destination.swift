package import HarkCore
package import HarkSystem

/// Where records leave the log for: the archive tree, a server, a webhook.
///
/// A destination is handed batches in order of sequence, each again and again until it is accepted: delivery is at
/// least once, and a destination that can tell what it already has makes it exactly once. What it does must be safe
/// on its side (on disk, or confirmed by the server) before it answers `accepted`.
@DaemonActor
package protocol Destination: AnyObject, Sendable {
    /// Unique among the destinations; the cursor is kept under it.
    nonisolated var name: String { get }
    nonisolated var kind: String { get }
    /// Which kinds of records it wants.
    nonisolated var recordKinds: Set<Record.Kind> { get }
    /// Records handed over at once, at most.
    nonisolated var batchLimit: Int { get }
    /// How long records may gather before they are handed over.
    nonisolated var gatherMilliseconds: UInt64 { get }

    func deliver(_ records: [Record]) async -> DeliveryOutcome

    /// Removes what it keeps of a session; never called while a delivery is under way.
    /// - Returns: why it could not; it is asked again later.
    func forget(_ session: SessionIdentity) async -> String?
}

/// What became of a batch.
package enum DeliveryOutcome: Sendable, Equatable {
    /// Safe on the other side: the cursor moves on.
    case accepted
    /// Nothing is lost; the same batch comes again after so long.
    case retry(afterSeconds: Int, reason: String)
}
