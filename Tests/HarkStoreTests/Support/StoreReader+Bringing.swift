import HarkCore
import HarkStore

extension StoreReader {
    /// Loads the data that a command needs, as the ledger does.
    func bring(_ need: Need, to engine: inout Engine) throws(StoreError) { try engine.bring(need, read) }
}
