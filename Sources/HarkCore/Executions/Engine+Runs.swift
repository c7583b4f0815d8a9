package import HarkWire

/// Runs that follow from firing.
extension Engine {
    /// Decides the outcome of a firing and stores it as a run.
    mutating func run(
        _ execution: Execution, _ key: ExecutionKey, _ state: inout ExecutionState, isConfigured: Bool,
        _ counter: Counter?, _ cause: Cause? = nil, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        state.fired += 1
        state.lastFiredAt = now
        var run = ExecutionRun(
            id: identifiers.next(at: now), key: key, action: execution.action, isConfigured: isConfigured,
            counter: counter?.name, value: counter?.value, firedAt: now, state: .due)
        if let cause { run.event = cause.event }
        run.session = cause?.session
        switch execution.action {
        case .exec:
            run.counters = told(to: execution, in: key.scope)
            let size = run.size
            let lack =
                state.pending >= Execution.maxPending
                ? "\(Execution.maxPending) runs of it are pending" : lack(of: .runs, key.scope.uid, size)?.words
            if let lack {
                state.dropped += 1
                run.state = .dropped
                run.endedAt = now
                run.note = "\(lack); \(state.dropped) dropped so far"
            } else {
                state.pending += 1
                hold(size, .runs, of: key.scope.uid)
            }
        case .survey(let id):
            run.note = raise(
                survey: id, in: key.scope, depth: (cause?.depth ?? -1) + 1, source: source, now: now, into: &changes)
            run.state = run.note == Engine.unknownSurvey ? .failed : .done
            run.endedAt = now
        case .notify:
            run.state = .done
            run.endedAt = now
        }
        if !run.state.isOpen { run.forgetDetails() }
        // A flood must not fill the store: of the dropped runs only the first, tenth, hundredth and so on are stored.
        if run.state != .dropped || state.dropped.isPowerOfTen {
            changes.rows.append(.counters(.putRun(run, of: execution)))
        }
    }

    /// The current values of an execution's counters, sorted by name, as many as fit in `Limits.toldBytes`.
    private func told(to execution: Execution, in scope: Scope) -> JSONObject {
        var room = Limits.toldBytes
        return JSONObject(
            execution.counters.sorted().compactMap { name in
                guard let value = counters.counter(name, in: scope)?.value else { return nil }
                let size = value.weight + name.text.utf8.count
                guard size <= room else { return nil }
                room -= size
                return (name.text, value)
            })
    }

    /// Marks a due run as started.
    ///
    /// - Returns: the run in its new state.
    package mutating func startRun(_ run: ExecutionRun, now: Timestamp, into changes: inout Changes) -> ExecutionRun {
        hold(Amount() - run.size, .runs, of: run.key.scope.uid)
        var run = run
        run.state = .started
        run.startedAt = now
        changes.rows.append(.counters(.moveRun(run)))
        return run
    }

    /// Records the end of a run, or that its outcome is unknown. The execution and its scope must have been admitted.
    package mutating func endRun(
        _ run: ExecutionRun, _ state: ExecutionRun.State, note: String? = nil, now: Timestamp,
        into changes: inout Changes
    ) {
        hold(Amount() - run.size, .runs, of: run.key.scope.uid)
        var run = run
        run.state = state
        run.endedAt = now
        run.note = note
        run.forgetDetails()
        changes.rows.append(.counters(.moveRun(run)))
        if run.isConfigured {
            guard var state = counters.state(of: run.key.scope)?.configured[run.key.id] else { return }
            state.pending = max(0, state.pending - 1)
            put(state, ofConfigured: run.key, into: &changes)
        } else if var state = executions[run.key]?.state {
            state.pending = max(0, state.pending - 1)
            put(state, of: run.key, into: &changes)
        }
    }

    mutating func put(_ state: ExecutionState, of key: ExecutionKey, into changes: inout Changes) {
        executions.put(state, of: key)
        changes.rows.append(.counters(.noteExecution(key, state, isConfigured: false)))
    }

    mutating func put(_ state: ExecutionState, ofConfigured key: ExecutionKey, into changes: inout Changes) {
        counters.put(state, of: key.id, in: key.scope)
        changes.rows.append(.counters(.noteExecution(key, state, isConfigured: true)))
    }
}

extension Int {
    package var isPowerOfTen: Bool {
        var number = self
        while number > 1, number % 10 == 0 { number /= 10 }
        return number == 1
    }
}
