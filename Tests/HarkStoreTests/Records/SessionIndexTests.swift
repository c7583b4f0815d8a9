import CSQLite
import Glibc
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// The blocks of a session are found by entries that are written for many commits at once, and among blocks without entries.
@Suite struct SessionIndexTests {
    private static func entries(_ store: StoreUnderTest) throws -> Int64 {
        try store.writer.database.integer("SELECT count(*) FROM session_block") ?? 0
    }

    @Test("entries are written for many commits at once, of fewer sessions for fewer")
    func gathered() throws {
        let store = try StoreUnderTest()
        let sessions = try (0..<10).map { try store.add("user-\($0)", events: 0) }
        #expect(try Self.entries(store) == 0)
        var written: [Int64] = []
        for number in 0..<300 {
            try store.commit(records: [store.makeRecord(sessions[number % 10])])
            if try Self.entries(store) != written.last ?? 0 { written.append(try Self.entries(store)) }
        }
        // Eight for each of ten sessions, before the next is written.
        #expect(written == [80, 160, 240])
        for _ in 0..<200 { try store.commit(records: [store.makeRecord(sessions[0])]) }
        // The blocks without entries at first, and then 32 of one session.
        #expect(try Self.entries(store) == 480)
        #expect(
            try store.writer.database.integer("SELECT value FROM meta WHERE key = 'blocksBySession'")
                == store.writer.database.integer("SELECT max(first) FROM session_block"))
    }

    @Test("whatever was stored, refused, removed and indexed, each session has what a walk through the log finds")
    func random() throws {
        for seed: UInt64 in 1...4 {
            var random = SplitMix64(state: seed)
            let store = try StoreUnderTest()
            var open: [SessionIdentity] = []
            for _ in 0..<150 {
                switch random.below(12) {
                // With few sessions, entries are written often.
                case 0 where open.count < 3, 1 where open.count < 3:
                    open.append(try store.add(random.pick(["a", "b", nil]), events: random.below(3)))
                case 2: try store.reopen()
                case 3: try Self.refuse(store, open)
                case 4:
                    guard let session = open.randomElement(using: &random) else { break }
                    try store.commit(
                        upkeep: [.remove(Selection(target: .session(session.id), uid: 1000, upToRow: .max))])
                    open.removeAll { $0.row == session.row }
                case 5: try store.sweep(maxBlocks: 1 + random.below(40))
                default:
                    if open.isEmpty { break }
                    let some = (0..<3).map { _ in random.pick(open) }
                    for _ in 0..<random.below(30) {
                        // A commit of many records has several blocks for a session, which are not written in their order.
                        let isLong = random.once(in: 40)
                        let records = (0..<(isLong ? 1_200 : 1 + random.below(9))).map { _ in
                            store.makeRecord(isLong ? random.pick(some) : random.pick(open))
                        }
                        try store.commit(records: records)
                    }
                }
                if random.once(in: 3) { try Self.check(store, open) }
            }
            #expect(try Self.entries(store) > 100)
        }
    }

    @Test("blocks that come in another order than they have in the log are found once, and swept to the last")
    func unordered() throws {
        let store = try StoreUnderTest()
        let (long, short) = (try store.add("long", events: 0), try store.add("short", events: 0))
        var known: Int64 = 0
        for _ in 0..<90 {
            let first = (0..<BlockBuilder.maxRecords).map { _ in store.makeRecord(long) }
            let between = store.makeRecord(short)
            try store.commit(records: first + [between] + (0..<3).map { _ in store.makeRecord(long) })
            // Each time that some have got entries.
            if try Self.entries(store) != known { try Self.check(store, [long, short]) }
            known = try Self.entries(store)
        }
        #expect(known > 200)
        try store.commit(upkeep: [.remove(Selection(target: .session(long.id), uid: 1000, upToRow: .max))])
        let reports = try store.sweep(maxBlocks: 7)
        #expect(reports.map(\.sweptEvents).reduce(0, +) == 90 * (BlockBuilder.maxRecords + 3))
        #expect(try store.writer.database.integer("SELECT count(*) FROM block WHERE session <> \(short.row)") == 0)
        try Self.check(store, [short])
    }

    @Test("a session goes behind its last block only, wherever an entry says that there are more than there are")
    func repeated() throws {
        let store = try StoreUnderTest()
        let session = try store.add("ada", events: 0)
        for _ in 0..<73 { try store.commit(records: [store.makeRecord(session)]) }
        // As if somebody had changed the file.
        try store.writer.database.execute("UPDATE meta SET value = value - 1 WHERE key = 'blocksBySession'")
        try store.commit(upkeep: [.remove(Selection(target: .session(session.id), uid: 1000, upToRow: .max))])
        for most in [67, 40, 32] {
            try store.commit(upkeep: [.sweep(sessionRow: session.row, maxBlocks: most)])
            let blocks = try store.writer.database.integer("SELECT count(*) FROM block") ?? 0
            let sessions = try store.writer.database.integer("SELECT count(*) FROM session") ?? 0
            #expect(sessions == (blocks > 0 ? 1 : 0))
        }
    }

    @Test("entries are written sooner where blocks are large, also of those that an earlier run left")
    func large() throws {
        let store = try StoreUnderTest()
        let sessions = try (0..<20).map { try store.add("user-\($0)", events: 0) }
        let text = Properties([("text", .string(String(repeating: "a", count: 60_000)))])
        // 8 MiB of them, and one more that finds them there.
        let enough = (8 << 20) / 60_000
        for number in 0..<enough / 2 {
            try store.commit(records: [store.makeRecord(sessions[number % 20], properties: text)])
        }
        try store.reopen()
        for number in 0..<enough / 2 {
            try store.commit(records: [store.makeRecord(sessions[number % 20], properties: text)])
        }
        #expect(try Self.entries(store) == 0)
        for number in 0..<4 { try store.commit(records: [store.makeRecord(sessions[number], properties: text)]) }
        #expect(try Self.entries(store) > enough)
    }

    @Test("a sweep of many sessions has entries written first, so that each is not looked for among all new blocks")
    func swept() throws {
        let store = try StoreUnderTest()
        let sessions = try (0..<40).map { try store.add("user-\($0)", events: 1) }
        #expect(try Self.entries(store) == 0)
        try store.commit(upkeep: [.remove(Selection(target: .session(sessions[7].id), uid: 1000, upToRow: .max))])
        // As many blocks as are searched anyway stay without entries.
        try store.sweep(maxBlocks: 40)
        #expect(try Self.entries(store) == 39)
        try Self.check(store, sessions.filter { $0.row != sessions[7].row })
    }

    /// A commit that the store refuses after it has written the records, and entries where those are due.
    private static func refuse(_ store: StoreUnderTest, _ open: [SessionIdentity]) throws {
        guard let session = open.first else { return }
        try store.writer.database.execute(
            "CREATE TRIGGER refusing BEFORE UPDATE ON session BEGIN SELECT raise(ABORT, 'no'); END")
        let before = store.watermark
        let record = store.makeRecord(session)
        #expect(throws: StoreError.self) {
            try store.commit(
                records: [record],
                upkeep: [.remove(Selection(target: .session(session.id), uid: 1000, upToRow: .max))])
        }
        store.watermark = before
        try store.writer.database.execute("DROP TRIGGER refusing")
    }

    private static func check(_ store: StoreUnderTest, _ open: [SessionIdentity]) throws {
        var all = RecordQuery(limit: .max)
        all.kinds = .all
        var sequences: [Int64: [UInt64]] = [:]
        var events: [Int64: Int] = [:]
        _ = try store.reader.forEachRecord(all) { session, record in
            sequences[session.row, default: []].append(record.sequence)
            if record.kind == .event { events[session.row, default: 0] += 1 }
            return true
        }
        for session in open {
            var query = all
            query.session = session.id
            let own = sequences[session.row] ?? []
            query.limit = max(7, own.count / 20)
            #expect(try store.walk(query).sequences == own)
            query.descending = true
            #expect(try store.walk(query).sequences == own.reversed())
            #expect(try store.reader.eventCount(ofSession: session.row) == events[session.row] ?? 0)
        }
        let listed = try store.reader.sessions(SessionQuery(limit: 1_000)).sessions
        #expect(listed.map(\.session.identity.row).sorted() == open.map(\.row).sorted())
        for (session, count) in listed { #expect(count == events[session.identity.row] ?? 0) }
        #expect(try store.reader.preview(open.map(\.row)).events == events.values.reduce(0, +))
        let (sums, blocks) = (
            try SessionSums.bytes(store.reader.database),
            try store.reader.database.integer("SELECT sum(length(data) + 48) FROM block") ?? 0
        )
        let withBlocks = try store.reader.database.prepare("SELECT DISTINCT session FROM block")
        var bytes = 0
        while try withBlocks.step() { bytes += try sums.of(withBlocks.integer(0)) }
        #expect(bytes == blocks)
        #expect(
            try store.reader.totals().events
                == Int(store.reader.database.integer("SELECT sum(events) FROM block") ?? 0))
    }

    @Test(
        "whoever looks for a session or a user sorts nothing, and passes over the blocks of others",
        arguments: [false, true])
    func plans(_ descending: Bool) throws {
        let store = try StoreUnderTest()
        let (own, other) = (try store.add("ada", events: 0), try store.add("bob", events: 0))
        for number in 0..<2_000 {
            try store.commit(records: [store.makeRecord(number % 100 == 0 ? own : other)])
        }
        var query = RecordQuery(limit: 10)
        query.descending = descending
        query.session = own.id
        try Self.expectLittleWork(try store.reader.blocks(of: query, nil).row)
        query.session = nil
        query.user = .user("ada")
        query.uid = 1000
        try Self.expectLittleWork(try store.reader.blocks(of: query, nil).row)
    }

    private static func expectLittleWork(_ blocks: Statement) throws {
        blocks.bind(1, 0).bind(5, .max)
        var count = 0
        while try blocks.step() { count += 1 }
        #expect(count == 21)
        #expect(sqlite3_stmt_status(blocks.handle, SQLITE_STMTSTATUS_SORT, 0) == 0)
        #expect(sqlite3_stmt_status(blocks.handle, SQLITE_STMTSTATUS_AUTOINDEX, 0) == 0)
        #expect(sqlite3_stmt_status(blocks.handle, SQLITE_STMTSTATUS_VM_STEP, 0) < 2_000)
    }

    @Test("what a policy asks of a user at each start of a session goes past the newest blocks")
    func policies() throws {
        let store = try StoreUnderTest()
        for number in 0..<400 { try store.add("user-\(number)", startedAt: 1, endedAt: 2) }
        #expect(try Self.entries(store) == 0)
        let policy = RetentionPolicy(maxAgeDays: 1, maxSessionsPerUser: 3)
        let now = Timestamp(milliseconds: 100)
        func steps(_ scope: RetentionScope) throws -> Int {
            var (count, found) = (0, [Int64]())
            let handle = store.reader.database.handle
            try withUnsafeMutablePointer(to: &count) { count in
                sqlite3_progress_handler(
                    handle, 10,
                    { count in
                        count?.assumingMemoryBound(to: Int.self).pointee += 10
                        return 0
                    }, count)
                defer { sqlite3_progress_handler(handle, 0, nil, nil) }
                found = try store.reader.sessions(beyond: policy, of: scope, now: now).rows.values.flatMap { $0 }
            }
            #expect(found.isEmpty)
            return count
        }
        #expect(try steps(.user(uid: 1000, userId: "user-7")) < 500)
        // And once for all sessions, not for each.
        #expect(try steps(.everybody) < 400 * 100)
    }

    @Test("a store of version 15 has entries for all blocks, and can let go of sessions")
    func migration() throws {
        let source = try StoreUnderTest()
        let (kept, gone) = (try source.add("kept", events: 0), try source.add("gone", events: 0))
        for number in 0..<100 { try source.commit(records: [source.makeRecord(number % 2 == 0 ? kept : gone)]) }
        let store = try StoreUnderTest()
        store.watermark = source.watermark
        try Self.setBack(store.path, toVersion: 15, with: source.path)
        try store.reopen()
        #expect(try store.writer.database.integer("SELECT count(*) FROM pragma_foreign_key_list('block')") == 0)
        let integrity = try store.writer.database.prepare("PRAGMA integrity_check")
        #expect(try integrity.step())
        #expect(integrity.text(0) == "ok")
        integrity.reset()
        #expect(try Self.entries(store) == 102)
        var query = RecordQuery(limit: 7)
        query.session = kept.id
        for _ in 0..<40 { try store.commit(records: [store.makeRecord(kept)]) }
        #expect(try store.walk(query).sequences.count == 90)
        try store.commit(upkeep: [.remove(Selection(target: .session(gone.id), uid: 1000, upToRow: .max))])
        try store.sweep(maxBlocks: 9)
        #expect(try store.writer.database.integer("SELECT count(*) FROM session") == 1)
        #expect(try store.writer.database.integer("SELECT count(*) FROM block") == 91)
        #expect(try store.walk(query).sequences.count == 90)
    }

    @Test(
        "numbers that cannot be, as somebody wrote them into a store of version 15, refuse no start, and nothing comes twice"
    )
    func migrationOfOthers() throws {
        let source = try StoreUnderTest()
        let session = try source.add("ada", events: 5)
        for (first, last) in [(Int64.max, 5), (1 << 62 + 5, 5), (0, 0), (-7, 3)] {
            try source.writer.database.execute(
                """
                INSERT INTO block(first, last, batch, session, events, earliest, latest, checksum, data)
                SELECT \(first), \(last), 1, session, events, earliest, latest, checksum, data FROM block WHERE first = 1
                """)
        }
        let store = try StoreUnderTest()
        try Self.setBack(store.path, toVersion: 15, with: source.path)
        let before = try source.writer.watermark().lastSequence
        try store.reopen()
        #expect(try store.writer.watermark().lastSequence == before)
        #expect(
            try store.writer.database.integer("SELECT count(*) FROM block_of_session WHERE session = \(session.row)")
                == 5)
    }

    /// Makes the file one of an earlier version, with the sessions and blocks of another.
    private static func setBack(_ path: String, toVersion version: Int, with source: String) throws {
        for end in ["", "-wal", "-shm"] { unlink(path + end) }
        let old = try Database(path: path, access: .write)
        try old.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for migration in Schema.migrations(of: StoreFamily.all)[..<version] { try old.execute(migration) }
        try old.execute(
            """
            PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = \(version);
            ATTACH '\(source)' AS source;
            INSERT INTO session SELECT * FROM source.session;
            INSERT INTO block SELECT * FROM source.block;
            """)
    }
}
