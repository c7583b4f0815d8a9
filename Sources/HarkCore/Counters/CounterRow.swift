package import HarkWire

/// A change in the store to counters, executions or their runs.
package enum CounterRow: Sendable {
    /// Notes that the daemon's run of this number has begun to count.
    case beginRun(Int64)
    /// Stores a counter as it is now. The revision numbers the changes for watchers.
    case putCounter(Counter, CounterCause, revision: UInt64)
    /// Resets the instance counters of a scope to their initial values.
    case resetInstanceCounters(Scope)
    /// Resets the instance counters of scopes whose current sessions match a removal.
    case resetInstanceCountersOfCleared(Selection)
    /// Deletes the counters, executions and runs of a uid; nil for all users.
    case removeCounters(uid: UInt32?)
    /// Stores an execution; replaces one with the same id.
    case putExecution(AddedExecution)
    case removeExecution(ExecutionKey)
    /// Stores the state of an execution in a scope.
    case noteExecution(ExecutionKey, ExecutionState, isConfigured: Bool)
    /// Forgets all executions of the settings but these, and cancels their waiting runs.
    case keepConfigured([ExactName], at: Timestamp)
    /// Stores a new run.
    case putRun(ExecutionRun, of: Execution)
    /// Stores the new state of a run.
    case moveRun(ExecutionRun)
    /// Cancels the runs of an execution that have not begun.
    case cancelRuns(ExecutionKey, at: Timestamp)
}

extension CounterRow {
    /// The cost of writing the row (`Changes.Row.weight`).
    var weight: Int {
        switch self {
        case .putCounter(let counter, _, _): Changes.Row.baseWeight + counter.weight
        case .putExecution(let added): (1 + added.execution.triggers.count) * Changes.Row.baseWeight + added.size.bytes
        case .putRun(let run, _):
            Changes.Row.baseWeight + (run.value?.weight ?? 0) + JSONValue.object(run.counters).weight
        default: Changes.Row.baseWeight
        }
    }
}
