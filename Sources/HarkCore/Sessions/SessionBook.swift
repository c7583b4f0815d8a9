package import HarkWire

extension Holding {
    /// Apps with an open session.
    package static let apps = Holding(Session.self)
}

/// A cache of the current sessions by scope; a machine with a million scopes only pays for its busy ones.
package struct SessionBook: Sendable {
    /// The number of scopes kept, not counting those with uncommitted changes.
    package static let capacity = 4096
    /// The greatest total size of the metadata of their sessions, in bytes.
    package static let metadataCapacity = 8 << 20

    /// Scopes without a current session are cached too. Keeps at least as many scopes as may fall due at a time.
    private var cache = Cache<Scope, Session?>(
        capacity: SessionBook.capacity, weightCapacity: SessionBook.metadataCapacity, least: Engine.maxFired)

    package init() {}

    package func isLoaded(_ scope: Scope) -> Bool { cache.contains(scope) }

    /// Marks a scope as used; returns whether it is loaded.
    mutating func use(_ scope: Scope) -> Bool { cache.use(scope) }

    /// Adds a scope as the store has it.
    mutating func admit(_ scope: Scope, current: Session?) {
        cache.admit(scope, current, weight: SessionBook.weight(of: current))
    }

    private static func weight(of session: Session?) -> Int { session?.identity.metadata.byteCount ?? 0 }

    package func current(_ scope: Scope) -> Session? { cache[scope] ?? nil }

    /// The scope whose current session has this id, if it is loaded.
    package func scope(ofCurrent id: Identifier) -> Scope? {
        cache.all.first { $0.value?.identity.id == id }?.key
    }

    mutating func setCurrent(_ scope: Scope, _ session: Session?) {
        // The whole value is replaced, so the store's value need not be loaded.
        cache.admit(scope, nil)
        cache.change(scope) { $0 = session }
        cache.setWeight(SessionBook.weight(of: session), of: scope)
    }

    /// Drops the current sessions that a selection removes; returns their scopes.
    mutating func forget(_ selection: Selection) -> [Scope] {
        let gone = cache.all.compactMap { place, session in
            session.flatMap { selection.contains($0.identity) ? place : nil }
        }
        for scope in gone { setCurrent(scope, nil) }
        return gone
    }

    mutating func handOver() { cache.handOver() }

    mutating func settle() { cache.settle() }
}
