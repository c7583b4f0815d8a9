internal import HarkWire

/// Moving the state of counters and executions in.
extension Engine {
    /// What must be brought in before a command can go on; each `admit` takes care of one.
    package struct CounterNeed: Sendable, Equatable {
        package var session = false
        package var counters = false
        /// Those who listen to this counter.
        package var listeners: ExactName?
        package var execution: ExecutionKey?
        package var user: UserKey?
        /// What this user keeps in all apps.
        package var holdings: UInt32?

        package var isEmpty: Bool { self == CounterNeed() }
    }

    /// What looking at the counters of a scope, or resetting some, needs.
    package mutating func counterNeed(in scope: Scope) -> CounterNeed {
        var need = CounterNeed()
        need.session = !sessions.use(scope)
        need.counters = !counters.use(scope)
        if !unknownHoldings(Holding.ofCounters, of: scope.uid).isEmpty { need.holdings = scope.uid }
        return need
    }

    /// What a change of a counter needs.
    package mutating func counterNeed(changing name: String, in scope: Scope) -> CounterNeed {
        var need = counterNeed(in: scope)
        let name = ExactName(name)
        if !executions.useListeners(to: name, in: scope) { need.listeners = name }
        guard need.isEmpty else { return need }
        let mayRaiseSurvey =
            surveys.configuration.listeners(toCounter: name) != nil
            || executions.mayRaiseSurvey(name, in: scope)
            || counters.configuration.listeners(to: name, in: scope.app).contains { $0.raisesSurvey }
        if mayRaiseSurvey { need.user = unloadedUser(in: scope) }
        return need
    }

    /// What adding an execution, looking at one of the settings, or ending a run needs.
    ///
    /// - Parameter names: the counters it is to listen to.
    package mutating func executionNeed(
        _ id: ExactName, listensTo names: [ExactName] = [], raisesSurvey: Bool, in scope: Scope
    ) -> CounterNeed {
        var need = counterNeed(in: scope)
        let key = ExecutionKey(scope: scope, id: id)
        if !executions.use(key) { need.execution = key }
        // All of them, as each must stay while those that lack are brought in.
        for name in names.reversed() where !executions.useListeners(to: name, in: scope) { need.listeners = name }
        guard need.isEmpty else { return need }
        if raisesSurvey { need.user = unloadedUser(in: scope) }
        return need
    }

    private mutating func unloadedUser(in scope: Scope) -> UserKey? {
        let user = surveyUser(in: scope)
        return surveys.use(user) ? nil : user
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
