internal import HarkCore
internal import HarkWire

/// Writes the table of producers. Belongs to the `StoreWriter`.
final class ProducerWriter: FamilyWriter {
    private let database: Database
    private lazy var put = DeferredStatement(
        database, "INSERT OR REPLACE INTO producer(uid, app, id, number, sequence) VALUES (?, ?, ?, ?, ?)")

    init(_ database: Database) { self.database = database }

    func put(_ row: ProducerRow) throws(StoreError) {
        let scope = row.producer.scope
        try put().bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, row.producer.id.text).bind(4, row.mark.number)
            .bind(5, Int64(row.mark.sequence)).run()
    }

    func write(_ row: ProducerRemoval) throws(StoreError) {
        switch row {
        case .all(let uid): try remove(uid: uid)
        case .trim(let uid, let keep): try trim(uid: uid, keep: keep)
        }
    }

    private func remove(uid: UInt32?) throws(StoreError) {
        try database.prepare("DELETE FROM producer WHERE ?1 IS NULL OR uid = ?1").bind(1, uid.map(Int64.init)).run()
    }

    private func trim(uid: UInt32, keep: Int) throws(StoreError) {
        try database.prepare(
            """
            DELETE FROM producer WHERE uid = ?1 AND sequence <=
                (SELECT sequence FROM producer WHERE uid = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
            """
        ).bind(1, Int64(uid)).bind(2, Int64(keep)).run()
    }
}
