internal import HarkWire

extension Holding {
    /// Executions that were added over the socket.
    package static let executions = Holding(AddedExecution.self)
    /// Programs that executions have yet to run, with their input.
    package static let runs = Holding(ExecutionRun.self)
}

extension HoldingBound {
    static let executions = HoldingBound(
        of: .executions, most: Amount(count: Limits.executionsPerUser, bytes: Limits.executionBytesPerUser),
        things: "executions", whenMany: "remove some (execution.remove)", whenLarge: "remove some (execution.remove)")

    static let runs = HoldingBound(
        of: .runs, most: Amount(count: Limits.runsPerUser, bytes: Limits.runBytesPerUser),
        things: "runs that wait", whenMany: "let executions fire less often, or take less time",
        whenLarge: "let executions fire less often, or take less time")
}

extension AddedExecution {
    /// The size in the store.
    var size: Amount { Amount(count: 1, bytes: key.id.text.utf8.count + execution.document.packed.count) }
}

extension ExecutionRun {
    /// The approximate size in the store while the run waits; zero for a run that ends at once.
    var size: Amount {
        guard state == .due else { return Amount() }
        let words = if case .exec(let words, _) = action { words.reduce(0) { $0 + $1.utf8.count } } else { 0 }
        return Amount(count: 1, bytes: words + (value?.weight ?? 0) + JSONValue.object(counters).weight)
    }
}
