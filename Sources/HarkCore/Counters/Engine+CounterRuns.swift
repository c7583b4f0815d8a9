internal import HarkWire

extension Engine {
    /// A connection or a process has ended: the counters of a scope that followed it, and nothing else by now, go back to
    /// where they began, and the next registration counts. Nobody looks at that.
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
