internal import HarkCore
internal import HarkWire

/// Removal: sessions are marked first, which hides them from every reader at once, and swept away later in pieces.
extension StoreWriter {
    func perform(_ upkeep: [Changes.Upkeep], report: inout CommitReport) throws(StoreError) {
        var retired: Set<Retirement> = []
        for piece in upkeep {
            // Thousands of sessions may have started, each of which asks for the same: once is enough.
            if case .retire(let policy, let scope, _, dryRun: false) = piece,
                !retired.insert(Retirement(policy: policy, scope: scope)).inserted
            {
                report.marked.append(CommitReport.Marked())
            } else {
                try perform(piece, report: &report)
            }
        }
    }

    private struct Retirement: Hashable {
        let policy: RetentionPolicy
        let scope: RetentionScope
    }

    private func perform(_ upkeep: Changes.Upkeep, report: inout CommitReport) throws(StoreError) {
        report.marked.append(CommitReport.Marked())
        switch upkeep {
        case .remove(let selection):
            try mark(selection, report: &report)
        case .retire(let policy, let scope, let now, let dryRun):
            if dryRun { try database.execute("SAVEPOINT preview") }
            try retire(policy, of: scope, now: now, report: &report)
            if dryRun { try database.execute("ROLLBACK TO preview; RELEASE preview") }
        case .sweep(let row, let maxBlocks):
            try sweep(row, maxBlocks: maxBlocks, report: &report)
        case .shrink(let maxPages):
            let before = try database.integer("PRAGMA freelist_count") ?? 0
            try database.execute("PRAGMA incremental_vacuum(\(maxPages))")
            report.freedPages += Int(before - (try database.integer("PRAGMA freelist_count") ?? 0))
        }
    }

