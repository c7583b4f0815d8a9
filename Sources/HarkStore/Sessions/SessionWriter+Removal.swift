internal import HarkCore
internal import HarkWire

/// Sessions are marked first, which hides them from every reader at once, and swept away later.
extension SessionWriter {
    /// Marks what a selection means, or some of it.
    func mark(_ selection: Selection, report: inout CommitReport) throws(StoreError) {
        // The current session of a scope that was not in memory is cleared like any other, and so are those that are marked
        // later.
        let meant = SessionWriter.condition(selection, table: "s.")
        try run(
            "DELETE FROM current WHERE EXISTS (SELECT 1 FROM session s WHERE s.row = current.session AND \(meant))",
            selection)
        // Of several in one commit, all together mark no more than one would.
        let soFar = report.marked.reduce(0) { $0 + $1.sessions + $1.logSessions }
        let most = max(1, SessionWriter.markedAtOnce - soFar)
        let rows = try doomed.rows(of: selection, limit: most)
        try mark(rows, by: nil, report: &report)
        // What is left of it is marked later, also by the next run.
        let isPartial = rows.count >= most
        report.marked[report.marked.count - 1].isPartial = isPartial
        try database.prepare(
            isPartial
                ? "INSERT OR REPLACE INTO meta(key, value) VALUES (?, '')" : "DELETE FROM meta WHERE key = ?"
        ).bind(1, StoreReader.clearPrefix + selection.packed).run()
    }

    /// Which sessions a selection means, as SQL.
    static func condition(_ selection: Selection, table: String = "") -> String {
        // What the daemon tells of clears is none of what is cleared.
        var conditions = ["\(table)removed = 0", "\(table)row <= ?1", "\(table)implicit < 3"]
        if selection.uid != nil { conditions.append("\(table)uid = ?2") }
        switch selection.target {
        case .all: break
        case .user: conditions.append("\(table)user IS ?3")
        case .session: conditions.append("\(table)id = ?4")
        }
        return conditions.joined(separator: " AND ")
    }

    private func bound(_ sql: String, _ selection: Selection) throws(StoreError) -> Statement {
        SessionWriter.bind(selection, to: try database.prepare(sql))
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

    /// Marks what a policy no longer keeps, or some of it.
    func retire(
        _ policy: RetentionPolicy, of scope: RetentionScope, now: Timestamp, report: inout CommitReport
    ) throws(StoreError) {
        let found = try doomed.rows(
            beyond: policy, of: scope, now: now, limit: SessionWriter.markedAtOnce,
            isCounted: !room.isEnough(for: policy, scope))
        room.note(found.live, for: policy, scope)
        var all = CommitReport.Marked()
        for rule in RetentionRule.allCases {
            guard let rows = found.rows[rule] else { continue }
            try mark(rows, by: rule, report: &report)
            all += report.marked[report.marked.count - 1]
        }
        all.isPartial = found.count >= SessionWriter.markedAtOnce
        report.marked[report.marked.count - 1] = all
    }

    /// So many sessions are marked with one piece of upkeep, as others wait for the transaction it is in.
    static let markedAtOnce = 1_000

    /// Marks sessions, and counts them and the events in them; those made for entries go unmentioned.
    ///
    /// - Parameter rule: the rule of retention that has them removed, which is counted for good; nil: none.
    func mark(_ rows: [Int64], by rule: RetentionRule?, report: inout CommitReport) throws(StoreError) {
        guard !rows.isEmpty else { return }
        let mark = try database.prepare(
            "UPDATE session SET removed = 1 WHERE row = ? AND removed = 0 RETURNING implicit")
        let events = try SessionSums.events(database)
        var marked = CommitReport.Marked()
        for row in rows {
            mark.reset()
            guard try mark.bind(1, row).step() else { continue }
            if mark.integer(0) >= 2 {
                marked.logSessions += 1
                continue
            }
            marked.sessions += 1
            marked.events += try events.of(row)
        }
        marked.isPartial = rows.count >= SessionWriter.markedAtOnce
        report.marked[report.marked.count - 1] = marked
        guard let rule else { return }
        try RuleRemovals.add(marked, by: rule, database)
        report.removedByRule[rule, default: CommitReport.Marked()] += marked
    }

    /// Deletes a marked session of which nothing else is left.
    func sweep(_ row: Int64) throws(StoreError) {
        try database.prepare("DELETE FROM session WHERE row = ? AND removed = 1").bind(1, row).run()
    }
}
