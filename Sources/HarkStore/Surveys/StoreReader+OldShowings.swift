package import HarkCore
package import HarkWire

/// Closed showings that retention removes.
extension StoreReader {
    /// The rows of closed showings that are too old, and of the oldest ones while the store is too large; oldest first,
    /// at most `limit` per rule.
    package func showings(
        beyond retention: ShowingRetention, limit: Int
    ) throws(StoreError) -> [RetentionRule: [Int64]] {
        var found: [RetentionRule: [Int64]] = [:]
        found[.age] = try oldShowings(retention, limit: limit)
        found[.size] = try surplusShowings(retention, besides: Set(found[.age] ?? []), limit: limit)
        return found.filter { !$0.value.isEmpty }
    }

    private func oldShowings(_ retention: ShowingRetention, limit: Int) throws(StoreError) -> [Int64] {
        let ofUid = retention.uid == nil ? "" : " AND uid = ?2"
        var rows: [Int64] = []
        if let cutoff = retention.cutoff {
            let statement = try database.prepare(
                "SELECT row, survey FROM presentation WHERE state >= 3 AND closed < ?1\(ofUid) ORDER BY closed, row"
            ).bind(1, cutoff.milliseconds)
            if let uid = retention.uid { statement.bind(2, Int64(uid)) }
            while rows.count < limit, try statement.step() {
                if retention.ownCutoffs[ExactName(statement.text(1) ?? "")] == nil { rows.append(statement.integer(0)) }
            }
        }
        for (survey, cutoff) in retention.ownCutoffs {
            let statement = try database.prepare(
                "SELECT row FROM presentation WHERE survey = ?3 AND state >= 3 AND closed < ?1\(ofUid)"
            ).bind(1, cutoff.milliseconds).bind(3, survey.text)
            if let uid = retention.uid { statement.bind(2, Int64(uid)) }
            while rows.count < limit, try statement.step() { rows.append(statement.integer(0)) }
        }
        return rows
    }

    /// At most `limit` rows of closed showings whose free texts are no longer kept, and the number of these texts.
    package func texts(
        beyond retention: ShowingRetention, limit: Int
    ) throws(StoreError) -> (rows: [Int64], texts: Int) {
        var found: (rows: [Int64], texts: Int) = ([], 0)
        for (survey, cutoff) in retention.textCutoffs {
            let statement = try database.prepare(
                """
                SELECT row, answers FROM presentation WHERE survey = ?3 AND state >= 3 AND closed < ?1 AND redacted = 0
                    \(retention.uid == nil ? "" : "AND uid = ?2")
                """
            ).bind(1, cutoff.milliseconds).bind(3, survey.text)
            if let uid = retention.uid { statement.bind(2, Int64(uid)) }
            while found.rows.count < limit, try statement.step() {
                found.rows.append(statement.integer(0))
                found.texts += statement.withBytes(1) { Answers(packed: $0) }.freeTexts.count
            }
        }
        return found
    }

    /// Showings whose texts were removed from the store but not from files yet: their rows, and their sessions that
    /// still exist.
    package func redacted(limit: Int) throws(StoreError) -> (rows: [Int64], sessions: [SessionIdentity]) {
        let statement = try database.prepare(
            """
            SELECT row, coalesce(session, origin) FROM presentation INDEXED BY presentation_redacted WHERE redacted = 1 LIMIT ?
            """
        ).bind(1, Int64(limit))
        var rows: [Int64] = []
        var sessions: [Identifier: SessionIdentity] = [:]
        while try statement.step() {
            rows.append(statement.integer(0))
            guard let id = statement.withBytes(1, { Identifier(raw: $0) }), sessions[id] == nil else { continue }
            sessions[id] = try session(id: id)?.identity
        }
        return (rows, Array(sessions.values))
    }

    private func surplusShowings(
        _ retention: ShowingRetention, besides gone: Set<Int64>, limit: Int
    ) throws(StoreError) -> [Int64] {
        guard retention.excess > 0 else { return [] }
        let statement = try database.prepare(
            """
            SELECT row, uid, length(answers) + length(shown) + coalesce(length(definition), 0) + ifnull(length(trigger), 0)
                + ifnull(length(given), 0) + 200
            FROM presentation WHERE state >= 3 ORDER BY closed, row
            """)
        var excess = retention.excess
        var rows: [Int64] = []
        while excess > 0, rows.count < limit, try statement.step() {
            excess -= statement.integer(2)
            let row = statement.integer(0)
            let isMeant = retention.uid.map { Int64($0) == statement.integer(1) } ?? true
            if isMeant, !gone.contains(row) { rows.append(row) }
        }
        return rows
    }
}

/// The counts removed by rules of retention since the store was created, kept in the table `meta`.
enum RuleRemovals {
    private static let prefix = "retired:"

    static func add(_ removed: CommitReport.Marked, by rule: RetentionRule, _ database: Database) throws(StoreError) {
        for (kind, count) in [
            ("sessions", removed.sessions), ("events", removed.events), ("showings", removed.showings),
            ("texts", removed.texts),
        ] where count > 0 {
            try database.prepare(
                "INSERT INTO meta(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = value + ?2"
            ).bind(1, "\(prefix)\(rule.rawValue):\(kind)").bind(2, Int64(count)).run()
        }
    }

    static func read(_ database: Database) throws(StoreError) -> [RetentionRule: CommitReport.Marked] {
        let value = try database.prepare("SELECT value FROM meta WHERE key = ?")
        func count(_ rule: RetentionRule, _ kind: String) throws(StoreError) -> Int {
            defer { value.reset() }
            return try value.bind(1, "\(prefix)\(rule.rawValue):\(kind)").step() ? value.tally(0) : 0
        }
        var removed: [RetentionRule: CommitReport.Marked] = [:]
        for rule in RetentionRule.allCases {
            var marked = CommitReport.Marked()
            marked.sessions = try count(rule, "sessions")
            marked.events = try count(rule, "events")
            marked.showings = try count(rule, "showings")
            marked.texts = try count(rule, "texts")
            removed[rule] = marked
        }
        return removed
    }
}
