package import HarkWire

/// The current session of every scope that has been heard of lately.
///
/// Scopes are loaded when they are first touched and dropped again when there are too many, so a machine with a
/// million scopes costs what its busy ones cost. A scope changed since the last commit is never dropped: the store does
/// not know its state yet.
package struct SessionBook: Sendable {
    /// So many scopes are remembered at least; dropping happens at twice that.
    package static let capacity = 2048
    /// And scopes are dropped when the metadata of their sessions take more than this.
    package static let metadataCapacity = 8 << 20

    private struct Entry: Sendable {
        var current: Session?
        /// How many of its changes the store has not committed yet.
        var unsettled = 0
    }

    private var entries: [Scope: Entry] = [:]
    /// The scopes changed since the changes were last handed to the store, once for each change.
    private var touched: [Scope] = []
    /// What the metadata of all sessions here take.
    private var metadataBytes = 0
    /// How many scopes there may be before the next attempt to drop some.
    private var limit = SessionBook.capacity * 2

    package init() {}

    package func isLoaded(_ scope: Scope) -> Bool { entries[scope] != nil }

    /// Brings in what the store knows of a scope.
    mutating func admit(_ scope: Scope, current: Session?) {
        makeRoom()
        metadataBytes += SessionBook.weight(of: current) - SessionBook.weight(of: entries[scope]?.current)
        entries[scope] = Entry(current: current)
    }

    private static func weight(of session: Session?) -> Int { session?.identity.metadata.bytes.count ?? 0 }

    package func current(_ scope: Scope) -> Session? { entries[scope]?.current }

    /// The scope whose current session has this id, as far as it is loaded.
    package func scope(ofCurrent id: Identifier) -> Scope? {
        entries.first { $0.value.current?.identity.id == id }?.key
    }

    mutating func setCurrent(_ scope: Scope, _ session: Session?) {
        metadataBytes += SessionBook.weight(of: session) - SessionBook.weight(of: entries[scope]?.current)
        entries[scope, default: Entry()].current = session
        entries[scope]?.unsettled += 1
        touched.append(scope)
    }

    /// The scopes whose current session a selection removes.
    mutating func forget(_ selection: Selection) -> [Scope] {
        let gone = entries.filter { $0.value.current.map { selection.contains($0.identity) } ?? false }.map(\.key)
        for scope in gone { setCurrent(scope, nil) }
        return gone
    }

    /// The changes decided so far go to the store; the result comes back through `settle` when they are committed.
    mutating func takeTouched() -> [Scope] {
        defer { touched.removeAll() }
        return touched
    }

    mutating func settle(_ scopes: [Scope]) {
        for scope in scopes { entries[scope]?.unsettled -= 1 }
        limit = SessionBook.capacity * 2
    }

    private mutating func makeRoom() {
        guard entries.count >= limit || metadataBytes > SessionBook.metadataCapacity else { return }
        for (scope, entry) in entries where entry.unsettled == 0 {
            guard entries.count > SessionBook.capacity || metadataBytes > SessionBook.metadataCapacity / 2 else {
                break
            }
            metadataBytes -= SessionBook.weight(of: entry.current)
            entries[scope] = nil
        }
        // While most wait for a commit, it would be in vain to look at all of them again for each newcomer.
        limit = max(entries.count, SessionBook.capacity) + SessionBook.capacity
    }
}
