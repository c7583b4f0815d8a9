internal import HarkCore
internal import HarkWire

/// Reads counters and executions from the store. Belongs to a `StoreReader`.
final class CounterReader {
    private lazy var countersOfScope = DeferredStatement(
        database, "\(CounterTable.selection) WHERE uid = ? AND app = ?")
    private lazy var configuredOfScope = DeferredStatement(
        database, "\(ConfiguredTable.selection) WHERE uid = ? AND app = ?")
    private lazy var listeners = DeferredStatement(
        database,
        """
        SELECT \(ExecutionTable.columns(.read, of: "e.")), e.row FROM listening l JOIN execution e ON e.row = l.execution
        WHERE l.uid = ? AND l.app = ? AND l.counter = ? AND l.isEvent = ?
        """)
    private lazy var execution = DeferredStatement(
        database, "SELECT \(ExecutionTable.columns(.read)), row FROM execution WHERE uid = ? AND app = ? AND id = ?"
    )
    private lazy var due = DeferredStatement(
        database, "\(RunTable.selection) WHERE state = 0 AND (fired, id) > (?, ?) ORDER BY fired, id")

    private let unreadable: DamageNotes
    private let database: Database

    init(_ database: Database, _ unreadable: DamageNotes) {
        self.unreadable = unreadable
        self.database = database
    }

    func state(of scope: Scope) throws(StoreError) -> CounterState {
        let counters = try countersOfScope().bind(1, Int64(scope.uid)).bind(2, scope.app).all {
            row throws(StoreError) in
            try unreadable.passOver(
                .counters,
                [
                    .number(Int64(scope.uid)), .text(scope.app), .text(row.text(2) ?? ""),
                    .bytes(row.bytes(4) + row.bytes(5)),
                ]
            ) { () throws(StoreError) in try CounterTable.read(row) }
        }
        let configured = try ConfiguredTable.all(configuredOfScope().bind(1, Int64(scope.uid)).bind(2, scope.app))
        return CounterState(
            counters: counters, configured: Dictionary(configured.map { ($0.key.id, $0.state) }) { $1 })
    }

    func listeners(to trigger: ExecutionTrigger, in scope: Scope) throws(StoreError) -> [AddedExecution] {
        try listeners().bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, trigger.name.text)
            .bind(4, trigger.isEvent ? 1 : 0).all { row throws(StoreError) in try execution(in: row) }
    }

    /// The names of the events that executions listen to.
    func executedEvents() throws(StoreError) -> [ExactName] {
        try database.prepare("SELECT DISTINCT counter FROM listening WHERE isEvent = 1")
            .all { ExactName($0.text(0) ?? "") }
    }

    func execution(_ key: ExecutionKey) throws(StoreError) -> AddedExecution? {
        try execution().bind(1, Int64(key.scope.uid)).bind(2, key.scope.app).bind(3, key.id.text)
            .first { row throws(StoreError) in try execution(in: row) }
    }

    func dueRuns(after key: ExecutionRunKey, limit: Int) throws(StoreError) -> [ExecutionRun] {
        var runs: [ExecutionRun] = []
        let due = try self.due().bind(1, key.at.milliseconds).bind(2, key.id.rawBytes)
        defer { due.reset() }
        while runs.count < limit, try due.step() {
            if let run = try RunTable.read(due, unreadable) { runs.append(run) }
        }
        return runs
    }

    func startedRuns() throws(StoreError) -> [ExecutionRun] {
        try RunTable.all(database.prepare("\(RunTable.selection) WHERE state = 1 ORDER BY row"), unreadable)
    }

    /// - Returns: nil when the row cannot be read, which is noted.
    func execution(in row: Statement) throws(StoreError) -> AddedExecution? {
        try unreadable.passOver(
            .executions, [.number(row.integer(ExecutionTable.row)), .bytes(row.bytes(ExecutionTable.definition))]
        ) { () throws(StoreError) in try ExecutionTable.read(row) }
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
}
