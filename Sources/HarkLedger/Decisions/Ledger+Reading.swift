package import HarkCore
package import HarkStore
package import HarkSystem
package import HarkWire

/// Reads the state in memory and on disk.
extension Ledger {
    /// Whether sessions have been cleared that the store still holds.
    package var isRemoving: Bool { look { $0.isRemoving } }
    /// The part of the log to count next for audiences, by the decisions so far; nil: all is counted.
    package var pastToRead: PastReading? { look { $0.pastToRead(now: clock()) } }

    /// Settings of the engine from outside, which are not decisions.
    package var settings: Engine.Settings { look { $0.settings } }

    /// When the next thing is due, by the decisions so far. These may be refused, so use it only to set a timer.
    package var dueAt: Timestamp? { look { $0.earliestDue } }

    /// The watch with the earliest notice, by the decisions so far, so use it only to set a timer.
    package func earliestWatch(except refused: Set<WatchKey>) -> Engine.NextWatch? {
        look { $0.earliestWatch(running: ageClock.running, except: refused) }
    }

    package var watchCount: Int { engine.watches.count }

    /// The current session of a scope.
    package func currentSession(of scope: Scope) throws(WireError) -> Decided<Session?> {
        try decide(needing: .scope(scope)) { engine, _, _ in engine.sessions.current(scope) }
    }

    /// Looks up something small in the committed state, synchronously.
    package func lookUp<Value>(_ query: (StoreReader) throws(StoreError) -> Value) throws(WireError) -> Value {
        guard let reader else { throw WireError(.shuttingDown, "harkd is ending; ask again when it is back") }
        do throws(StoreError) {
            return try store.noting(Result { () throws(StoreError) in try query(reader) })
        } catch {
            throw WireError(error)
        }
    }

    /// Runs a query on the reader's thread, in turns with those of others.
    package func read<Value: Sendable>(
        for owner: TurnOwner, _ query: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
    ) async throws(WireError) -> Value {
        do throws(StoreError) {
            return try await store.read(for: owner, query)
        } catch {
            throw WireError(error)
        }
    }

    /// Waits until all earlier decisions are committed or refused, so that a read sees them. A refused decision is not
    /// there and its caller gets the error, so reading continues.
    package func settleToRead() async {
        try? await settle()
    }
}
