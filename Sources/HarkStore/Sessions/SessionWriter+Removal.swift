internal import HarkCore
internal import HarkWire

/// Removal of sessions: they are first marked, which hides them from every reader at once, and deleted later.
extension SessionWriter {
    /// Marks the sessions of a selection, or some of them.
    func mark(_ selection: Selection, report: inout CommitReport) throws(StoreError) {
        // Also clears current sessions of scopes that were not in memory, and those of sessions marked later.
        let meant = SessionWriter.condition(selection, table: "s.")
        try run(
            "DELETE FROM current WHERE EXISTS (SELECT 1 FROM session s WHERE s.row = current.session AND \(meant))",
            selection)
        // Several removals in one commit share the limit of one.
        let soFar = report.marked.reduce(0) { $0 + $1.sessions + $1.logSessions }
        let most = max(1, SessionWriter.markedAtOnce - soFar)
        let rows = try doomed.rows(of: selection, limit: most)
        try mark(rows, by: nil, report: &report)
        // The rest is marked later, if need be by the next run.
        let isPartial = rows.count >= most
        report.marked[report.marked.count - 1].isPartial = isPartial
        try database.prepare(
            isPartial
                ? "INSERT OR REPLACE INTO meta(key, value) VALUES (?, '')" : "DELETE FROM meta WHERE key = ?"
        ).bind(1, StoreReader.clearPrefix + selection.packed).run()
    }

    /// The SQL condition for the sessions of a selection.
    static func condition(_ selection: Selection, table: String = "") -> String {
        // Excludes sessions with notices of clears.
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

    /// Binds the parameters of `condition`.
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

    /// Marks the sessions that a policy no longer keeps, or some of them.
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

    /// The number of sessions marked at a time, because other clients wait for the transaction.
    static let markedAtOnce = 1_000

    /// Marks sessions, and counts them and their events; sessions made for entries are counted apart.
    ///
    /// - Parameter rule: the rule of retention that removes them, for the permanent count; nil for none.
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

    /// Deletes a marked session that has no other data left.
    func sweep(_ row: Int64) throws(StoreError) {
        try database.prepare("DELETE FROM session WHERE row = ? AND removed = 1").bind(1, row).run()
    }
}
