internal import HarkCore
internal import HarkWire

/// Removal: sessions are marked first, which hides them from every reader at once, and swept away later in pieces.
extension StoreWriter {
    func perform(_ upkeep: [Changes.Upkeep], report: inout CommitReport) throws(StoreError) {
        var retired: Set<Retirement> = []
        for piece in upkeep {
            // Thousands of sessions may have started, each of which asks for the same: once is enough.
            if case .retire(let policy, let scope, _) = piece,
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
        case .retire(let policy, let scope, let now):
            try retire(policy, of: scope, now: now, report: &report)
        case .mark(let rows):
            try mark(rows, report: &report)
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
        // The current session of a scope that was not in memory is cleared like any other, and so are those that are marked
        // later.
        let meant = StoreWriter.condition(selection, table: "s.")
        try run(
            "DELETE FROM current WHERE EXISTS (SELECT 1 FROM session s WHERE s.row = current.session AND \(meant))",
            selection)
        try mark(
            doomed.rows(of: selection, limit: StoreWriter.markedAtOnce), report: &report)
        // What is left of it is marked later, also by the next run.
        let isPartial = report.marked.last?.isPartial ?? false
        try database.prepare(
            isPartial ? "INSERT OR REPLACE INTO meta(key, value) VALUES (?, '')" : "DELETE FROM meta WHERE key = ?"
        ).bind(1, StoreReader.clearPrefix + selection.packed).run()
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
        let found = try doomed.rows(
            beyond: policy, of: scope, now: now, limit: StoreWriter.markedAtOnce,
            isCounted: !sessionRoom.isEnough(for: policy, scope))
        sessionRoom.note(found.live, for: policy, scope)
        try mark(found.rows, report: &report)
    }

    /// So many sessions are marked with one piece of upkeep, as others wait for the transaction it is in.
    static let markedAtOnce = 1_000

    /// Marks sessions, and counts them and the events in them; those of log entries go unmentioned.
    private func mark(_ rows: [Int64], report: inout CommitReport) throws(StoreError) {
        guard !rows.isEmpty else { return }
        let mark = try database.prepare(
            "UPDATE session SET removed = 1 WHERE row = ? AND removed = 0 RETURNING implicit")
        let events = try database.prepare("SELECT sum(events) FROM block WHERE session = ?")
        var marked = CommitReport.Marked()
        for row in rows {
            mark.reset()
            guard try mark.bind(1, row).step() else { continue }
            if mark.integer(0) == 2 {
                marked.logSessions += 1
                continue
            }
            marked.sessions += 1
            events.reset()
            _ = try events.bind(1, row).step()
            marked.events += events.tally(0)
        }
        marked.isPartial = rows.count >= StoreWriter.markedAtOnce
        report.marked[report.marked.count - 1] = marked
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
