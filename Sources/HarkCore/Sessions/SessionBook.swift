package import HarkWire

extension Holding {
    /// Apps with a session that is open.
    package static let apps = Holding(Session.self)
}

/// The current session of every scope that has been heard of lately; a machine with a million scopes costs what its busy
/// ones cost.
package struct SessionBook: Sendable {
    /// So many scopes are remembered, beside those whose changes the store does not know yet.
    package static let capacity = 4096
    /// And not more than so many bytes of metadata of their sessions.
    package static let metadataCapacity = 8 << 20

    /// Scopes without a current session are there, too. As many as may fall due at a time are needed together.
    private var cache = Cache<Scope, Session?>(
        capacity: SessionBook.capacity, weightCapacity: SessionBook.metadataCapacity, least: Engine.maxFired)

    package init() {}

    package func isLoaded(_ scope: Scope) -> Bool { cache.contains(scope) }

    /// Whether a scope is loaded; if so, what follows finds it.
    mutating func use(_ scope: Scope) -> Bool { cache.use(scope) }

    /// Brings in what the store knows of a scope.
    mutating func admit(_ scope: Scope, current: Session?) {
        cache.admit(scope, current, weight: SessionBook.weight(of: current))
    }

    private static func weight(of session: Session?) -> Int { session?.identity.metadata.byteCount ?? 0 }

    package func current(_ scope: Scope) -> Session? { cache[scope] ?? nil }

    /// The place whose current session has this id, as far as it is loaded.
    package func scope(ofCurrent id: Identifier) -> Scope? {
        cache.all.first { $0.value?.identity.id == id }?.key
    }

    mutating func setCurrent(_ scope: Scope, _ session: Session?) {
        // What the store knew of it is replaced as a whole, so it need not be there.
        cache.admit(scope, nil)
        cache.change(scope) { $0 = session }
        cache.setWeight(SessionBook.weight(of: session), of: scope)
    }

    /// The places whose current session a selection removes.
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
