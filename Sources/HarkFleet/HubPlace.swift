package import HarkWire

/// How far a hub has come with one log of a machine, and what that makes of a batch. Pure.
package struct HubPlace: Sendable, Equatable {
    package typealias Mark = FleetAcknowledgement.Mark

    /// The last record it has; nil for none.
    package var mark: Mark?

    package init(_ mark: Mark? = nil) { self.mark = mark }

    package enum Verdict: Sendable, Equatable {
        /// Its records behind the cursor are to be taken.
        case take
        /// All of it was taken before.
        case known
        /// Records are missing before it.
        case gap
        /// It is of another log than the one that is known under this id.
        case conflict
    }

    /// - Parameter idAt: the id of the record of this number in the batch; nil where it has none.
    package func judge(_ batch: FleetBatch, idAt: (UInt64) -> Identifier?) -> Verdict {
        guard let mark else { return batch.after == nil ? .take : .gap }
        let (after, cursor) = (batch.after?.sequence ?? 0, mark.sequence)
        if after > cursor { return .gap }
        if after == cursor { return batch.after == mark ? .take : .conflict }
        if batch.last.sequence < cursor { return .known }
        if batch.last.sequence == cursor { return batch.last == mark ? .known : .conflict }
        // It begins before the cursor and has the record there, unless that was removed meanwhile: then the machine is to be told
        // anew where the hub stands.
        guard let id = idAt(cursor) else { return .gap }
        return id == mark.id ? .take : .conflict
    }
}
