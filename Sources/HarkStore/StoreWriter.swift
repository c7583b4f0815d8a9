internal import Glibc
internal import HarkCore
internal import HarkWire

/// Turns batches into transactions. Lives on the writer's thread.
final class StoreWriter {
    let database: Database
    private let insertSession: Statement
    private let endSession: Statement
    private let setCurrent: Statement
    private let clearCurrent: Statement
    private let setDestination: Statement
    private let insertBlock: Statement
    private let setMeta: Statement
    let surveys: SurveyWriter
    let deadLetters: DeadLetterWriter
    private let forms: FormWriter
    private let counters: CounterWriter
    private let producers: ProducerWriter
    let doomed: DoomedSessions
    var sessionRoom = SessionRoom()
    /// As `Schema.open` leaves it.
    private var isSyncing = true
    /// When the first of what was committed without a sync came, in monotonic microseconds.
    private var unsyncedSince: Int?

    init(path: String) throws(StoreError) {
        database = try Schema.open(path: path)
        insertSession = try database.prepare(
            """
            INSERT INTO session(row, id, uid, app, user, started, ended, implicit, metadata)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        endSession = try database.prepare("UPDATE session SET ended = ? WHERE row = ?")
        setCurrent = try database.prepare("INSERT OR REPLACE INTO current(uid, app, session) VALUES (?, ?, ?)")
        clearCurrent = try database.prepare("DELETE FROM current WHERE uid = ? AND app = ?")
        setDestination = try database.prepare(
            "INSERT OR REPLACE INTO destination(name, cursor, state) VALUES (?, ?, ?)")
        insertBlock = try database.prepare(
            """
            INSERT INTO block(first, last, batch, session, events, earliest, latest, checksum, data)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        setMeta = try database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)")
        surveys = try SurveyWriter(database)
        deadLetters = DeadLetterWriter(database)
        forms = try FormWriter(database)
        counters = CounterWriter(database)
        producers = try ProducerWriter(database)
        doomed = DoomedSessions(database)
    }

    /// Where the numbers stand: the newest of what is stored and what was remembered when the newest was deleted.
    func watermark() throws(StoreError) -> Engine.Watermark {
        let sequence = try database.integer(
            """
            SELECT max(coalesce((SELECT max(last) FROM block
                                 WHERE first >= (SELECT batch FROM block ORDER BY first DESC LIMIT 1)), 0),
                       coalesce((SELECT value FROM meta WHERE key = 'lastSequence'), 0))
            """)
        let row = try database.integer(
            """
            SELECT max(coalesce((SELECT max(row) FROM session), 0),
                       coalesce((SELECT value FROM meta WHERE key = 'lastSessionRow'), 0))
            """)
        return Engine.Watermark(
            lastSequence: UInt64(try StoreWriter.checked("lastSequence", sequence)),
            lastSessionRow: try StoreWriter.checked("lastSessionRow", row))
    }

    /// The newest run of the daemon that has counted something.
    func lastRun() throws(StoreError) -> Int64 {
        try StoreWriter.checked(
            "lastRun", database.integer("SELECT value FROM meta WHERE key = 'lastRun'"))
    }

    /// A number that is counted on from; 0 if there is none yet.
    private static func checked(_ name: String, _ number: Int64?) throws(StoreError) -> Int64 {
        let range = 0...Statement.largest
        guard let number else { return 0 }
        guard range.contains(number) else { throw StoreError.outOfRange(name, number, in: range) }
        return number
    }

    func commit(_ batch: Batch) -> Result<CommitReport, StoreError> {
        let start = monotonicMicroseconds()
        var report = CommitReport()
        report.isSynced =
            batch.changes.needsSync || unsyncedSince.map { start > $0 + StoreWriter.longestUnsynced } ?? false
        do {
            try setSyncing(report.isSynced)
            try database.transaction { () throws(StoreError) in
                counters.executions.begin(batch.changes.rows)
                for row in batch.changes.rows { try write(row) }
                try counters.executions.end()
                for row in batch.changes.producers { try producers.put(row) }
                try write(batch.changes.records)
                try perform(batch.changes.upkeep, report: &report)
                if !report.sweptSessions.isEmpty || report.sweptEvents > 0 {
                    try remember(batch.watermark)
                }
            }
        } catch {
            return .failure(error)
        }
        unsyncedSince = report.isSynced ? nil : unsyncedSince ?? start
        report.microseconds = monotonicMicroseconds() - start
        return .success(report)
    }

    /// While more and more comes that is not worth a sync, one is due after so many microseconds.
    private static let longestUnsynced = 250_000