    func remove(_ row: UnreadableRow) throws(StoreError) {
        switch row.place {
        case .counter(let scope, let name):
            try database.prepare(
                "DELETE FROM counter WHERE uid = ? AND app = ? AND name = ? AND CAST(initial || coalesce(changed, x'') AS BLOB) = ?"
            ).bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, name).bind(4, row.content).run()
        case .execution(let number):
            try database.prepare("DELETE FROM execution WHERE row = ? AND definition = ?").bind(1, number)
                .bind(2, row.content).run()
        case .run(let number):
            try database.prepare("DELETE FROM run WHERE row = ?").bind(1, number).run()
        case .presentation(let number):
            try database.prepare("DELETE FROM presentation WHERE row = ?").bind(1, number).run()
        case .formAnswer(let user, let form, let question):
            try database.prepare(
                "DELETE FROM form_answer WHERE uid = ? AND user = ? AND form = ? AND question = ? AND answer = ?"
            ).bind(1, Int64(user.uid)).bind(2, user.column).bind(3, form).bind(4, question).bind(5, row.content).run()
        }
    }

    private func mark(_ selection: Selection, report: inout CommitReport) throws(StoreError) {
        let condition = StoreWriter.condition(selection)
        // The current session of a scope that was not in memory is cleared like any other.
        try run("DELETE FROM current WHERE session IN (SELECT row FROM session WHERE \(condition))", selection)
        let statement = try bound(
            "UPDATE session SET removed = 1 WHERE \(condition) RETURNING row, implicit", selection)
        try collect(statement, report: &report)
    }

    /// Which sessions a selection means, as SQL.
    static func condition(_ selection: Selection, table: String = "") -> String {
        var conditions = ["\(table)removed = 0", "\(table)row <= ?1"]
        if selection.uid != nil { conditions.append("\(table)uid = ?2") }
        switch selection.target {
        case .all: break
        case .user: conditions.append("\(table)user IS ?3")
        case .session: conditions.append("\(table)id = ?4")
        }
        return conditions.joined(separator: " AND ")
    }

    private func bound(_ sql: String, _ selection: Selection) throws(StoreError) -> Statement {
        StoreWriter.bind(selection, to: try database.prepare(sql))
    }

    /// Fills in what `condition` leaves open.
    static func bind(_ selection: Selection, to statement: Statement) -> Statement {
        statement.bind(1, selection.upToRow)
        if let uid = selection.uid { statement.bind(2, Int64(uid)) }
        switch selection.target {
        case .all: break
        case .user(let userId): statement.bind(3, userId)
        case .session(let id): statement.bind(4, id.rawBytes)
        }
        return statement
    }

    private func run(_ sql: String, _ selection: Selection) throws(StoreError) {
        try bound(sql, selection).run()
    }

    private func retire(
        _ policy: RetentionPolicy, of scope: RetentionScope, now: Timestamp, report: inout CommitReport
    ) throws(StoreError) {
        let (condition, uid, userId): (String, Int64?, String?) =
            switch scope {
            case .everybody: ("1", nil, nil)
            case .uid(let uid): ("uid = ?2", Int64(uid), nil)
            case .user(let uid, let userId): ("uid = ?2 AND user IS ?3", Int64(uid), userId)
            }
        // The session that log entries go into today is as good as current, and so is one of a survey that is shown.
        let removable = """
            removed = 0 AND row NOT IN (SELECT session FROM current)
            AND id NOT IN (SELECT session FROM presentation WHERE state = 2 AND ownsSession)
            AND (implicit < 2 OR started < \(now.milliseconds - Engine.logSessionGraceMilliseconds))
            """
        func mark(_ limit: Int64, _ which: String) throws(StoreError) {
            let statement = try database.prepare(
                "UPDATE session SET removed = 1 WHERE \(removable) AND \(which) RETURNING row, implicit")
            statement.bind(1, limit)
            if uid != nil { statement.bind(2, uid) }
            if case .user = scope { statement.bind(3, userId) }
            try collect(statement, report: &report)
        }
        if let cutoff = policy.cutoff(now: now) {
            try mark(cutoff.milliseconds, "\(condition) AND coalesce(ended, started) < ?1")
        }
        if let most = policy.maxSessionsPerUser {
            try mark(
                Int64(most),
                """
                row IN (SELECT row FROM
                    (SELECT row, row_number() OVER (PARTITION BY uid, user ORDER BY started DESC, row DESC) AS place
                     FROM session WHERE removed = 0 AND implicit < 2 AND \(condition))
                    WHERE place > ?1)
                """)
        }
        if let cap = policy.maxStoreBytes {
            for row in try oldestSessions(over: cap, removable: removable) {
                try mark(row, "row = ?1 AND \(condition)")
            }
        }
    }

    /// The oldest sessions that have to go so that what is left fits under a cap.
    private func oldestSessions(over cap: Int64, removable: String) throws(StoreError) -> [Int64] {
        let used = try database.integer(
            """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """)
        let leaving = try database.integer(
            "SELECT sum(length(data)) FROM block WHERE session IN (SELECT row FROM session WHERE removed = 1)")
        var excess = (used ?? 0) - (leaving ?? 0) - cap
        guard excess > 0 else { return [] }
        var rows: [Int64] = []
        let sessions = try database.prepare("SELECT row FROM session WHERE \(removable) ORDER BY row")
        let size = try database.prepare("SELECT sum(length(data) + 48) FROM block WHERE session = ?")
        while excess > 0, try sessions.step() {
            let row = sessions.integer(0)
            _ = try size.bind(1, row).step()
            excess -= size.integer(0)
            size.reset()
            rows.append(row)
        }
        return rows
    }

    /// Counts the sessions a statement returns and the events in them; those of log entries go unmentioned.
    private func collect(_ statement: Statement, report: inout CommitReport) throws(StoreError) {
        var rows: [Int64] = []
        while try statement.step() {
            if statement.integer(1) == 2 {
                report.marked[report.marked.count - 1].logSessions += 1
            } else {
                rows.append(statement.integer(0))
            }
        }
        let events = try database.prepare("SELECT sum(events) FROM block WHERE session = ?")
        for row in rows {
            _ = try events.bind(1, row).step()
            report.marked[report.marked.count - 1].events += events.tally(0)
            events.reset()
        }
        report.marked[report.marked.count - 1].sessions += rows.count
    }

    private func sweep(_ row: Int64, maxBlocks: Int, report: inout CommitReport) throws(StoreError) {
        let doomed = "SELECT first FROM block WHERE session = ?1 LIMIT ?2"
        let count = try database.prepare("SELECT sum(events) FROM block WHERE first IN (\(doomed))")
        _ = try count.bind(1, row).bind(2, Int64(maxBlocks)).step()
        report.sweptEvents += count.tally(0)
        count.reset()
        try database.prepare("DELETE FROM block WHERE first IN (\(doomed))")
            .bind(1, row).bind(2, Int64(maxBlocks)).run()
        if database.changes < maxBlocks {
            try surveys.sweep(sessionRow: row)
            try deadLetters.sweep(sessionRow: row)
            try database.prepare("DELETE FROM session WHERE row = ? AND removed = 1").bind(1, row).run()
            report.sweptSessions.append(row)
        }
    }
}
