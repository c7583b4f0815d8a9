package import HarkWire

/// What the engine remembers of a family that no other family calls. Those that call each other are properties of the
/// engine.
package protocol Book: Sendable {
    /// With nothing in it: what is needed is brought in from the store.
    init()

    /// Forgets what a clear means.
    ///
    /// - Returns: the rows that have the store forget it, including what is not at hand here.
    mutating func clear(_ selection: Selection) -> [any FamilyRow]

    /// The changes so far go to the store: what they are about stays as it is here until `settle`.
    mutating func handOver()

    /// The store has taken what was handed over.
    mutating func settle()
}

extension Engine {
    /// The book of a family that no other calls.
    package subscript<Kind: Book>(_ kind: Kind.Type) -> Kind {
        get { books[ObjectIdentifier(kind)] as? Kind ?? Kind() }
        _modify {
            // Nobody else has it meanwhile, so nothing of it is copied.
            var book = books.removeValue(forKey: ObjectIdentifier(kind)) as? Kind ?? Kind()
            defer { books[ObjectIdentifier(kind)] = book }
            yield &book
        }
    }

    /// Has the store keep, or forget, something of a family.
    package mutating func keep(_ row: any FamilyRow, into changes: inout Changes) { changes.rows.append(.other(row)) }

    /// The changes decided so far go to the store now. No more go there before it has taken them (`settle`), or refused them
    /// (`restarted`).
    ///
    /// - Parameter changes: those that go; what is written once however often it has changed is added to them.
    package mutating func handOver(completing changes: inout Changes) {
        sessions.handOver()
        surveys.handOver()
        forms.handOver()
        counters.handOver()
        executions.handOver()
        changes.producers = producers.handOver()
        for watch in watches.handOver() { keep(WatchRow.put(watch), into: &changes) }
        for kind in Array(books.keys) { books[kind]?.handOver() }
        removalsHandedOver = unsettledRemovals.count
        forgetsHandedOver += newForgets
        newForgets = []
    }

    /// The store has taken what was handed over.
    package mutating func settle() {
        sessions.settle()
        surveys.settle()
        forms.settle()
        let resets = counters.settle()
        executions.settle()
        producers.settle()
        watches.settle()
        for kind in Array(books.keys) { books[kind]?.settle() }
        // What they took is known to the store now, and to it alone.
        for forgotten in forgetsHandedOver { drop(forgotten.holdings, of: forgotten.uid) }
        for scope in resets { drop([.counters], of: scope.uid) }
        forgetsHandedOver = []
        unsettledRemovals.removeFirst(removalsHandedOver)
        removalsHandedOver = 0
    }

    /// Marks sessions as removed, which leaves their scopes without a current session, and clears what the families have of
    /// them and of their users.
    ///
    /// - Parameter upToRow: what came later is not meant; nil: all that there is.
    package mutating func clear(
        _ target: Selection.Target, uid: UInt32?, upToRow: Int64? = nil, now: Timestamp, into changes: inout Changes
    ) -> Selection {
        let selection = Selection(target: target, uid: uid, upToRow: upToRow ?? lastSessionRow)
        let ended = sessions.forget(selection)
        forget(nil, of: uid)
        if uid != nil { forget([.allPrompts], of: Engine.everybody) }
        for scope in ended { changes.rows.append(.session(.setCurrent(scope, sessionRow: nil))) }
        clearCounters(selection, ended: ended.filter { !$0.isUnattended }, into: &changes)
        clearSurveys(selection, now: now, into: &changes)
        clearProducers(selection, into: &changes)
        clearForms(selection, into: &changes)
        clearWatches(selection, into: &changes)
        clearWishes(selection, into: &changes)
        logs.forget(selection)
        for kind in Array(books.keys) {
            for row in books[kind]?.clear(selection) ?? [] { keep(row, into: &changes) }
        }
        unsettledRemovals.append(selection)
        changes.upkeep.append(.remove(selection))
        return selection
    }

    /// Whether sessions are cleared of which the store does not know yet.
    package var isRemoving: Bool { !unsettledRemovals.isEmpty }

    /// Whether everything of a user is cleared and the store does not know yet: what it still tells of them is no more.
    package func isClearing(_ user: UserKey) -> Bool {
        unsettledRemovals.contains { $0.containsEverything(of: user) }
    }
}
