internal import HarkCore

extension StoreReader {
    /// All watches.
    func watches() throws(StoreError) -> [Watch] {
        try WatchTable.all(database.prepare("\(WatchTable.selection) ORDER BY row"), unreadable)
    }
}
