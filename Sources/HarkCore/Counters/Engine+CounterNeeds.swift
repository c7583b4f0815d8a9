internal import HarkWire

/// Moving the state of counters and executions in.
extension Engine {
    /// What is to be read next for looking at the counters of a scope, or resetting some.
    mutating func lackOfCounters(of scope: Scope) -> Lack? {
        let (hasSession, hasCounters) = (sessions.use(scope), counters.use(scope))
        if let holding = unknownHoldings(Holding.ofCounters, of: scope.uid).first {
            return .holding(holding, of: scope.uid)
        }
        return hasSession ? hasCounters ? nil : .counters(of: scope) : .scope(scope)
    }

    /// What is to be read next for a change of a counter.
    mutating func lackOfCounter(_ name: String, in scope: Scope) -> Lack? {
        let exact = ExactName(name)
        let hasListeners = executions.useListeners(to: exact, in: scope)
        if let lack = lackOfCounters(of: scope) { return lack }
        guard hasListeners else { return .listeners(to: exact, in: scope) }
        let mayRaiseSurvey =
            surveys.configuration.listeners(toCounter: exact) != nil
            || executions.mayRaiseSurvey(exact, in: scope)
            || counters.configuration.listeners(to: exact, in: scope.app).contains { $0.raisesSurvey }
        return mayRaiseSurvey ? lack(of: surveyUser(in: scope)) : nil
    }

    /// What is to be read next for adding an execution, looking at one of the settings, or ending a run.
    ///
    /// - Parameter names: the counters it is to listen to.
    mutating func lackOfExecution(
        _ id: ExactName, listensTo names: [ExactName], raisesSurvey: Bool, in scope: Scope
    ) -> Lack? {
        let key = ExecutionKey(scope: scope, id: id)
        let isKnown = executions.use(key)
        // All of them, as each must stay while those that lack are brought in.
        let unheard = names.reversed().filter { !executions.useListeners(to: $0, in: scope) }
        if let lack = lackOfCounters(of: scope) { return lack }
        if let name = unheard.last { return .listeners(to: name, in: scope) }
        guard isKnown else { return .execution(key) }
        return raisesSurvey ? lack(of: surveyUser(in: scope)) : nil
    }

    /// Brings in what the store knows of the counters of a scope.
    ///
    /// - Parameter current: the scope's current session, as the store has it.
    package mutating func admit(_ scope: Scope, counters state: CounterState, current: Session?) {
        guard !isRemovingAll(of: scope.uid) else { return counters.admit(scope, CounterState()) }
        var state = state
        let isGoing = current.map { session in unsettledRemovals.contains { $0.contains(session.identity) } } ?? false
        if isGoing { state.resetInstances() }
        counters.admit(scope, state)
    }

    /// Brings in whom the store knows to listen to a counter.
    package mutating func admit(_ stored: [AddedExecution], listeningTo counter: ExactName, in scope: Scope) {
        executions.admit(isRemovingAll(of: scope.uid) ? [] : stored, listeningTo: counter, in: scope)
    }

    /// Brings in what the store knows of an id.
    package mutating func admit(_ key: ExecutionKey, _ execution: AddedExecution?) {
        executions.admit(key, isRemovingAll(of: key.scope.uid) ? nil : execution)
    }

    /// Whether everything of a uid is cleared and the store does not know yet.
    private func isRemovingAll(of uid: UInt32) -> Bool {
        unsettledRemovals.contains { $0.containsEverything(of: uid) }
    }

    /// Somebody wants to be told of every change in a scope: it stays loaded from when it next is.
    package mutating func watchCounters(of scope: Scope) { counters.watch(scope) }

    package mutating func unwatchCounters(of scope: Scope) { counters.unwatch(scope) }

    /// Removes what a clear means. All of a uid is more than what was counted: executions and their runs go as well. A
    /// session that goes ends by that.
    mutating func clearCounters(_ selection: Selection, ended: [Scope], into changes: inout Changes) {
        guard case .all = selection.target else {
            for scope in ended { resetInstanceCounters(of: scope, into: &changes) }
            // Sessions that are not in memory go as well, and nobody here knows of which scopes they are.
            changes.rows.append(.counters(.resetInstanceCountersOfCleared(selection)))
            let sessions = sessions
            counters.drop { !sessions.isLoaded($0) }
            return
        }
        counters.removeAll(of: selection.uid)
        executions.removeAll(of: selection.uid)
        changes.rows.append(.counters(.removeCounters(uid: selection.uid)))
    }
}

extension Selection {
    /// Whether it means all there is of a uid.
    package func containsEverything(of uid: UInt32) -> Bool {
        guard case .all = target else { return false }
        return self.uid == nil || self.uid == uid
    }
}
