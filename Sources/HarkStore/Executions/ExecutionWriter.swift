internal import HarkCore
internal import HarkWire

/// Writes executions and their runs. Belongs to the `StoreWriter`.
final class ExecutionWriter {
    private let database: Database
    private static let row = "(SELECT row FROM execution WHERE uid = ?1 AND app = ?2 AND id = ?3)"
    private lazy var put = DeferredStatement(database, ExecutionTable.upsert)
    private lazy var leave = DeferredStatement(
        database, "DELETE FROM listening WHERE execution = \(ExecutionWriter.row)")
    private lazy var listen = DeferredStatement(
        database,
        "INSERT INTO listening(uid, app, counter, execution, isEvent) VALUES (?1, ?2, ?4, \(ExecutionWriter.row), ?5)")
    private lazy var remove = DeferredStatement(database, "DELETE FROM execution WHERE uid = ? AND app = ? AND id = ?")
    private lazy var note = DeferredStatement(
        database,
        """
        UPDATE execution SET fired = ?4, lastFired = ?5, pending = ?6, dropped = ?7
        WHERE uid = ?1 AND app = ?2 AND id = ?3
        """)
    private lazy var noteConfigured = DeferredStatement(database, ConfiguredTable.upsert)
    private lazy var putRun = DeferredStatement(database, RunTable.insertion)
    private lazy var moveRun = DeferredStatement(
        database,
        """
        UPDATE run SET state = ?1, started = ?2, ended = ?3, note = ?4,
            value = CASE WHEN session IS NULL OR ?3 IS NULL THEN value ELSE ?6 END
        WHERE id = ?5 AND state < 2
        """)
    private lazy var prune = DeferredStatement(
        database,
        """
        DELETE FROM run WHERE uid = ?1 AND app = ?2 AND state = ?3 AND state > 1 AND row <=
            (SELECT row FROM run WHERE uid = ?1 AND app = ?2 AND state = ?3 AND state > 1
             ORDER BY row DESC LIMIT 1 OFFSET \(ExecutionRun.kept))
        """)
    /// A key for the ended runs of a scope by end state.
    private struct Ended: Hashable {
        let scope: Scope
        let state: ExecutionRun.State
    }

    /// The number of runs in this transaction that need not be written, because enough later ones follow.
    private var surplus: [Ended: Int] = [:]
    /// The keys that may have more runs than are kept.
    private var grown: Set<Ended> = []

    init(_ database: Database) { self.database = database }

    func write(_ row: CounterRow) throws(StoreError) {
        switch row {
        case .putExecution(let execution): try put(execution)
        case .removeExecution(let key): try remove().bind(key).run()
        case .noteExecution(let key, let state, let isConfigured):
            try ConfiguredTable.bind((key, state), to: isConfigured ? noteConfigured() : note()).run()
        case .keepConfigured(let ids, let at): try keepConfigured(ids, at: at)
        case .putRun(let run, _): try put(run)
        case .moveRun(let run):
            try moveRun().bind(1, Int64(run.state.rawValue)).bind(2, run.startedAt?.milliseconds)
                .bind(3, run.endedAt?.milliseconds).bind(4, run.note).bind(5, run.id.rawBytes)
                .bind(6, run.value?.packed).run()
            if !run.state.isOpen { grown.insert(Ended(scope: run.key.scope, state: run.state)) }
        case .cancelRuns(let key, let at):
            try database.prepare(
                """
                UPDATE run SET state = \(ExecutionRun.State.cancelled.rawValue), ended = ?4
                WHERE state = 0 AND uid = ?1 AND app = ?2 AND execution = ?3
                """
            ).bind(key).bind(4, at.milliseconds).run()
            grown.insert(Ended(scope: key.scope, state: .cancelled))
        case .beginRun, .putCounter, .resetInstanceCounters, .resetInstanceCountersOfCleared, .removeCounters:
            throw StoreError(.internal, "a row about counters came to the writer of executions; please report this")
        }
    }

    private func put(_ execution: AddedExecution) throws(StoreError) {
        try ExecutionTable.bind(execution, to: put()).run()
        try leave().bind(execution.key).run()
        for trigger in execution.execution.triggers {
            try listen().bind(execution.key).bind(4, trigger.name.text).bind(5, trigger.isEvent ? 1 : 0).run()
        }
    }

    private func put(_ run: ExecutionRun) throws(StoreError) {
        if !run.state.isOpen {
            let ended = Ended(scope: run.key.scope, state: run.state)
            grown.insert(ended)
            if let more = surplus[ended] {
                surplus[ended] = more > 1 ? more - 1 : nil
                return
            }
        }
        try RunTable.bind(run, to: putRun()).run()
    }

    /// Starts a transaction: finds runs that need not be written, because they would be pruned at its end.
    func begin(_ rows: [Changes.Row]) {
        surplus = [:]
        grown = []
        for case .counters(.putRun(let run, _)) in rows where !run.state.isOpen {
            surplus[Ended(scope: run.key.scope, state: run.state), default: -ExecutionRun.kept] += 1
        }
        surplus = surplus.filter { $0.value > 0 }
    }

    /// Ends a transaction: keeps only the latest ended runs.
    func end() throws(StoreError) {
        for ended in grown {
            try prune().bind(1, Int64(ended.scope.uid)).bind(2, ended.scope.app).bind(3, Int64(ended.state.rawValue))
                .run()
        }
    }

    private func keepConfigured(_ ids: [ExactName], at: Timestamp) throws(StoreError) {
        var list = JSONWriter()
        list.beginArray()
        for id in ids { list.string(id.text) }
        list.endArray()
        let text = String(decoding: list.bytes, as: UTF8.self)
        // Unchanged at nearly every start; then there is nothing to do.
        let known = try database.prepare("SELECT value FROM meta WHERE key = 'configuredExecutions'")
        if try known.step(), known.text(0) == text { return }
        try database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('configuredExecutions', ?1)")
            .bind(1, text).run()
        try database.prepare("DELETE FROM configured WHERE id NOT IN (SELECT value FROM json_each(?1))")
            .bind(1, text).run()
        try database.prepare(
            """
            UPDATE run SET state = \(ExecutionRun.State.cancelled.rawValue), ended = ?2
            WHERE state = 0 AND configured = 1 AND execution NOT IN (SELECT value FROM json_each(?1))
            """
        ).bind(1, text).bind(2, at.milliseconds).run()
    }
}

extension Statement {
    /// Binds uid, app and id as the first three parameters.
    @discardableResult
    fileprivate func bind(_ key: ExecutionKey) -> Statement {
        bind(1, Int64(key.scope.uid)).bind(2, key.scope.app).bind(3, key.id.text)
    }
}
