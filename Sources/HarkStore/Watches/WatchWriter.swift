internal import HarkCore
internal import HarkWire

/// Writes the table of watches. Belongs to the `StoreWriter`.
final class WatchWriter: FamilyWriter {
    private let database: Database
    private let put: DeferredStatement

    init(_ database: Database) {
        self.database = database
        put = DeferredStatement(
            database,
            """
            INSERT INTO watch(uid, id, event, every, condition, app, user, added, since, lastAt, lastSequence, missed, came,
                              misses, hours, days)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(uid, id) DO UPDATE SET
                event = excluded.event, every = excluded.every, condition = excluded.condition, app = excluded.app,
                user = excluded.user, added = excluded.added, since = excluded.since, lastAt = excluded.lastAt,
                lastSequence = excluded.lastSequence, missed = excluded.missed, came = excluded.came,
                misses = excluded.misses, hours = excluded.hours, days = excluded.days
            """)
    }

    func write(_ row: WatchRow) throws(StoreError) {
        switch row {
        case .put(let watch): try put(watch)
        case .remove(let key):
            try database.prepare("DELETE FROM watch WHERE uid = ? AND id = ?").bind(1, Int64(key.uid))
                .bind(2, key.id.text).run()
        case .clear(let selection): try clear(selection)
        }
    }

    private func put(_ watch: Watch) throws(StoreError) {
        let state = watch.state
        try put().bind(1, Int64(watch.key.uid)).bind(2, watch.key.id.text).bind(3, watch.event).bind(
            4, watch.terms.every
        )
        .bind(5, watch.condition?.condition.document.packed).bind(6, watch.terms.app).bind(7, watch.terms.userId)
        .bind(8, watch.addedAt.milliseconds).bind(9, state.since.milliseconds)
        .bind(10, state.lastAt?.milliseconds).bind(11, state.lastSequence.map { Int64(clamping: $0) })
        .bind(12, state.missedAt?.milliseconds).bind(13, state.hasCome ? 1 : 0).bind(14, Int64(state.misses))
        .bind(15, watch.terms.between).bind(16, watch.terms.days).run()
    }

    private func clear(_ selection: Selection) throws(StoreError) {
        switch selection.target {
        case .all:
            try database.prepare("DELETE FROM watch WHERE ?1 IS NULL OR uid = ?1")
                .bind(1, selection.uid.map(Int64.init)).run()
        case .user(let userId):
            try database.prepare("DELETE FROM watch WHERE user = ?2 AND (?1 IS NULL OR uid = ?1)")
                .bind(1, selection.uid.map(Int64.init)).bind(2, userId).run()
        case .session: break
        }
    }
}
