package import HarkCore

extension StoreReader {
    /// The scopes in which something is ready to be shown.
    package func scopesWithReady() throws(StoreError) -> [Scope] {
        let statement = try database.prepare("SELECT DISTINCT uid, app FROM presentation WHERE state = 1")
        var scopes: [Scope] = []
        while try statement.step() {
            scopes.append(
                Scope(uid: UInt32(truncatingIfNeeded: statement.integer(0)), app: statement.text(1) ?? ""))
        }
        return scopes
    }
}
