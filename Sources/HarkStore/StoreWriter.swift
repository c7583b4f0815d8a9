internal import Glibc
internal import HarkCore
internal import HarkSystem
internal import HarkWire

/// Turns batches into transactions, and passes each family's rows to its writer. Runs on the writer's thread.
///
/// The writers named here have rows that occur by the thousand, or are called by others.
final class StoreWriter {
    let database: Database
    let sessions: SessionWriter
    let records: RecordWriter
    let surveys: SurveyWriter
    private let counters: CounterWriter
    private let producers: ProducerWriter
    /// All writers other than those of sessions and records; and below, the same by the type of their rows.
    let families: [any FamilyWriter]
    private let writers: [ObjectIdentifier: any FamilyWriter]
    private let setMeta: Statement
    private var files: StoreFiles
    private var reserve: StoreReserve
    /// The initial value is that of `Schema.open`.
    private var isSyncing = true
    /// When the first unsynced commit was made, in monotonic microseconds.
    private var unsyncedSince: Int?

    /// Opens or creates a store. A store that is too damaged to be used is rebuilt from its readable data.
    ///
    /// - Parameter unreadable: collects damage.
    static func open(
        path: String, families: [StoreFamily] = StoreFamily.all, unreadable: UnreadableRows = UnreadableRows()
    ) throws(StoreError) -> StoreWriter {
        let swap = StoreSwap(path)
        try swap.finish()
        if let cut = CutFile.fillUp(path) { unreadable.note(table: "", cut) }
        if StoreMark(path).isCopiedByOthers {
            Log.warning("\(path) was written by another program since harkd was killed: it is taken as it is")
            try StoreRebuild(path, isTrusted: true).run()
        }
        StoreMark(path).put()
        let isWanted = swap.isWanted
        // If the rebuild fails, the next start is an ordinary one.
        swap.forgetWish()
        if isWanted {
            do throws(StoreError) {
                try StoreRebuild(path).run()
            } catch {
                Log.error("the store could not be rebuilt: \(error.message)")
                swap.noteFailure()
            }
        }
        do throws(StoreError) {
            return try make(path: path, families: families, unreadable: unreadable)
        } catch {
            guard error.isDamage, !isWanted else { throw error }
            Log.error("\(error.message)")
        }
        try StoreRebuild(path).run()
        return try make(path: path, families: families, unreadable: unreadable)
    }

    /// Opens the store; on a full disk it uses the reserve, because the index of the log needs some room.
    private static func make(
        path: String, families: [StoreFamily], unreadable: UnreadableRows
    ) throws(StoreError) -> StoreWriter {
        do throws(StoreError) {
            return try StoreWriter(path: path, families: families, unreadable: unreadable)
        } catch {
            var reserve = StoreReserve(beside: path)
            guard error.code == .full, reserve.take(for: "the start") else { throw error }
            return try StoreWriter(path: path, families: families, unreadable: unreadable, reserve: reserve)
        }
    }

