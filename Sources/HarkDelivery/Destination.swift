package import HarkCore
package import HarkSystem

/// A target of records from the log: the archive tree, a server, a webhook.
///
/// Parcels come in order of sequence, those of one session one at a time. Each is repeated until it is accepted:
/// delivery is at least once, and a destination that recognizes repetitions makes it exactly once. The records must be
/// safe (on disk, or confirmed by the server) before it answers `accepted`.
@DaemonActor
package protocol Destination: AnyObject, Sendable {
    /// Unique among the destinations.
    nonisolated var name: String { get }
    nonisolated var kind: String { get }
    nonisolated var batch: BatchLimits { get }
    /// Whether `forget` deletes delivered records; servers keep them.
    nonisolated var forgetsWhatItHas: Bool { get }

    /// - Parameter next: The records that probably follow if these are accepted, so that they can be prepared; empty if
    ///   unknown.
    func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome

    /// Removes a session's records; never called during a delivery.
    /// - Returns: Why it failed; it is called again later.
    func forget(_ session: SessionIdentity) async -> String?
}

/// The limits of batches for a destination.
package struct BatchLimits: Sendable, Equatable {
    /// The maximum number of records in a parcel.
    package var entries: Int
    /// The maximum size of a parcel in bytes, unless a single record is larger.
    package var bytes = 1 << 20
    /// The maximum number of concurrent parcels, each of other sessions.
    package var concurrency = 1
    /// How long records may gather before they are delivered.
    package var gatherMilliseconds: UInt64

    package init(entries: Int, gatherMilliseconds: UInt64) {
        self.entries = entries
        self.gatherMilliseconds = gatherMilliseconds
    }

    /// The number of records read at a time: some parcels for each concurrent one.
    var page: Int {
        let atOnce = entries * concurrency
        return max(atOnce, min(atOnce * (entries == 1 ? 32 : 4), CourierState.mostAhead))
    }
}

/// The result of a parcel.
package enum DeliveryOutcome: Sendable, Equatable {
    /// Safe at the destination.
    case accepted
    /// Accepted except for this number of records, which are rejected for ever; it is unknown which.
    case partlyRefused(Int, reason: String)
    case failed(DeliveryFailure)
}
