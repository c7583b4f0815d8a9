import HarkWire

@testable import HarkCore

/// The counters and executions of a store, in memory.
struct CounterDisk {
    var counters: [Scope: [ExactName: Counter]] = [:]
    var configured: [ExecutionKey: ExecutionState] = [:]
    /// In the order in which they came.
    var executions: [AddedExecution] = []
    var runs: [ExecutionRun] = []
    var lastRun: Int64 = 0

    mutating func carryOut(_ row: CounterRow, current: [Scope: Session]) {
        switch row {
        case .beginRun(let run): lastRun = run
        case .putCounter(let counter, _, _): counters[counter.scope, default: [:]][counter.name] = counter
        case .resetInstanceCounters(let scope): resetInstances(of: scope)
        case .resetInstanceCountersOfCleared(let selection):
            for (scope, session) in current where selection.contains(session.identity) { resetInstances(of: scope) }
        case .removeCounters(let uid):
            counters = counters.filter { uid != nil && uid != $0.key.uid }
            configured = configured.filter { uid != nil && uid != $0.key.scope.uid }
            executions.removeAll { uid == nil || uid == $0.key.scope.uid }
            runs.removeAll { uid == nil || uid == $0.key.scope.uid }
        case .putExecution(let execution):
            if let place = executions.firstIndex(where: { $0.key == execution.key }) {
                executions[place] = execution
            } else {
                executions.append(execution)
            }
        case .removeExecution(let key): executions.removeAll { $0.key == key }
        case .noteExecution(let key, let state, true): configured[key] = state
        case .noteExecution(let key, let state, false):
            if let place = executions.firstIndex(where: { $0.key == key }) { executions[place].state = state }
        case .keepConfigured(let ids, let at):
            configured = configured.filter { ids.contains($0.key.id) }
            cancel(at) { $0.isConfigured && !ids.contains($0.key.id) }
        case .putRun(let run, _): runs.append(run)
        case .moveRun(let run):
            if let place = runs.firstIndex(where: { $0.id == run.id && $0.state.isOpen }) { runs[place] = run }
        case .cancelRuns(let key, let at): cancel(at) { $0.key == key }
        }
    }

    private mutating func resetInstances(of scope: Scope) {
        for (name, counter) in counters[scope] ?? [:] where counter.lifetime == .instance {
            counters[scope]?[name]?.changed = nil
        }
    }

    private mutating func cancel(_ at: Timestamp, _ isMeant: (ExecutionRun) -> Bool) {
        for place in runs.indices where runs[place].state == .due && isMeant(runs[place]) {
            runs[place].state = .cancelled
            runs[place].endedAt = at
        }
    }
}

extension CounterDisk {
    func state(of scope: Scope) -> CounterState {
        let configured = configured.filter { $0.key.scope == scope }.map { ($0.key.id, $0.value) }
        return CounterState(
            counters: Array((counters[scope] ?? [:]).values), configured: Dictionary(uniqueKeysWithValues: configured))
    }

    func listeners(to trigger: ExecutionTrigger, in scope: Scope) -> [AddedExecution] {
        executions.filter { $0.key.scope == scope && $0.execution.triggers.contains(trigger) }
    }

    var executedEvents: [ExactName] {
        executions.flatMap { $0.execution.triggers }.filter(\.isEvent).map(\.name)
    }

    func amount(of holding: Holding, _ uid: UInt32) -> Amount {
        var held = Amount()
        switch holding {
        case .counters:
            for counter in counters.values.flatMap(\.values) where counter.scope.uid == uid {
                held.count += 1
                held.bytes += counter.name.text.utf8.count + counter.initial.packed.count
                held.bytes += counter.changed?.packed.count ?? 0
            }
        case .executions:
            for execution in executions where execution.key.scope.uid == uid {
                held.count += 1
                held.bytes += execution.key.id.text.utf8.count + execution.execution.document.packed.count
            }
        default: break
        }
        return held
    }
}
