internal import HarkSystem

/// Rebuilds a damaged store from its readable data: into a new file, which then replaces the damaged one (`StoreSwap`).
/// Runs at start, while the store is not open.
struct StoreRebuild {
    private let path: String
    /// Whether pages are read even if their checksums are wrong.
    private let isTrusted: Bool

    init(_ path: String, isTrusted: Bool = false) {
        self.path = path
        self.isTrusted = isTrusted
    }

    /// - Throws: an error when nothing can be read; the store is then unchanged.
    func run() throws(StoreError) {
        let swap = StoreSwap(path)
        swap.removeDraft()
        let damaged: [String]
        do throws(StoreError) {
            damaged = try copy(to: swap.draft)
        } catch let first {
            do throws(StoreError) {
                guard first.isDamage, StoreHead(path).putBack() else { throw first }
                swap.removeDraft()
                damaged = try copy(to: swap.draft)
            } catch {
                swap.removeDraft()
                throw error
            }
        }
        try swap.swap()
        let lost = damaged.isEmpty ? "and nothing was lost" : "damaged: \(damaged.joined(separator: ", "))"
        Log.error("\(path) was rebuilt from everything that could be read; \(lost); the old file is \(swap.kept)")
    }

    /// - Returns: the tables that are incomplete.
    private func copy(to draft: String) throws(StoreError) -> [String] {
        let source = try Database(path: path, access: .write, isTrusted: isTrusted)
        guard try source.integer("PRAGMA application_id") == Schema.applicationId else {
            throw StoreError(
                .damaged, "\(path) is not a Hark store; move it aside, or give another state folder with --state")
        }
        // Makes the kept file complete without its log.
        _ = try? source.checkpoint(.truncate)
        let target = try Database(path: draft, access: .write)
        try Schema.prepare(target)
        try target.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; PRAGMA foreign_keys = OFF"
        )
        let version = try source.integer("PRAGMA user_version") ?? 0
        let tables = try TableCheck.tables(source)
        var damaged: [String] = []
        try target.transaction { () throws(StoreError) in
            try copyDefinitions(from: source, to: target)
            var pulse = Pulse()
            let lost = UnreadableRows()
            for table in tables {
                var copy = try TableCopy(table, from: source, to: target) { pulse.beat() }
                if try copy.run(DamageNotes(lost)) { continue }
                damaged.append(table)
                try note(table, rows: copy.rows, in: target)
            }
            if !damaged.isEmpty {
                try DerivedRows(source: source, target: target).putRight(damaged, of: tables)
                try StoreNotices.keep(lost.lost, in: target)
            }
            try target.execute(
                "PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = \(version)")
        }
        return damaged
    }

    private func copyDefinitions(from source: Database, to target: Database) throws(StoreError) {
        let all = try source.prepare(
            """
            SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
            ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid
            """)
        while try all.step() { try target.execute(all.text(0) ?? "") }
    }

    private func note(_ table: String, rows: Int, in target: Database) throws(StoreError) {
        let notice =
            "the table '\(table)' of the store was damaged and was rebuilt; \(rows) row\(rows == 1 ? "" : "s") of it could "
            + "be read, others may be lost: 'hark repair' restores what the archive tree has, and takes note"
        try StoreNotices.keep(table, notice, in: target)
    }

    /// Reports progress to the service manager at intervals.
    private struct Pulse {
        private static let every = 5_000_000
        private var count = 0
        private var next = 0

        mutating func beat() {
            count += 1
            guard count % 256 == 1, monotonicMicroseconds() >= next else { return }
            next = monotonicMicroseconds() + Pulse.every
            _ = try? ServiceManager.notify(.watchdog, .patience(seconds: 60))
        }
    }
}

/// Repairs tables whose rows derive from other tables.
private struct DerivedRows {
    let source: Database
    let target: Database

    /// - Parameter damaged: the tables with missing rows.
    func putRight(_ damaged: [String], of tables: [String]) throws(StoreError) {
        if !Set(damaged).isDisjoint(with: ["block", "session", "meta"]) { try skipNumbers() }
        if damaged.contains("stretch") { try target.execute("DELETE FROM stretch") }
        if tables.contains("tally"), !Set(damaged).isDisjoint(with: ["tally", "presentation"]) {
            try target.execute("DELETE FROM tally")
        }
        // Stores of earlier versions have an index instead.
        guard tables.contains("session_block"),
            !Set(damaged).isDisjoint(with: ["block", "session_block", "meta"])
        else { return }
        try target.execute(
            """
            DELETE FROM session_block;
            INSERT INTO session_block
            SELECT session, first, events FROM block WHERE first <= \(SessionIndex.last) ORDER BY session, first;
            INSERT OR REPLACE INTO meta(key, value)
            SELECT '\(SessionIndex.end)', max(0, coalesce(max(first), 0)) FROM block WHERE first <= \(SessionIndex.last);
            """)
    }

    /// The numbers to skip, so that none is assigned twice, however many the damage has hidden.
    private static let margin: Int64 = 1 << 20

    private func skipNumbers() throws(StoreError) {
        try skipNumbers(
            "lastSequence",
            [
                "SELECT max(last) FROM block", "SELECT max(last) FROM stretch", "SELECT max(cursor) FROM destination",
                "SELECT max(first) FROM session_block", "SELECT max(sequence) FROM producer",
                "SELECT value FROM meta WHERE key = 'lastSequence'",
            ])
        try skipNumbers(
            "lastSessionRow",
            [
                "SELECT max(row) FROM session", "SELECT max(session) FROM session_block",
                "SELECT max(session) FROM current", "SELECT max(session) FROM block",
                "SELECT value FROM meta WHERE key = 'lastSessionRow'",
            ])
    }

    private func skipNumbers(_ key: String, _ queries: [String]) throws(StoreError) {
        // Each file may hold readable values that the other lacks.
        let known = [source, target].flatMap { database in queries.compactMap { (try? database.integer($0)) ?? nil } }
        let highest = min(max(known.max() ?? 0, 0), Statement.largest - DerivedRows.margin)
        try target.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)")
            .bind(1, key).bind(2, highest + DerivedRows.margin).run()
    }
}
