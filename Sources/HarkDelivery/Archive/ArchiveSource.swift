internal import HarkCore
internal import HarkStore
internal import HarkWire

/// Reads sessions and their records from the store, to restore the tree. Belongs to one thread.
final class ArchiveSource {
    private let reader: StoreReader

    init(_ store: Store) throws(StoreError) { reader = try store.makeReader() }

    /// The number of the newest record of a session below a number; 0 if there is none.
    func newest(
        _ kinds: Record.Kinds, of session: SessionIdentity, before sequence: UInt64?
    ) throws(StoreError) -> UInt64 {
        var query = RecordQuery(limit: 1)
        query.kinds = kinds
        query.session = session.id
        query.descending = true
        query.from = sequence
        var newest: UInt64 = 0
        _ = try reader.forEachRecord(query) { _, record in
            newest = record.sequence
            return false
        }
        return newest
    }

    /// All events of a session, in order.
    func forEachEvent(of session: SessionIdentity, _ body: (RecordView) -> Void) throws(StoreError) {
        var query = RecordQuery(limit: 4_096)
        query.session = session.id
        query.from = 0
        while query.from != nil {
            query.from = try reader.forEachRecord(query) { _, record in
                body(record)
                return true
            }.next
        }
    }

    /// The session in a row, unless it is being removed.
    func session(row: Int64) throws(StoreError) -> Session? { try reader.session(row: row) }

    /// The holder of a session id, which may be a session that is being removed.
    func holder(of id: Identifier) throws(StoreError) -> StoreReader.SessionIdHolder {
        try reader.holder(ofSessionId: id)
    }

    func holder(ofNumber sequence: UInt64) throws(StoreError) -> NumberHolder { try reader.holder(ofNumber: sequence) }

    func isTaken(sessionRow row: Int64) throws(StoreError) -> Bool { try reader.isTaken(sessionRow: row) }

    func eventIds(of id: Identifier) throws(StoreError) -> Set<Identifier> {
        var ids: Set<Identifier> = []
        var after: UInt64? = 0
        while let from = after {
            let page = try reader.eventIds(ofSession: id, after: from)
            ids.formUnion(page.ids)
            after = page.next
        }
        return ids
    }

    func sessions(afterRow row: Int64, limit: Int) throws(StoreError) -> [Session] {
        try reader.sessions(afterRow: row, limit: limit)
    }
}
