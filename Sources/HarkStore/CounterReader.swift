internal import HarkCore
internal import HarkWire

/// Reads what is stored about counters and executions. Lives with a `StoreReader`.
final class CounterReader {
    private let countersOfScope: DeferredStatement
    private let configuredOfScope: DeferredStatement
    private let listeners: DeferredStatement
    private let execution: DeferredStatement
    private let due: DeferredStatement
    private let started: DeferredStatement

    static let executionColumns =
        "e.uid, e.app, e.id, e.fired, e.lastFired, e.pending, e.dropped, e.added, e.definition"
    static let runColumns = """
        uid, app, execution, id, configured, action, counter, value, counters, fired, state, started, ended, note
        """

    init(_ database: Database) {
        countersOfScope = DeferredStatement(
            database,
            """
            SELECT name, lifetime, initial, changed, changedIn, registeredIn, holders FROM counter
            WHERE uid = ? AND app = ?
            """)
        configuredOfScope = DeferredStatement(
            database,
            "SELECT uid, app, id, fired, lastFired, pending, dropped FROM configured WHERE uid = ? AND app = ?")
        listeners = DeferredStatement(
            database,
            """
            SELECT \(CounterReader.executionColumns) FROM listening l JOIN execution e ON e.row = l.execution
            WHERE l.uid = ? AND l.app = ? AND l.counter = ?
            """)
        execution = DeferredStatement(
            database,
            "SELECT \(CounterReader.executionColumns) FROM execution e WHERE e.uid = ? AND e.app = ? AND e.id = ?")
        due = DeferredStatement(
            database,
            """
            SELECT \(CounterReader.runColumns) FROM run WHERE state = 0 AND (fired, id) > (?, ?)
            ORDER BY fired, id LIMIT ?
            """)
        started = DeferredStatement(
            database, "SELECT \(CounterReader.runColumns) FROM run WHERE state = 1 ORDER BY row")
    }

    func state(of scope: Scope) throws(StoreError) -> CounterState {
        var counters: [Counter] = []
        let countersOfScope = try self.countersOfScope().bind(1, Int64(scope.uid)).bind(2, scope.app)
        defer { countersOfScope.reset() }
        while try countersOfScope.step() {
            guard let initial = JSONValue(packed: countersOfScope.bytes(2)),
                let lifetime: CounterLifetime = countersOfScope.choice(1)
            else { throw CounterReader.damaged("a counter") }
            counters.append(
                Counter(
                    scope: scope, name: ExactName(countersOfScope.text(0) ?? ""), initial: initial, lifetime: lifetime,
                    changed: countersOfScope.isNull(3) ? nil : JSONValue(packed: countersOfScope.bytes(3)),
                    changedIn: countersOfScope.integer(4), registeredIn: countersOfScope.integer(5),
                    holders: countersOfScope.isNull(6) ? nil : CounterHolder.read(packed: countersOfScope.bytes(6))))
        }
        var configured: [ExactName: ExecutionState] = [:]
        let configuredOfScope = try self.configuredOfScope().bind(1, Int64(scope.uid)).bind(2, scope.app)
        defer { configuredOfScope.reset() }
        while try configuredOfScope.step() {
            configured[ExactName(configuredOfScope.text(2) ?? "")] = try configuredOfScope.executionState()
        }
        return CounterState(counters: counters, configured: configured)
    }

    func listeners(to counter: ExactName, in scope: Scope) throws(StoreError) -> [AddedExecution] {
        var found: [AddedExecution] = []
        let listeners = try self.listeners().bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, counter.text)
        defer { listeners.reset() }
        while try listeners.step() { found.append(try CounterReader.execution(in: listeners)) }
        return found
    }

    func execution(_ key: ExecutionKey) throws(StoreError) -> AddedExecution? {
        let execution = try self.execution().bind(1, Int64(key.scope.uid)).bind(2, key.scope.app).bind(3, key.id.text)
        defer { execution.reset() }
        return try execution.step() ? CounterReader.execution(in: execution) : nil
    }

    func dueRuns(after key: ExecutionRunKey, limit: Int) throws(StoreError) -> [ExecutionRun] {
        var runs: [ExecutionRun] = []
        let due = try self.due().bind(1, key.at.milliseconds).bind(2, key.id.rawBytes).bind(3, Int64(limit))
        defer { due.reset() }
        while try due.step() { runs.append(try CounterReader.run(in: due)) }
        return runs
    }

    func startedRuns() throws(StoreError) -> [ExecutionRun] {
        var runs: [ExecutionRun] = []
        let started = try self.started()
        defer { started.reset() }
        while try started.step() { runs.append(try CounterReader.run(in: started)) }
        return runs
    }

    static func execution(in row: Statement) throws(StoreError) -> AddedExecution {
        guard let document = JSONValue(packed: row.bytes(8)),
            let execution = Execution.read(document, path: "$").execution
        else { throw damaged("an execution") }
        return AddedExecution(
            key: try row.executionKey(), execution: execution, addedAt: row.timestamp(7),
            state: try row.executionState())
    }

    static func run(in row: Statement) throws(StoreError) -> ExecutionRun {
        guard let id = row.withBytes(3, { Identifier(raw: $0) }),
            let action = JSONValue(packed: row.bytes(5)).flatMap(Execution.Action.init(document:)),
            let state: ExecutionRun.State = row.choice(10)
        else { throw damaged("a run of an execution") }
        var run = ExecutionRun(
            id: id, key: try row.executionKey(), action: action, isConfigured: row.integer(4) != 0,
            counter: row.text(6).map(ExactName.init), value: row.isNull(7) ? nil : JSONValue(packed: row.bytes(7)),
            firedAt: row.timestamp(9), state: state)
        run.counters = JSONValue(packed: row.bytes(8))?.objectValue ?? JSONObject()
        run.startedAt = row.time(11)
        run.endedAt = row.time(12)
        run.note = row.text(13)
        return run
    }

    private static func damaged(_ what: String) -> StoreError {
        StoreError(
            .damaged,
            "\(what) in the store cannot be read; stop harkd and save the file with 'sqlite3 hark.db .recover'")
    }
}

extension Statement {
    /// The first three columns.
    fileprivate func executionKey() throws(StoreError) -> ExecutionKey {
        ExecutionKey(scope: Scope(uid: try uid(0), app: text(1) ?? ""), id: ExactName(text(2) ?? ""))
    }

    /// The four columns behind them.
    func executionState() throws(StoreError) -> ExecutionState {
        ExecutionState(fired: try count(3), lastFiredAt: time(4), pending: try count(5), dropped: try count(6))
    }
}
