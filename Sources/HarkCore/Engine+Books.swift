package import HarkWire

/// The state of a family that no other family calls. Families that call each other are properties of the engine.
package protocol Book: Sendable {
    /// Creates an empty book; its content is loaded from the store as needed.
    init()

    /// Forgets the data that a clear covers.
    ///
    /// - Returns: the rows that delete it from the store, data not loaded here included.
    mutating func clear(_ selection: Selection) -> [any FamilyRow]

    /// Marks the changes so far as handed to the store: their entries stay loaded until `settle`.
    mutating func handOver()

    /// Marks the changes handed over as committed.
    mutating func settle()
}

extension Engine {
    /// The book of a family that no other family calls.
    package subscript<Kind: Book>(_ kind: Kind.Type) -> Kind {
        get { books[ObjectIdentifier(kind)] as? Kind ?? Kind() }
        _modify {
            // Taken out of the dictionary, so that the reference is unique and nothing is copied.
            var book = books.removeValue(forKey: ObjectIdentifier(kind)) as? Kind ?? Kind()
            defer { books[ObjectIdentifier(kind)] = book }
            yield &book
        }
    }

    /// Adds a row of a family.
    package mutating func keep(_ row: any FamilyRow, into changes: inout Changes) { changes.rows.append(.other(row)) }

    /// Hands the changes decided so far to the store. The next hand-over waits until the store has committed them
    /// (`settle`) or refused them (`restarted`).
    ///
    /// - Parameter changes: the changes to hand over; rows written once however often they changed are added.
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

    /// Marks the changes handed over as committed.
    package mutating func settle() {
        sessions.settle()
        surveys.settle()
        forms.settle()
        let resets = counters.settle()
        executions.settle()
        producers.settle()
        watches.settle()
        for kind in Array(books.keys) { books[kind]?.settle() }
        // Only the store knows now how much they removed.
        for forgotten in forgetsHandedOver { drop(forgotten.holdings, of: forgotten.uid) }
        for scope in resets { drop([.counters], of: scope.uid) }
        forgetsHandedOver = []
        if removalsHandedOver > 0 {
            recordsWereRemoved(of: Set(unsettledRemovals.prefix(removalsHandedOver).map(\.uid)))
        }
        unsettledRemovals.removeFirst(removalsHandedOver)
        removalsHandedOver = 0
    }

    /// Marks sessions as removed, which leaves their scopes without a current session, and clears the families' data
    /// about them and their users.
    ///
    /// - Parameter upToRow: the last session row that is covered; nil for all that exist.
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

    /// Whether sessions are being cleared and the store does not know yet.
    package var isRemoving: Bool { !unsettledRemovals.isEmpty }

    /// Whether all data of a user is being cleared and the store, which does not know yet, still returns it.
    package func isClearing(_ user: UserKey) -> Bool {
        unsettledRemovals.contains { $0.containsEverything(of: user) }
    }
}
