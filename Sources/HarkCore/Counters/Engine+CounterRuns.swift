internal import HarkWire

extension Engine {
    /// Handles the end of a connection or process: counters of the scope without another holder return to their initial
    /// value, and the next registration counts. No execution is triggered.
    ///
    /// The scope must have been admitted.
    package mutating func endRun(of holder: CounterHolder, in scope: Scope, into changes: inout Changes) {
        for var counter in counters.all(in: scope) {
            guard let before = counter.holders, before.contains(holder) else { continue }
            counter.holders = before.filter { $0 != holder }
            if counter.holders?.isEmpty == true { counter.changed = nil }
            put(counter, .reset, into: &changes)
        }
    }
}
