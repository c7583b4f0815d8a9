package import HarkCore
internal import HarkWire

extension StoreReader {
    /// Due runs in order, after a key.
    package func dueRuns(after key: ExecutionRunKey, limit: Int) throws(StoreError) -> [ExecutionRun] {
        try counters.dueRuns(after: key, limit: limit)
    }

    /// Runs that were in progress when the daemon last wrote their state.
    package func startedRuns() throws(StoreError) -> [ExecutionRun] { try counters.startedRuns() }

    /// The scopes with counters that follow the run of an app.
    package func scopesWithHeldCounters() throws(StoreError) -> [Scope] {
        try database.prepare("SELECT DISTINCT uid, app FROM counter WHERE holders IS NOT NULL")
            .all { Scope(uid: UInt32(truncatingIfNeeded: $0.integer(0)), app: $0.text(1) ?? "") }
    }

    /// A page of the scopes with counters, in order, after a scope.
    package func scopesWithCounters(after scope: Scope?, limit: Int) throws(StoreError) -> [Scope] {
        try database.prepare(
            "SELECT DISTINCT uid, app FROM counter WHERE (uid, app) > (?, ?) ORDER BY uid, app LIMIT ?"
        )
        .bind(1, scope.map { Int64($0.uid) } ?? -1).bind(2, scope?.app ?? "").bind(3, Int64(limit))
        .all { row throws(StoreError) in Scope(uid: try row.uid(0), app: row.text(1) ?? "") }
    }
}

/// A query for executions and runs.
package struct ExecutionQuery: Sendable {
    package var uid: UInt32?
    package var app: String?
    /// Lists only executions after this row.
    package var afterRow: Int64?
    package var limit: Int
    /// The size in the store at which a page ends, in bytes.
    package var maxBytes = 1 << 20

    package init(limit: Int) {
        self.limit = limit
    }

    fileprivate var conditions: [String] {
        (uid == nil ? [] : ["uid = ?1"]) + (app == nil ? [] : ["app = ?2"])
    }

    fileprivate func bind(to statement: Statement) -> Statement {
        if let uid { statement.bind(1, Int64(uid)) }
        if let app { statement.bind(2, app) }
        return statement
    }
}

extension StoreReader {
    /// Executions that were added over the socket, in that order, and the row after which to continue.
    package func executions(_ query: ExecutionQuery) throws(StoreError) -> (found: [AddedExecution], next: Int64?) {
        let conditions = query.conditions + [query.afterRow == nil ? "true" : "row > ?3"]
        let statement = query.bind(
            to: try database.prepare(
                """
                SELECT \(ExecutionTable.columns(.read)), row FROM execution
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY row LIMIT ?4
                """))
        if let row = query.afterRow { statement.bind(3, row) }
        statement.bind(4, Int64(query.limit))
        var found: [AddedExecution] = []
        var last: Int64?
        var bytes = 0
        var rows = 0
        while try statement.step() {
            if let execution = try counters.execution(in: statement) { found.append(execution) }
            last = statement.integer(ExecutionTable.row)
            rows += 1
            bytes += statement.byteCount(ExecutionTable.definition)
            if bytes > query.maxBytes { return (found, last) }
        }
        return (found, rows == query.limit ? last : nil)
    }

    /// The state of the settings' executions, summed over all scopes.
    package func configuredExecutions(
        _ query: ExecutionQuery
    ) throws(StoreError) -> [ExactName: ExecutionState] {
        let conditions = query.conditions + ["true"]
        let statement = query.bind(
            to: try database.prepare(
                """
                SELECT 0, '', id, sum(fired), max(lastFired), sum(pending), sum(dropped) FROM configured
                WHERE \(conditions.joined(separator: " AND ")) GROUP BY id
                """))
        return Dictionary(try ConfiguredTable.all(statement).map { ($0.key.id, $0.state) }) { $1 }
    }

    /// Runs, newest first.
    package func runs(_ query: ExecutionQuery) throws(StoreError) -> [ExecutionRun] {
        let statement = query.bind(
            to: try database.prepare(
                """
                \(RunTable.selection)
                WHERE \((query.conditions + ["true"]).joined(separator: " AND ")) ORDER BY row DESC LIMIT ?4
                """))
        statement.bind(4, Int64(query.limit))
        var runs: [ExecutionRun] = []
        var bytes = 0
        while bytes < query.maxBytes, try statement.step() {
            if let run = try RunTable.read(statement, unreadable) { runs.append(run) }
            bytes += statement.byteCount(5) + statement.byteCount(7) + statement.byteCount(8)
        }
        return runs
    }
}
