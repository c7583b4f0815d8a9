package import HarkWire

/// What becomes of counters, executions and their runs in the store.
package enum CounterRow: Sendable {
    /// The daemon's run of this number has begun to count.
    case beginRun(Int64)
    /// Keeps a counter as it is now; the revision numbers the changes for those who watch.
    case putCounter(Counter, CounterCause, revision: UInt64)
    /// Brings the instance counters of a scope back to where they began.
    case resetInstanceCounters(Scope)
    /// The same for the scopes whose current sessions a removal means.
    case resetInstanceCountersOfCleared(Selection)
    /// Deletes counters, executions and runs of a uid; nil: of everybody.
    case removeCounters(uid: UInt32?)
    /// Keeps an execution, new or in the place of the one of the same id.
    case putExecution(AddedExecution)
    case removeExecution(ExecutionKey)
    /// Keeps how far an execution has come in a scope.
    case noteExecution(ExecutionKey, ExecutionState, isConfigured: Bool)
    /// Forgets executions of the settings but these, and cancels what waits of them.
    case keepConfigured([ExactName], at: Timestamp)
    /// Keeps a new run.
    case putRun(ExecutionRun, of: Execution)
    /// Keeps what became of a run.
    case moveRun(ExecutionRun)
    /// Cancels the runs of an execution that did not begin yet.
    case cancelRuns(ExecutionKey, at: Timestamp)
}

extension CounterRow {
    /// What it costs the store to write (`Changes.Row.weight`).
    var weight: Int {
        switch self {
        case .putCounter(let counter, _, _): Changes.Row.baseWeight + counter.weight
        case .putExecution(let added): (1 + added.execution.listensTo.count) * Changes.Row.baseWeight + added.size.bytes
        case .putRun(let run, _):
            Changes.Row.baseWeight + (run.value?.weight ?? 0) + JSONValue.object(run.counters).weight
        default: Changes.Row.baseWeight
        }
    }
}
