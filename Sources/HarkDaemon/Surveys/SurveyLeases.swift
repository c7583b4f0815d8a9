import HarkCore
import HarkWire

/// Which connection shows which survey, so that a survey is returned when the connection ends.
struct SurveyLeases {
    private struct Lease {
        let holder: ObjectIdentifier
        /// `Ledger.restarts` at the decision.
        let age: Int
        /// Whether the showing is on disk; until then, changes are about an earlier showing.
        var isStored = false
        /// Whether the client has returned the survey.
        var isOver = false
        /// Who has answered it, if the answer counts only once the holder is gone or says so.
        var heldFor: Source?
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

    /// Ends a lease whose holder has returned the survey; the store does not know yet.
    mutating func end(_ id: Identifier, by holder: ObjectIdentifier) {
        if isHeld(id, by: holder) { leases[id]?.isOver = true }
    }

    /// Notes the client whose answer is held; nil: it is not held any more.
    mutating func setHold(_ source: Source?, on id: Identifier, by holder: ObjectIdentifier) {
        if isHeld(id, by: holder) { leases[id]?.heldFor = source }
    }

    /// - Returns: The surveys that it held, with who has answered them if the answer is held.
    mutating func removeAll(of holder: ObjectIdentifier) -> [(id: Identifier, answeredBy: Source?)] {
        let held = leases.filter { $0.value.holder == holder }.map { ($0.key, $0.value.heldFor) }
        for (id, _) in held { leases[id] = nil }
        return held
    }

    /// Updates the lease of a presentation that was committed.
    /// - Returns: Whether a holder is free now.
    mutating func follow(_ presentation: Presentation) -> Bool {
        let lease = leases[presentation.id]
        let isShown = presentation.state == .presented
        if isShown { leases[presentation.id]?.isStored = true }
        // A returned survey may have been leased again since, by the current holder.
        let isOver = !isShown && (!presentation.state.isOpen || lease?.isStored ?? false)
        if isOver { leases[presentation.id] = nil }
        return isOver && lease != nil
    }

    /// Checks the leases after an engine restart: a survey whose showing the store refused is ready again.
    mutating func review(
        after restarts: Int, isShown: (Identifier) throws(WireError) -> Bool
    ) throws(WireError) {
        leases = leases.filter { !$0.value.isOver }
        for (id, lease) in leases where lease.age != restarts {
            leases[id] =
                try isShown(id)
                ? Lease(holder: lease.holder, age: restarts, isStored: true, heldFor: lease.heldFor) : nil
        }
    }
}
