package import HarkCore
package import HarkWire

extension StoreReader {
    /// The ids of a session's events after a number, within a time limit in microseconds; and the number after which to
    /// continue.
    package func eventIds(
        ofSession id: Identifier, after sequence: UInt64 = 0, patience: Int? = nil
    ) throws(StoreError) -> (ids: [Identifier], next: UInt64?) {
        try recordIds(ofSession: id, .event, after: sequence, patience: patience)
    }

    /// The ids of a session's records of given kinds, with the same limit and continuation.
    package func recordIds(
        ofSession id: Identifier, _ kinds: Record.Kinds = .all, after sequence: UInt64 = 0, patience: Int? = nil
    ) throws(StoreError) -> (ids: [Identifier], next: UInt64?) {
        var query = RecordQuery(limit: .max)
        query.kinds = kinds
        query.session = id
        query.from = sequence
        query.patience = patience
        var ids: [Identifier] = []
        let page = try forEachRecord(query) { _, record in
            ids.append(record.id)
            return true
        }
        return (ids, page.next)
    }
}
