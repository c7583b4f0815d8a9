import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Searches for names use stretches of the log, and skip the records in them.
@Suite struct NameStretchTests {
    /// Many commits of one record each, one of them with another name. The rest of a stretch is made unreadable, so that a search
    /// in it fails.
    private static func unreadable(_ name: String = "rare") throws -> (store: StoreUnderTest, rare: UInt64) {
        let store = try StoreUnderTest()
        let session = try store.add("ada", events: 0)
        var rare: UInt64 = 0
        for number in 0..<700 {
            let record = store.makeRecord(session, number == 300 ? name : "common", at: Int64(number))
            if number == 300 { rare = record.sequence }
            try store.commit(records: [record])
        }
        return (store, rare)
    }

    private static func damage(_ store: StoreUnderTest, but rare: UInt64) throws {
        try store.writer.database.execute(
            """
            UPDATE block SET checksum = checksum + 1
            WHERE first <> \(rare) AND EXISTS (SELECT 1 FROM stretch s WHERE block.first BETWEEN s.first AND s.last)
            """)
    }

    private static func query(_ name: String, descending: Bool = false) -> RecordQuery {
        var query = RecordQuery(limit: 10)
        query.name = NamePattern(name)
        query.descending = descending
        return query
    }

    @Test("a rare name is found without a look at what is called otherwise", arguments: [false, true])
    func rare(_ descending: Bool) throws {
        let (store, rare) = try Self.unreadable()
        try Self.damage(store, but: rare)
        for name in ["rare", "ra*", "*r*r*"] {
            #expect(try store.walk(Self.query(name, descending: descending)).sequences == [rare])
        }
        #expect(try store.walk(Self.query("nothing", descending: descending)).sequences == [])
        #expect(store.reader.takeMetDamage()?.text == nil)
        _ = try store.walk(Self.query("common", descending: descending))
        #expect(store.reader.takeMetDamage()?.text != nil)
        for query in [\RecordQuery.user, nil] as [WritableKeyPath<RecordQuery, UserFilter?>?] {
            var own = Self.query("rare", descending: descending)
            if let query { own[keyPath: query] = .user("ada") } else { own.session = store.sessions[0].id }
            #expect(try store.walk(own).sequences == [rare])
            #expect(store.reader.takeMetDamage()?.text == nil)
        }
    }

    @Test("what is of a rare kind or time is found without a look at the rest")
    func kindsAndTimes() throws {
        let (store, rare) = try Self.unreadable()
        let log = store.makeRecord(store.sessions[0], "error", kind: .log, at: 5_000)
        try store.commit(records: [log])
        // So that it comes into a stretch.
        for _ in 0..<300 { try store.commit(records: [store.makeRecord(store.sessions[0], "common")]) }
        try Self.damage(store, but: log.sequence)
        var logs = RecordQuery(limit: 10)
        logs.kinds = .log
        #expect(try store.walk(logs).sequences == [log.sequence])
        logs.level = .error
        #expect(try store.walk(logs).sequences == [log.sequence])
        logs.level = .messages
        #expect(try store.walk(logs).sequences == [])
        var late = RecordQuery(limit: 10)
        late.kinds = .all
        late.since = Timestamp(milliseconds: 6_000)
        #expect(try store.walk(late).sequences == [])
        #expect(rare > 0 && store.reader.takeMetDamage()?.text == nil)
    }

    @Test("a walk past stretches ends when its patience does, and goes on from there", arguments: [false, true])
    func patience(_ descending: Bool) throws {
        let (store, rare) = try Self.unreadable()
        for _ in 0..<2_000 { try store.commit(records: [store.makeRecord(store.sessions[0], "common")]) }
        try Self.damage(store, but: rare)
        var query = Self.query("rare", descending: descending)
        query.patience = 0
        let (sequences, pages) = try store.walk(query)
        #expect(sequences == [rare])
        #expect(pages.count > 3 && store.reader.takeMetDamage()?.text == nil)
    }

