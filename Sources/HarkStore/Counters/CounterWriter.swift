internal import HarkCore
internal import HarkWire

/// Writes counters and executions. Belongs to the `StoreWriter`.
final class CounterWriter: FamilyWriter {
    private let database: Database
    private let executions: ExecutionWriter
    private lazy var put = DeferredStatement(database, CounterTable.upsert)
    private lazy var resetInstances = DeferredStatement(
        database,
        "UPDATE counter SET changed = NULL WHERE uid = ? AND app = ? AND lifetime = 0 AND changed IS NOT NULL")

    init(_ database: Database) {
        self.database = database
        executions = ExecutionWriter(database)
    }

    func begin(_ rows: [Changes.Row]) { executions.begin(rows) }

    func end() throws(StoreError) { try executions.end() }

    func write(_ row: CounterRow) throws(StoreError) {
        switch row {
        case .beginRun(let run):
            try database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('lastRun', ?)").bind(1, run).run()
        case .putCounter(let counter, _, _): try CounterTable.bind(counter, to: put()).run()
        case .resetInstanceCounters(let scope): try resetInstances(of: scope)
        case .resetInstanceCountersOfCleared(let selection): try resetInstances(ofCleared: selection)
        case .removeCounters(let uid): try removeAll(of: uid)
        case .putExecution, .removeExecution, .noteExecution, .keepConfigured, .putRun, .moveRun, .cancelRuns:
            try executions.write(row)
        }
    }

    private func resetInstances(of scope: Scope) throws(StoreError) {
        try resetInstances().bind(1, Int64(scope.uid)).bind(2, scope.app).run()
    }

    /// Resets the instance counters of the scopes whose current sessions a following removal covers.
    private func resetInstances(ofCleared selection: Selection) throws(StoreError) {
        let statement = try SessionWriter.bind(
            selection,
            to: database.prepare(
                """
                UPDATE counter SET changed = NULL
                WHERE lifetime = 0 AND changed IS NOT NULL AND (uid, app) IN
                    (SELECT c.uid, c.app FROM current c JOIN session s ON s.row = c.session
                     WHERE \(SessionWriter.condition(selection, table: "s.")))
                """))
        try statement.run()
        // An event that a program has not received yet is deleted with its session. One query for each of the two indexes.
        for state in [ExecutionRun.State.due, .started] {
            try SessionWriter.bind(
                selection,
                to: database.prepare(
                    """
                    UPDATE run SET value = NULL WHERE state = \(state.rawValue) AND session IN
                        (SELECT s.row FROM session s WHERE \(SessionWriter.condition(selection, table: "s.")))
                    """)
            ).run()
        }
    }

    private func removeAll(of uid: UInt32?) throws(StoreError) {
        for table in ["counter", "execution", "configured", "run"] {
            let statement = try database.prepare("DELETE FROM \(table)" + (uid == nil ? "" : " WHERE uid = ?"))
            if let uid { statement.bind(1, Int64(uid)) }
            try statement.run()
        }
    }
}
