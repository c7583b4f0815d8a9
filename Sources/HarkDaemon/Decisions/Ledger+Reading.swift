import HarkCore
import HarkStore
import HarkWire

/// What is at hand, and what is on disk.
extension Ledger {
    /// The current session of a scope.
    func currentSession(of scope: Scope) throws(WireError) -> Decided<Session?> {
        try decide(needing: .scope(scope)) { engine, _, _ in engine.sessions.current(scope) }
    }

    /// Looks something small up in the committed state, at once.
    func lookUp<Value>(_ query: (StoreReader) throws(StoreError) -> Value) throws(WireError) -> Value {
        guard let reader else { throw WireError(.shuttingDown, "harkd is ending; ask again when it is back") }
        do throws(StoreError) {
            return try store.noting(Result { () throws(StoreError) in try query(reader) })
        } catch {
            throw WireError(error)
        }
    }

    /// Waits until it is certain what becomes of everything decided before, to read what is there then. What could not
    /// be stored is not there, and whoever asked for it is told so: reading goes on.
    func settleToRead() async {
        try? await settle()
    }
}
