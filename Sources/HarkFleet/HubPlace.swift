package import HarkWire

/// The position of a hub in a machine's log, and its judgement of batches. Pure.
package struct HubPlace: Sendable, Equatable {
    package typealias Mark = FleetAcknowledgement.Mark

    /// The last stored record; nil for none.
    package var mark: Mark?

    package init(_ mark: Mark? = nil) { self.mark = mark }

    package enum Verdict: Sendable, Equatable {
        /// Records after the cursor must be stored.
        case take
        /// All records are stored already.
        case known
        /// Records before it are missing.
        case gap
        /// It belongs to another log than the known one with this id.
        case conflict
    }

    /// - Parameter idAt: Returns the id of the record with this number in the batch; nil if there is none.
    package func judge(_ batch: FleetBatch, idAt: (UInt64) -> Identifier?) -> Verdict {
        guard let mark else { return batch.after == nil ? .take : .gap }
        let (after, cursor) = (batch.after?.sequence ?? 0, mark.sequence)
        if after > cursor { return .gap }
        if after == cursor { return batch.after == mark ? .take : .conflict }
        if batch.last.sequence < cursor { return .known }
        if batch.last.sequence == cursor { return batch.last == mark ? .known : .conflict }
        // It begins before the cursor and contains the record there, unless that was removed meanwhile: then the machine must get
        // the hub's position again.
        guard let id = idAt(cursor) else { return .gap }
        return id == mark.id ? .take : .conflict
    }
}
