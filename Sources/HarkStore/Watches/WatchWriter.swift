internal import HarkCore
internal import HarkWire

/// Writes the table of watches. Belongs to the `StoreWriter`.
final class WatchWriter: FamilyWriter {
    private let database: Database
    private lazy var put = DeferredStatement(database, WatchTable.upsert)

    init(_ database: Database) { self.database = database }

    func write(_ row: WatchRow) throws(StoreError) {
        switch row {
        case .put(let watch): try WatchTable.bind(watch, to: put()).run()
        case .remove(let key):
            try database.prepare("DELETE FROM watch WHERE uid = ? AND id = ?").bind(1, Int64(key.uid))
                .bind(2, key.id.text).run()
        case .clear(let selection): try database.clear(["watch"], of: selection)
        }
    }
}
