internal import HarkCore

/// Stores progress and outcomes, and handles the result.
extension CourierState {
    mutating func store(_ account: Account, then continuation: Continuation, _ gate: GateState) -> [Action] {
        phase = .storing(account, then: continuation)
        return [store(account, gate)]
    }

    func store(_ account: Account, _ gate: GateState) -> Action {
        var commit = DeliveryCommit(
            lane: terms.lane.name, progress: account.progress, breaker: gate.isDirty ? gate.breaker : nil)
        commit.deadLetters = account.outcomes.deadLetters
        commit.redeemed = account.outcomes.accepted + account.outcomes.gone
        return .work(.store(commit))
    }

    /// - Parameter commit: The commit; nil if the store has refused it.
    mutating func stored(_ commit: DeliveryCommit?, _ gate: inout GateState) -> [Action] {
        guard case .storing(let account, let continuation) = phase else { return accounted(commit, &gate) }
        guard let commit else {
            debt = account
            switch continuation {
            case .task(.nothing), .task(.pass), .end, .room: return fail(CourierState.refusedByStore, &gate)
            case .task(.forget), .request, .forget: return finish(Answer(reason: CourierState.refusedByStore), &gate)
            }
        }
        (debt, fault) = (nil, nil)
        let told = take(commit, account.outcomes, &gate)
        switch continuation {
        case .task(let task): return told + prepare(task, &gate)
        case .end(let round): return told + end(round, &gate)
        case .room: return told + rest(isOverfull && account.outcomes.settled > 0 ? .atOnce : .whenCalled, &gate)
        case .request: return told + finish(Answer(), &gate)
        case .forget(let session, let hadReceived): return told + forget(session, hadReceived: hadReceived)
        }
    }

    /// Applies a successful commit.
    mutating func take(_ commit: DeliveryCommit, _ outcomes: Outcomes, _ gate: inout GateState) -> [Action] {
        progress = commit.progress
        trimFresh()
        if let breaker = commit.breaker { gate.stored(breaker) }
        if let pending { self.pending = max(0, pending - outcomes.settled) }
        return outcomes.results.isEmpty ? [] : [.tell(outcomes.results)]
    }

    static let refusedByStore = "the store did not take the account"
    static let stopped = DeliveryFailure(.local, "harkd is ending, or sets up the destination again")
    static let gone = DeliveryFailure(.dropped, "it was removed before it was delivered")
}