    @Test("what was cleared is called by nothing any more: neither table nor file has the name")
    func cleared() throws {
        let store = try StoreUnderTest()
        let (kept, gone) = (try store.add("kept", events: 0), try store.add("gone", events: 0))
        for number in 0..<600 {
            let session = number % 2 == 0 ? kept : gone
            try store.commit(records: [store.makeRecord(session, "a-name-of-\(session.userId ?? "")")])
        }
        try store.writer.scrub()
        #expect(try contents(of: store.path).contains("a-name-of-gone"))
        #expect(try store.writer.database.integer("SELECT count(*) FROM stretch") == 2)
        let selection = Selection(target: .user("gone"), uid: 1000, upToRow: .max)
        try store.commit(upkeep: [.remove(selection)])
        try store.sweep(maxBlocks: 7)
        try store.writer.scrub()
        let file = try contents(of: store.path)
        #expect(!file.contains("a-name-of-gone"))
        #expect(file.contains("a-name-of-kept"))
        #expect(try store.walk(Self.query("a-name-of-gone")).sequences == [])
        var all = Self.query("a-name-of-kept")
        all.limit = 1_000
        #expect(try store.walk(all).sequences.count == 300)
        // With its last block a stretch goes as well.
        try store.commit(upkeep: [.remove(Selection(target: .all, uid: 1000, upToRow: .max))])
        try store.sweep()
        #expect(try store.writer.database.integer("SELECT count(*) FROM stretch") == 0)
    }

    @Test("names of a store of an earlier version are gathered piece by piece, and found before and afterwards")
    func earlierVersion() throws {
        let (store, rare) = try Self.unreadable()
        try store.writer.database.execute("DELETE FROM stretch")
        try store.reopen()
        var pieces = 0
        repeat {
            #expect(try store.walk(Self.query("rare")).sequences == [rare])
            #expect(try store.walk(Self.query("rare", descending: true)).sequences == [rare])
            // Records that come meanwhile are found as well.
            for _ in 0..<60 { try store.commit(records: [store.makeRecord(store.sessions[0], "new")]) }
            pieces += 1
        } while try store.writer.catchUp()
        #expect(pieces > 3)
        var new = Self.query("new")
        new.from = store.watermark.lastSequence - 200
        new.limit = 1_000
        #expect(try store.walk(new).sequences.count == 200)
        try Self.damage(store, but: rare)
        #expect(try store.walk(Self.query("rare")).sequences == [rare])
    }

    @Test("a store catches up by itself once it is opened, and can be closed while it does")
    func byItself() async throws {
        let (under, rare) = try Self.unreadable()
        try under.writer.database.execute("DELETE FROM stretch")
        try Store(folder: under.folder.path).close()
        let store = try Store(folder: under.folder.path)
        defer { store.close() }
        func uncovered() throws -> Int64? {
            try under.writer.database.integer(
                """
                SELECT count(*) FROM block
                WHERE NOT EXISTS (SELECT 1 FROM stretch s WHERE block.first BETWEEN s.first AND s.last)
                """)
        }
        while try uncovered() != 0 { await Task.yield() }
        try Self.damage(under, but: rare)
        #expect(try under.walk(Self.query("rare")).sequences == [rare])
    }

