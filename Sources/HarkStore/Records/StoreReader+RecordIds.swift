package import HarkCore
package import HarkWire

extension StoreReader {
    /// The ids of the events of a session after a number, as many as there is patience for, in microseconds; and the
    /// number to go on after.
    package func eventIds(
        ofSession id: Identifier, after sequence: UInt64 = 0, patience: Int? = nil
    ) throws(StoreError) -> (ids: [Identifier], next: UInt64?) {
        try recordIds(ofSession: id, .event, after: sequence, patience: patience)
    }

    /// The same of records of these kinds.
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
