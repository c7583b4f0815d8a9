package import HarkCore

extension StoreReader {
    /// Brings to the engine what a user keeps in all apps, as far as it is wanted and not known.
    package func load(_ holdings: [Holding], of uid: UInt32, into engine: inout Engine) throws(StoreError) {
        for holding in engine.unknownHoldings(holdings, of: uid) {
            engine.admit(try amount(of: holding, uid), holding, of: uid)
        }
    }

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