    /// With FULL, a commit waits for the disk, and with it all those before. With NORMAL it is written, in the same order
    /// and as whole, when it suits the kernel: a crash of ours takes nothing back, a power cut only from the end.
    private func setSyncing(_ wanted: Bool) throws(StoreError) {
        guard wanted != isSyncing else { return }
        try database.execute(wanted ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isSyncing = wanted
    }

    /// Numbers are never used twice, even when the records that bore the highest are gone.
    private func remember(_ watermark: Engine.Watermark) throws(StoreError) {
        try setMeta.bind(1, "lastSequence").bind(2, Int64(watermark.lastSequence)).run()
        try setMeta.bind(1, "lastSessionRow").bind(2, watermark.lastSessionRow).run()
    }

    private func write(_ row: Changes.Row) throws(StoreError) {
        switch row {
        case .insertSession(let session):
            let identity = session.identity
            sessionRoom.take(identity)
            try insertSession.bind(1, identity.row).bind(2, identity.id.rawBytes)
                .bind(3, Int64(identity.scope.uid)).bind(4, identity.scope.app).bind(5, identity.userId)
                .bind(6, identity.startedAt.milliseconds).bind(7, session.endedAt?.milliseconds)
                .bind(8, identity.isForLogs ? 2 : identity.isImplicit ? 1 : 0).bind(9, identity.metadata.bytes).run()
        case .endSession(let row, let at):
            try endSession.bind(1, at.milliseconds).bind(2, row).run()
        case .setCurrent(let scope, let row?):
            try setCurrent.bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, row).run()
        case .setCurrent(let scope, nil):
            try clearCurrent.bind(1, Int64(scope.uid)).bind(2, scope.app).run()
        case .putPresentation(let presentation):
            try surveys.put(presentation)
        case .putGating(let gating, let survey, let user):
            try surveys.put(gating, of: survey, user)
        case .removeSurveyState(let selection, _):
            try surveys.remove(selection)
        case .setDestination(let name, let cursor, let state):
            try setDestination.bind(1, name).bind(2, Int64(cursor)).bind(3, state.bytes).run()
        case .setMeta(let key, let value):
            try setMeta.bind(1, key).bind(2, value).run()
        case .putDeadLetters(let letters):
            for letter in letters { try deadLetters.put(letter) }
        case .trimDeadLetters(let destination, let keep):
            try deadLetters.trim(destination, keep: keep)
        case .removeDeadLetters(let destination, let sequences):
            try deadLetters.remove(destination, sequences)
        case .replayDeadLetters(let destination, let sequences):
            try deadLetters.replay(destination, sequences)
        case .removeUnreadable(let rows):
            for row in rows { try remove(row) }
        case .form(let row):
            try forms.write(row)
        case .counters(let row):
            try counters.write(row)
        case .removeProducers(let uid):
            try producers.remove(uid: uid)
        case .trimProducers(let uid, let keep):
            try producers.trim(uid: uid, keep: keep)
        }
    }

    private func write(_ records: [Record]) throws(StoreError) {
        guard let first = records.first else { return }
        var open: [Int64: OpenBlock] = [:]
        // Most records follow one of the same session: that block is at hand without a look-up.
        var current = OpenBlock(session: first.session)
        for record in records {
            if record.session.row != current.builder.session.row {
                open[current.builder.session.row] = current
                current = open[record.session.row] ?? OpenBlock(session: record.session)
            }
            current.append(record)
            if current.builder.isFull {
                try insert(current, batch: first.sequence)
                current = OpenBlock(session: record.session)
                open[record.session.row] = nil
            }
        }
        open[current.builder.session.row] = current
        for block in open.values where block.builder.count > 0 {
            try insert(block, batch: first.sequence)
        }
    }

    private struct OpenBlock {
        var builder: BlockBuilder
        var events = 0

        init(session: SessionIdentity) { builder = BlockBuilder(session: session) }

        mutating func append(_ record: Record) {
            builder.append(record)
            if record.kind == .event { events += 1 }
        }
    }

    private func insert(_ block: OpenBlock, batch: UInt64) throws(StoreError) {
        let builder = block.builder
        try insertBlock.bind(1, Int64(builder.firstSequence)).bind(2, Int64(builder.lastSequence))
            .bind(3, Int64(batch)).bind(4, builder.session.row).bind(5, Int64(block.events))
            .bind(6, builder.earliest.milliseconds).bind(7, builder.latest.milliseconds)
            .bind(8, Int64(bitPattern: builder.bytes.withUnsafeBytes(Checksum.of))).bind(9, builder.bytes).run()
    }

    /// Empties the write-ahead log: deleted content is overwritten in the file and gone from the log.
    func scrub() throws(StoreError) {
        guard try database.checkpoint(.truncate) else {
            throw StoreError(
                .inputOutput, "\(database.path)-wal is in use and could not be emptied; Hark tries again by itself")
        }
        // Those in the file have been blanked where nothing is allocated; those at hand have not, and would bring it back.
        database.forgetPages()
    }
}

func monotonicMicroseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int(now.tv_sec) * 1_000_000 + Int(now.tv_nsec) / 1_000
}