    init(
        path: String, families: [StoreFamily] = StoreFamily.all, unreadable: UnreadableRows = UnreadableRows(),
        reserve taken: StoreReserve? = nil
    ) throws(StoreError) {
        database = try Schema.open(path: path, families: families)
        try TableCheck.check(database)
        StoreHead(path).save(database)
        try StoreNotices.recall(database, unreadable)
        sessions = SessionWriter(database)
        records = try RecordWriter(database)
        surveys = SurveyWriter(database)
        counters = CounterWriter(database)
        producers = ProducerWriter(database)
        var made: [any FamilyWriter] = [surveys, counters, producers, RestoringWriter(database, records)]
        for family in families { if let writer = family.makeWriter(database) { made.append(writer) } }
        self.families = made
        writers = Dictionary(made.map { ($0.rowType, $0) }) { $1 }
        setMeta = try database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)")
        files = try StoreFiles(of: database)
        reserve = taken ?? StoreReserve(beside: path)
    }

    /// The last numbers used.
    func watermark() throws(StoreError) -> Engine.Watermark { try database.watermark() }

    /// The last run of the daemon that changed a counter.
    func lastRun() throws(StoreError) -> Int64 {
        try database.checked("lastRun", database.integer("SELECT value FROM meta WHERE key = 'lastRun'"))
    }

    /// - Parameter isCopying: whether the log is being copied into the file.
    func commit(_ batch: Batch, isCopying: Bool = false) -> Result<CommitReport, StoreError> {
        let makesRoom = batch.isMakingRoom || batch.changes.makesRoom
        // Until the reserve is restored, only removals and rows that may be lost in a power cut are written.
        if reserve.isTaken, !reserve.putBack(), batch.changes.needsSync, !makesRoom { return .failure(database.full) }
        let outcome = commitOnce(batch, isCopying: isCopying)
        guard case .failure(let error) = outcome, error.code == .full, makesRoom, reserve.take(for: "a removal") else {
            return sparing(outcome)
        }
        spare()
        return sparing(commitOnce(batch, isCopying: isCopying))
    }

    /// Until the reserve is restored, copies and restarts the log after each commit, so that it does not grow.
    private func sparing(_ outcome: Result<CommitReport, StoreError>) -> Result<CommitReport, StoreError> {
        if case .success = outcome, reserve.isTaken { spare() }
        return outcome
    }

    /// Makes the next commit restart the log, unless a reader still uses it.
    private func spare() {
        files.lengthsChange()
        _ = try? database.checkpoint(.passive)
    }

    /// Whether the reserve is in use.
    var isSparing: Bool { reserve.isTaken }

    /// The number of blocks that a commit may delete: deleted blocks are overwritten, which goes through the log.
    var mostBlocksSwept: Int { reserve.isTaken ? 2 : .max }

    private func commitOnce(_ batch: Batch, isCopying: Bool) -> Result<CommitReport, StoreError> {
        let start = monotonicMicroseconds()
        var report = CommitReport()
        report.isSynced =
            batch.changes.needsSync || unsyncedSince.map { start > $0 + StoreWriter.longestUnsynced } ?? false
        do {
            try files.check(database, isCopying: isCopying)
            try setSyncing(report.isSynced)
            try database.transaction { () throws(StoreError) in
                for family in families { family.begin(batch.changes.rows) }
                for row in batch.changes.rows { try write(row) }
                for family in families { try family.end() }
                for row in batch.changes.producers { try producers.put(row) }
                try records.write(batch.changes.records)
                try perform(batch.changes.upkeep, report: &report)
                if !report.sweptSessions.isEmpty || report.sweptEvents > 0 {
                    try remember(batch.watermark)
                }
            }
        } catch {
            records.end(isCommitted: false)
            return .failure(error)
        }
        records.end(isCommitted: true)
        unsyncedSince = report.isSynced ? nil : unsyncedSince ?? start
        do {
            // The commit only counts if the next start will find it.
            try files.check(database, isCopying: isCopying)
        } catch {
            return .failure(error)
        }
        if report.removes(batch.changes) { StoreSwap(database.path).removeKept() }
        report.microseconds = monotonicMicroseconds() - start
        return .success(report)
    }

    /// Whether there is work for `catchUp` besides that of a start.
    var isBehind: Bool { surveys.tallies.isDue && !isSparing }

    /// Stores the names of a part of the records that earlier runs left, and tallies of showings.
    ///
    /// - Returns: whether there may be more.
    func catchUp() throws(StoreError) -> Bool {
        var isMore = false
        do throws(StoreError) {
            // Not synced, because searches and counts also work without.
            try setSyncing(false)
            try database.transaction { () throws(StoreError) in
                isMore = try records.names.catchUp()
                if isSparing { surveys.tallies.giveUp() } else if !isMore { isMore = try surveys.tallies.catchUp() }
            }
        } catch {
            surveys.tallies.giveUp()
            throw error
        }
        return isMore
    }

    /// The longest time without a sync while unsynced commits are made, in microseconds.
    private static let longestUnsynced = 250_000

    /// With FULL, a commit waits until it and all earlier ones are on disk. With NORMAL it is written later, in order
    /// and as a whole: a crash of the daemon loses nothing, a power cut only the latest commits.
    private func setSyncing(_ wanted: Bool) throws(StoreError) {
        guard wanted != isSyncing else { return }
        try database.execute(wanted ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isSyncing = wanted
    }

    /// Numbers are never reused, even when the records with the highest ones are gone.
    private func remember(_ watermark: Engine.Watermark) throws(StoreError) {
        try setMeta.bind(1, "lastSequence").bind(2, Int64(watermark.lastSequence)).run()
        try setMeta.bind(1, "lastSessionRow").bind(2, watermark.lastSessionRow).run()
    }

    private func write(_ row: Changes.Row) throws(StoreError) {
        switch row {
        case .session(let row): try sessions.write(row)
        case .survey(let row): try surveys.write(row)
        case .counters(let row): try counters.write(row)
        case .other(let row):
            guard let writer = writers[ObjectIdentifier(type(of: row))] else {
                throw StoreError(.internal, "no family of this store takes a \(type(of: row)); please report this")
            }
            try writer.take(row)
        case .setMeta(let key, let value): try setMeta.bind(1, key).bind(2, value).run()
        }
    }

    /// Called when the log was, or is being, copied into the file.
    func logIsCopied() { files.lengthsChange() }

    /// Empties the write-ahead log: deleted content is overwritten in the file and gone from the log.
    func scrub() throws(StoreError) {
        files.lengthsChange()
        guard try database.checkpoint(.truncate) else {
            throw StoreError(
                .inputOutput, "\(database.path)-wal is in use and could not be emptied; Hark tries again by itself")
        }
        files.learnLengths()
        // Unallocated space is blanked in the file but not in cached pages, which would write it back.
        database.forgetPages()
        StoreHead(database.path).save(database)
    }
}

extension CommitReport {
    /// Whether the commit removed data that a kept damaged file may still hold.
    fileprivate func removes(_ changes: Changes) -> Bool {
        marked.contains(where: \.isAny) || !sweptSessions.isEmpty
            || changes.upkeep.contains { if case .remove = $0 { true } else { false } }
    }
}

func monotonicMicroseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int(now.tv_sec) * 1_000_000 + Int(now.tv_nsec) / 1_000
}