    @Test("where each event has a name of its own, they take little, and one is found all the same")
    func ownNames() throws {
        let store = try StoreUnderTest()
        let session = try store.add("ada", events: 0)
        for _ in 0..<20 {
            try store.commit(
                records: (0..<500).map { _ in
                    store.makeRecord(session, "view /customers/\(store.watermark.lastSequence)/orders")
                })
        }
        let sought = try #require(store.records.first { $0.sequence == 2_000 })
        let size = try store.writer.database.integer("SELECT sum(length(names) + length(blocks)) FROM stretch") ?? 0
        #expect(size < 10_000 * 12)
        let block = try #require(
            try store.writer.database.integer("SELECT max(first) FROM block WHERE first <= \(sought.sequence)"))
        try Self.damage(store, but: UInt64(block))
        #expect(try store.walk(Self.query(sought.name)).sequences == [sought.sequence])
    }

    @Test("a block that cannot be read, and a stretch that is damaged, hide nothing")
    func damaged() throws {
        let (store, rare) = try Self.unreadable()
        try store.writer.database.execute(
            "DELETE FROM stretch; UPDATE block SET checksum = checksum + 1 WHERE first = \(rare)")
        try store.reopen()
        while try store.writer.catchUp() {}
        #expect(try store.walk(Self.query("rare")).sequences == [])
        #expect(store.reader.takeMetDamage()?.text != nil)
        try store.writer.database.execute("UPDATE block SET checksum = checksum - 1 WHERE first = \(rare)")
        for damage in ["substr(names, 1, length(names) - 1)", "x'ffffffffff'", "zeroblob(3)", "x''"] {
            try store.writer.database.execute("UPDATE stretch SET names = \(damage)")
            #expect(try store.walk(Self.query("rare")).sequences == [rare], "\(damage)")
        }
        // In every state of the row, a removal takes it along.
        try store.commit(upkeep: [.remove(Selection(target: .all, uid: 1000, upToRow: .max))])
        try store.sweep()
        #expect(try store.writer.database.integer("SELECT count(*) FROM stretch") == 0)
    }

    @Test(
        "whatever was stored, refused, removed and gathered, a query finds what a search through all records finds",
        arguments: 1...6)
    func random(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let store = try StoreUnderTest()
        let names = ["tap", "cafe\u{301}", "caf\u{e9}", "error", "", "rare", "button_tap"]
        var open = [try store.add("a"), try store.add("b")]
        var most: Int64 = 0
        for _ in 0..<120 {
            switch random.below(20) {
            case 0: open.append(try store.add(random.pick(["a", "b", nil]), events: 0))
            case 1:
                try store.commit(
                    upkeep: [.remove(Selection(target: .session(random.pick(open).id), uid: 1000, upToRow: .max))])
            case 2: try store.sweep(maxBlocks: 1 + random.below(40))
            case 3:
                try store.reopen()
                for _ in 0..<random.below(4) { _ = try store.writer.catchUp() }
            case 4: if random.once(in: 4) { try store.writer.database.execute("DELETE FROM stretch") }
            case 5: try Self.refuse(store, open)
            default:
                for _ in 0..<random.below(12) {
                    let count = random.once(in: 40) ? 600 : 1 + random.below(4)
                    let live = Set(try store.visible())
                    let sessions = open.filter { live.contains($0.row) }
                    if sessions.isEmpty { break }
                    try store.commit(
                        records: (0..<count).map { _ in
                            let kind = random.once(in: 9) ? random.pick([.log, .sessionEnded]) : Record.Kind.event
                            let name = random.once(in: 30) ? "n\(random.below(500))" : random.pick(names)
                            return store.makeRecord(
                                random.pick(sessions), name, kind: kind, at: Int64(random.below(900)))
                        })
                }
            }
            most = max(most, try store.writer.database.integer("SELECT count(*) FROM stretch") ?? 0)
            if !random.once(in: 3) { continue }
            var query = RecordQuery(limit: random.pick([40, 10_000]))
            query.kinds = random.pick([[.event], [.log], [.event, .sessionEnded], .all])
            if random.once(in: 2) { query.name = NamePattern(random.pick(names + ["*tap", "n7", "n1*"])) }
            if random.once(in: 3) { query.level = random.pick([.error, .messages]) }
            if random.once(in: 3) { query.user = .user(random.pick(["a", "b", nil])) }
            if random.once(in: 4) { query.session = random.pick(open).id }
            if random.once(in: 4) { query.since = Timestamp(milliseconds: Int64(random.below(900))) }
            if random.once(in: 2) { query.from = UInt64(random.below(Int(store.watermark.lastSequence) + 9)) }
            query.descending = random.once(in: 2)
            if random.once(in: 3) { query.patience = 0 }
            #expect(try store.walk(query).sequences == Self.search(query, in: store), "\(query)")
        }
        #expect(most > 1)
    }

    /// A commit that the store refuses after it has written the records.
    private static func refuse(_ store: StoreUnderTest, _ open: [SessionIdentity]) throws {
        try store.writer.database.execute(
            "CREATE TRIGGER refusing BEFORE UPDATE ON session BEGIN SELECT raise(ABORT, 'no'); END")
        let live = Set(try store.visible())
        guard let session = open.first(where: { live.contains($0.row) }) else {
            return try store.writer.database.execute("DROP TRIGGER refusing")
        }
        let before = store.watermark
        let records = (0..<20).map { _ in store.makeRecord(session, "refused") }
        #expect(throws: StoreError.self) {
            try store.commit(
                records: records,
                upkeep: [.remove(Selection(target: .session(session.id), uid: 1000, upToRow: .max))])
        }
        store.watermark = before
        try store.writer.database.execute("DROP TRIGGER refusing")
    }

    /// The result of a query over the whole store.
    private static func search(_ query: RecordQuery, in store: StoreUnderTest) throws -> [UInt64] {
        var all = RecordQuery(limit: .max)
        all.kinds = .all
        all.descending = query.descending
        var found: [UInt64] = []
        _ = try store.reader.forEachRecord(all) { session, record in
            let isBeyond = query.from.map { query.descending ? record.sequence < $0 : record.sequence > $0 } ?? true
            if isBeyond, query.includes(session), query.includes(record, of: session) { found.append(record.sequence) }
            return true
        }
        return found
    }
}
