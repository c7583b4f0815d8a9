internal import HarkCore
internal import HarkWire

/// Reads counters and executions from the store. Belongs to a `StoreReader`.
final class CounterReader {
    private let countersOfScope: DeferredStatement
    private let configuredOfScope: DeferredStatement
    private let listeners: DeferredStatement
    private let execution: DeferredStatement
    private let due: DeferredStatement
    private let started: DeferredStatement

    static let executionColumns =
        "e.uid, e.app, e.id, e.fired, e.lastFired, e.pending, e.dropped, e.added, e.definition, e.row"
    static let runColumns = """
        uid, app, execution, id, configured, action, counter, value, counters, fired, state, started, ended, note, row,
        session
        """

    private let unreadable: DamageNotes
    private let database: Database

    init(_ database: Database, _ unreadable: DamageNotes) {
        self.unreadable = unreadable
        self.database = database
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
            WHERE l.uid = ? AND l.app = ? AND l.counter = ? AND l.isEvent = ?
            """)
        execution = DeferredStatement(
            database,
            "SELECT \(CounterReader.executionColumns) FROM execution e WHERE e.uid = ? AND e.app = ? AND e.id = ?")
        due = DeferredStatement(
            database,
            """
            SELECT \(CounterReader.runColumns) FROM run WHERE state = 0 AND (fired, id) > (?, ?)
            ORDER BY fired, id
            """)
        started = DeferredStatement(
            database, "SELECT \(CounterReader.runColumns) FROM run WHERE state = 1 ORDER BY row")
    }

    func state(of scope: Scope) throws(StoreError) -> CounterState {
        var counters: [Counter] = []
        let countersOfScope = try self.countersOfScope().bind(1, Int64(scope.uid)).bind(2, scope.app)
        defer { countersOfScope.reset() }
        while try countersOfScope.step() {
            let name = countersOfScope.text(0) ?? ""
            let changed = countersOfScope.isNull(3) ? nil : JSONValue(packed: countersOfScope.bytes(3))
            guard let initial = JSONValue(packed: countersOfScope.bytes(2)),
                let lifetime: CounterLifetime = countersOfScope.choice(1), changed != nil || countersOfScope.isNull(3)
            else {
                unreadable.note(
                    .counters,
                    [
                        .number(Int64(scope.uid)), .text(scope.app), .text(name),
                        .bytes(countersOfScope.bytes(2) + countersOfScope.bytes(3)),
                    ])
                continue
            }
            counters.append(
                Counter(
                    scope: scope, name: ExactName(name), initial: initial, lifetime: lifetime, changed: changed,
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

    func listeners(to trigger: ExecutionTrigger, in scope: Scope) throws(StoreError) -> [AddedExecution] {
        var found: [AddedExecution] = []
        let listeners = try self.listeners().bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, trigger.name.text)
            .bind(4, trigger.isEvent ? 1 : 0)
        defer { listeners.reset() }
        while try listeners.step() { if let execution = try execution(in: listeners) { found.append(execution) } }
        return found
    }

    /// The names of the events that executions listen to.
    func executedEvents() throws(StoreError) -> [ExactName] {
        let statement = try database.prepare("SELECT DISTINCT counter FROM listening WHERE isEvent = 1")
        var names: [ExactName] = []
        while try statement.step() { names.append(ExactName(statement.text(0) ?? "")) }
        return names
    }

    func execution(_ key: ExecutionKey) throws(StoreError) -> AddedExecution? {
        let execution = try self.execution().bind(1, Int64(key.scope.uid)).bind(2, key.scope.app).bind(3, key.id.text)
        defer { execution.reset() }
        return try execution.step() ? try self.execution(in: execution) : nil
    }

    func dueRuns(after key: ExecutionRunKey, limit: Int) throws(StoreError) -> [ExecutionRun] {
        var runs: [ExecutionRun] = []
        let due = try self.due().bind(1, key.at.milliseconds).bind(2, key.id.rawBytes)
        defer { due.reset() }
        while runs.count < limit, try due.step() { if let run = try run(in: due) { runs.append(run) } }
        return runs
    }

    func startedRuns() throws(StoreError) -> [ExecutionRun] {
        var runs: [ExecutionRun] = []
        let started = try self.started()
        defer { started.reset() }
        while try started.step() { if let run = try run(in: started) { runs.append(run) } }
        return runs
    }

    /// - Returns: nil when the row cannot be read, which is noted.
    func execution(in row: Statement) throws(StoreError) -> AddedExecution? {
        try unreadable.passOver(.executions, [.number(row.integer(9)), .bytes(row.bytes(8))]) { () throws(StoreError) in
            guard let document = JSONValue(packed: row.bytes(8)), let execution = Execution(stored: document) else {
                throw StoreError(.damaged, "an execution in the store cannot be read")
            }
            return AddedExecution(
                key: try row.executionKey(), execution: execution, addedAt: row.timestamp(7),
                state: try row.executionState())
        }
    }

    /// - Returns: nil when the row cannot be read, which is noted.
    func run(in row: Statement) throws(StoreError) -> ExecutionRun? {
        try unreadable.passOver(.runs, [.number(row.integer(14))]) { () throws(StoreError) in
            try CounterReader.run(in: row)
        }
    }

    private static func run(in row: Statement) throws(StoreError) -> ExecutionRun {
        guard let id = row.withBytes(3, { Identifier(raw: $0) }),
            let action = JSONValue(packed: row.bytes(5)).flatMap(Execution.Action.init(document:)),
            let state: ExecutionRun.State = row.choice(10)
        else { throw StoreError(.damaged, "a run of an execution in the store cannot be read") }
        var run = ExecutionRun(
            id: id, key: try row.executionKey(), action: action, isConfigured: row.integer(4) != 0,
            counter: row.text(6).map(ExactName.init), value: row.isNull(7) ? nil : JSONValue(packed: row.bytes(7)),
            firedAt: row.timestamp(9), state: state)
        run.counters = JSONValue(packed: row.bytes(8))?.objectValue ?? JSONObject()
        run.startedAt = row.time(11)
        run.endedAt = row.time(12)
        run.note = row.text(13)
        run.session = row.isNull(15) ? nil : row.integer(15)
        return run
    }
}

extension ReadTable {
    fileprivate static let counters = ReadTable(
        kind: "a counter",
        deletion: """
            DELETE FROM counter
            WHERE uid = ? AND app = ? AND name = ? AND CAST(initial || coalesce(changed, x'') AS BLOB) = ?
            """)
    fileprivate static let executions = ReadTable(
        kind: "an execution", deletion: "DELETE FROM execution WHERE row = ? AND definition = ?")
    fileprivate static let runs = ReadTable(
        kind: "a run of an execution", deletion: "DELETE FROM run WHERE row = ?")
}

extension Statement {
    /// The key in the first three columns.
    fileprivate func executionKey() throws(StoreError) -> ExecutionKey {
        ExecutionKey(scope: Scope(uid: try uid(0), app: text(1) ?? ""), id: ExactName(text(2) ?? ""))
    }

    /// The state in the next four columns.
    func executionState() throws(StoreError) -> ExecutionState {
        ExecutionState(fired: try count(3), lastFiredAt: time(4), pending: try count(5), dropped: try count(6))
    }
}
