import HarkCore
import HarkWire

/// Who shows which survey, so that it can be given back when the connection ends.
struct SurveyLeases {
    private struct Lease {
        let holder: ObjectIdentifier
        /// `Ledger.restarts` when it was decided on.
        let age: Int
        /// Whether it is on disk that the survey is shown; what is told until then is about somebody before.
        var isStored = false
        /// The client has given it back.
        var isOver = false
    }

    private var leases: [Identifier: Lease] = [:]

    /// The surveys that are shown.
    var ids: Set<Identifier> { Set(leases.keys) }

    mutating func add(_ id: Identifier, to holder: ObjectIdentifier, age: Int) {
        leases[id] = Lease(holder: holder, age: age)
    }

    func isHeld(_ id: Identifier, by holder: ObjectIdentifier) -> Bool {
        leases[id].map { $0.holder == holder && !$0.isOver } ?? false
    }

    /// Its holder shows it no more; the store does not know yet.
    mutating func end(_ id: Identifier, by holder: ObjectIdentifier) {
        if isHeld(id, by: holder) { leases[id]?.isOver = true }
    }

    /// - Returns: what it held.
    mutating func removeAll(of holder: ObjectIdentifier) -> [Identifier] {
        let held = leases.filter { $0.value.holder == holder }.map(\.key)
        for id in held { leases[id] = nil }
        return held
    }

    /// Something about a survey is on disk.
    /// - Returns: whether somebody who showed it shows nothing now.
    mutating func follow(_ presentation: Presentation) -> Bool {
        let lease = leases[presentation.id]
        let isShown = presentation.state == .presented
        if isShown { leases[presentation.id]?.isStored = true }
        // What was given back may have been taken again since, by whoever holds it now.
        let isOver = !isShown && (!presentation.state.isOpen || lease?.isStored ?? false)
        if isOver { leases[presentation.id] = nil }
        return isOver && lease != nil
    }

    /// The engine may have started again: what was to be shown when the store refused it is ready.
    mutating func review(
        after restarts: Int, isShown: (Identifier) throws(WireError) -> Bool
    ) throws(WireError) {
        leases = leases.filter { !$0.value.isOver }
        for (id, lease) in leases where lease.age != restarts {
            leases[id] = try isShown(id) ? Lease(holder: lease.holder, age: restarts, isStored: true) : nil
        }
    }
}
