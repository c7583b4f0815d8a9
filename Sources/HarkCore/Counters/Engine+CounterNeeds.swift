internal import HarkWire

/// Loading the state of counters and executions.
extension Engine {
    /// The next read that is needed to look at the counters of a scope or to reset some.
    mutating func lackOfCounters(of scope: Scope) -> Lack? {
        let (hasSession, hasCounters) = (sessions.use(scope), counters.use(scope))
        if let holding = unknownHoldings(Holding.ofCounters, of: scope.uid).first {
            return .holding(holding, of: scope.uid)
        }
        return hasSession ? hasCounters ? nil : .counters(of: scope) : .scope(scope)
    }

    /// The next read that is needed to change a counter.
    mutating func lackOfCounter(_ name: String, in scope: Scope) -> Lack? {
        let exact = ExactName(name)
        let hasListeners = executions.useListeners(to: .counter(exact), in: scope)
        if let lack = lackOfCounters(of: scope) { return lack }
        guard hasListeners else { return .listeners(to: .counter(exact), in: scope) }
        let mayRaiseSurvey =
            surveys.configuration.listeners(toCounter: exact) != nil
            || executions.mayRaiseSurvey(.counter(exact), in: scope)
            || counters.configuration.listeners(to: .counter(exact), in: scope.app).contains { $0.raisesSurvey }
        return mayRaiseSurvey ? lack(of: surveyUser(in: scope)) : nil
    }

    /// Whether an execution may listen to events of this name.
    func mayHear(_ event: String) -> Bool {
        executions.mayHear(event) || counters.configuration.mayHear(event)
    }

    /// The next read that is needed for the executions that listen to an event; nil also if there are none.
    mutating func lackOfHearers(of event: String, in scope: Scope, userId: String?) -> Lack? {
        guard executions.knowsEvents else { return .executedEvents }
        guard mayHear(event) else { return nil }
        let trigger = ExecutionTrigger.event(ExactName(event))
        let hasListeners = executions.useListeners(to: trigger, in: scope)
        if let lack = lackOfCounters(of: scope) { return lack }
        guard hasListeners else { return .listeners(to: trigger, in: scope) }
        let mayRaiseSurvey =
            executions.mayRaiseSurvey(trigger, in: scope)
            || counters.configuration.listeners(to: trigger, in: scope.app).contains { $0.raisesSurvey }
        return mayRaiseSurvey ? lack(of: surveyUser(in: scope, userId: userId)) : nil
    }

    /// The next read that is needed for the executions that listen to events that surveys record.
    mutating func lackOfFollowers(in scope: Scope) -> Lack? {
        guard executions.knowsEvents else { return .executedEvents }
        for event in SurveyEvents.names
        where counters.configuration.surveyEvents.contains(event) || executions.surveyEvents.contains(event) {
            if let lack = lackOfHearers(of: event, in: scope, userId: nil) { return lack }
        }
        return nil
    }

    /// The next read that is needed to add an execution, to look at one of the settings, or to end a run.
    ///
    /// - Parameter triggers: the triggers of the execution.
    mutating func lackOfExecution(
        _ id: ExactName, listensTo triggers: [ExecutionTrigger], raisesSurvey: Bool, in scope: Scope
    ) -> Lack? {
        let key = ExecutionKey(scope: scope, id: id)
        let isKnown = executions.use(key)
        // Marks all of them as used, so that none is evicted while the missing ones are read.
        let unheard = triggers.reversed().filter { !executions.useListeners(to: $0, in: scope) }
        if let lack = lackOfCounters(of: scope) { return lack }
        if let trigger = unheard.last { return .listeners(to: trigger, in: scope) }
        guard isKnown else { return .execution(key) }
        return raisesSurvey ? lack(of: surveyUser(in: scope)) : nil
    }

    /// Adds the counters of a scope as the store has them.
    ///
    /// - Parameter current: the scope's current session, as the store has it.
    package mutating func admit(_ scope: Scope, counters state: CounterState, current: Session?) {
        guard !isRemovingAll(of: scope.uid) else { return counters.admit(scope, CounterState()) }
        var state = state
        let isGoing = current.map { session in unsettledRemovals.contains { $0.contains(session.identity) } } ?? false
        if isGoing { state.resetInstances() }
        counters.admit(scope, state)
    }

    /// Adds the executions that the store lists with a trigger.
    package mutating func admit(_ stored: [AddedExecution], listeningTo trigger: ExecutionTrigger, in scope: Scope) {
        executions.admit(isRemovingAll(of: scope.uid) ? [] : stored, listeningTo: trigger, in: scope)
    }

    /// Adds an execution as the store has it; nil if the store has none.
    package mutating func admit(_ key: ExecutionKey, _ execution: AddedExecution?) {
        executions.admit(key, isRemovingAll(of: key.scope.uid) ? nil : execution)
    }

    /// Whether all data of a uid is being cleared and the store does not know yet.
    private func isRemovingAll(of uid: UInt32) -> Bool {
        unsettledRemovals.contains { $0.containsEverything(of: uid) }
    }

    /// Keeps a scope loaded from its next load on, because a client watches every change in it.
    package mutating func watchCounters(of scope: Scope) { counters.watch(scope) }

    package mutating func unwatchCounters(of scope: Scope) { counters.unwatch(scope) }

    /// Removes the counters that a clear covers. Clearing all data of a uid also removes its executions and their runs.
    /// A cleared session counts as ended.
    mutating func clearCounters(_ selection: Selection, ended: [Scope], into changes: inout Changes) {
        guard case .all = selection.target else {
            for scope in ended { resetInstanceCounters(of: scope, into: &changes) }
            // Sessions that are not in memory are cleared too, and their scopes are not known here.
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
    /// Whether the selection covers all data of a uid.
    package func containsEverything(of uid: UInt32) -> Bool {
        guard case .all = target else { return false }
        return self.uid == nil || self.uid == uid
    }
}
