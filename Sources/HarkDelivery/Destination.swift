package import HarkCore
package import HarkSystem

/// Where records leave the log for: the archive tree, a server, a webhook.
///
/// A destination is handed parcels in order of sequence, those of one session never two at a time, and each again and
/// again until it is accepted: delivery is at least once, and a destination that can tell what it already has makes it
/// exactly once. What it does must be safe on its side (on disk, or confirmed by the server) before it answers
/// `accepted`.
@DaemonActor
package protocol Destination: AnyObject, Sendable {
    /// Unique among the destinations.
    nonisolated var name: String { get }
    nonisolated var kind: String { get }
    nonisolated var batch: BatchLimits { get }
    /// Whether `forget` takes back what was delivered; servers keep what they have.
    nonisolated var forgetsWhatItHas: Bool { get }

    /// - Parameter next: what it will be handed after them if they are accepted, for those who want to prepare for it; empty
    ///   if that is not known.
    func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome

    /// Removes what it keeps of a session; never called while a delivery is under way.
    /// - Returns: why it could not; it is asked again later.
    func forget(_ session: SessionIdentity) async -> String?
}

/// How records are put together for a destination.
package struct BatchLimits: Sendable, Equatable {
    /// Records handed over at once, at most.
    package var entries: Int
    /// Their content in bytes, at most, unless a single record is larger.
    package var bytes = 1 << 20
    /// Parcels under way at a time, each of other sessions.
    package var concurrency = 1
    /// How long records may gather before they are handed over.
    package var gatherMilliseconds: UInt64

    package init(entries: Int, gatherMilliseconds: UInt64) {
        self.entries = entries
        self.gatherMilliseconds = gatherMilliseconds
    }

    /// Records that are read at a time: some parcels for each of those that are under way.
    var page: Int {
        let atOnce = entries * concurrency
        return max(atOnce, min(atOnce * (entries == 1 ? 32 : 4), CourierState.mostAhead))
    }
}

/// What became of a parcel.
package enum DeliveryOutcome: Sendable, Equatable {
    /// Safe on the other side.
    case accepted
    /// Taken, but for so many records, which the other side will never take; it did not say which.
    case partlyRefused(Int, reason: String)
    case failed(DeliveryFailure)
}
