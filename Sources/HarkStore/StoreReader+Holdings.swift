package import HarkCore

extension StoreReader {
    /// A user's holding over all apps.
    package func amount(of holding: Holding, _ uid: UInt32) throws(StoreError) -> Amount {
        var amount = Amount()
        for query in holdings[holding] ?? [] {
            let statement = try database.prepare("SELECT \(query)").bind(1, Int64(uid))
            guard try statement.step() else { continue }
            amount.count += statement.tally(0)
            amount.bytes += statement.tally(1)
        }
        return amount
    }
}
