import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Reading records against a plain search through all of them (row E5).
@Suite struct RecordQueryTests {
    private static let users: [String?] = [nil, "ada", "bob", "caf\u{e9}", "cafe\u{301}"]
    private static let apps = ["default", "kiosk"]
    private static let names = ["tap", "button_tap", "button_hold", "tab", "", "b"]

    /// Many commits, each with records of several sessions interleaved, some of them long enough to need more blocks.
    private static func fill(_ store: StoreUnderTest, _ random: inout SplitMix64) throws {
        var open: [SessionIdentity] = []
        for batch in 0..<40 {
            var changes = Changes()
            let newcomers = batch == 0 ? 3 : random.below(3)
            for _ in 0..<newcomers {
                let session = store.makeSession(
                    random.pick(users), uid: random.pick([1000, 1001]), app: random.pick(apps))
                open.append(session)
                changes.rows.append(.session(.insert(Session(session))))
            }
            if open.count > 6 { open.removeFirst(open.count - 6) }
            // Some batches are larger than a block, most are not.
            let count = random.once(in: 15) ? 700 : random.below(40)
            let favourite = random.pick(open)
            for _ in 0..<count {
                let session = count > 500 && !random.once(in: 5) ? favourite : random.pick(open)
                changes.records.append(
                    store.makeRecord(
                        session, random.pick(names),
                        kind: random.once(in: 8) ? random.pick([.sessionStarted, .sessionEnded]) : .event,
                        at: Int64(random.below(1000)), gap: random.once(in: 20) ? 5 : 1))
            }
            try store.commit(changes)
        }
    }

    private static func query(_ store: StoreUnderTest, _ random: inout SplitMix64) -> RecordQuery {
        let last = Int(store.watermark.lastSequence)
        var query = RecordQuery(limit: random.pick([1, 2, 3, 7, 50, 511, 512, 513, 10_000]))
        if random.once(in: 3) { query.uid = random.pick([1000, 1001, 5]) }
        if random.once(in: 3) { query.session = random.pick(store.sessions).id }
        if random.once(in: 3) { query.user = .user(random.pick(users)) }
        if random.once(in: 4) { query.app = random.pick(apps) }
        if random.once(in: 4) { query.name = NamePattern(random.pick(["tap", "*tap", "b*", "*", "*_*", "nothing"])) }
        if random.once(in: 4) { query.since = Timestamp(milliseconds: Int64(random.below(1000))) }
        if random.once(in: 4) { query.until = Timestamp(milliseconds: Int64(random.below(1000))) }
        if random.once(in: 2) { query.kinds = random.pick([[.event], [.sessionStarted], [.event, .sessionEnded]]) }
        query.descending = random.once(in: 2)
        if random.once(in: 2) { query.from = UInt64(random.below(last + 10)) }
        return query
    }

    /// The expected result of the query, from its own members.
    private static func expected(_ query: RecordQuery, in store: StoreUnderTest) -> [UInt64] {
        let found = store.records.filter { record in
            let session = record.session
            if let uid = query.uid, uid != session.scope.uid { return false }
            if let id = query.session, id != session.id { return false }
            if case .user(let user) = query.user, user.map({ Array($0.utf8) }) != session.userId.map({ Array($0.utf8) })
            {
                return false
            }
            if let app = query.app, app != session.scope.app { return false }
            if let since = query.since, record.at < since { return false }
            if let until = query.until, record.at >= until { return false }
            if let from = query.from, query.descending ? record.sequence >= from : record.sequence <= from {
                return false
            }
            if let name = query.name, record.kind == .event {
                var text = record.name
                if !text.withUTF8({ name.matches($0) }) { return false }
            }
            return query.kinds.contains(record.kind)
        }.map(\.sequence)
        return query.descending ? found.reversed() : found
    }

    @Test("E5: every query finds what a search through all records finds, whatever the page", arguments: 1...3)
    func random(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let store = try StoreUnderTest()
        try Self.fill(store, &random)
        for _ in 0..<25 {
            let query = Self.query(store, &random)
            let room = random.once(in: 4) ? 1 + random.below(5) : .max
            // With small pages over everything the walk would take long and show nothing new.
            if query.limit < 50 || room < 50, query.session == nil, query.name == nil { continue }
            let (sequences, pages) = try store.walk(query, room: room)
            #expect(sequences == Self.expected(query, in: store), "\(query)")
            #expect(pages.allSatisfy { $0 <= min(query.limit, room) }, "\(query)")
            #expect(pages.dropLast().allSatisfy { $0 == min(query.limit, room) }, "\(query)")
        }
    }

    @Test("E5: pages of every size join up over the records of one commit that several sessions share")
    func everyLimit() throws {
        let store = try StoreUnderTest()
        let sessions = [store.makeSession("a"), store.makeSession("b"), store.makeSession("c")]
        let rows = sessions.map { Changes.Row.session(.insert(Session($0))) }
        try store.commit(rows: rows, records: (0..<9).map { store.makeRecord(sessions[$0 % 3]) })
        try store.commit(records: (0..<12).map { store.makeRecord(sessions[$0 % 2], gap: 2) })
        for descending in [false, true] {
            for limit in [1, 2, 3, 20, 21, 22] {
                var query = RecordQuery(limit: limit)
                query.descending = descending
                let all = store.records.map(\.sequence)
                #expect(try store.walk(query).sequences == (descending ? all.reversed() : all))
                // And from every number, whether a record has it or not.
                for from in 0...store.watermark.lastSequence + 1 {
                    query.from = from
                    let rest = all.filter { descending ? $0 < from : $0 > from }
                    #expect(try store.walk(query).sequences == (descending ? rest.reversed() : rest))
                }
            }
        }
    }

    @Test("E5: however often a walk is interrupted, it finds the same", arguments: 1...3)
    func patience(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let store = try StoreUnderTest()
        try Self.fill(store, &random)
        for _ in 0..<25 {
            var query = Self.query(store, &random)
            query.limit = 10_000
            query.patience = 0
            let (sequences, pages) = try store.walk(query)
            #expect(sequences == Self.expected(query, in: store), "\(query)")
            // Each commit is a piece of its own.
            if query.session == nil, query.user == nil, query.from == nil { #expect(pages.count > 10) }
        }
    }

    @Test("E5: a record comes back with everything it holds, from blocks of its own and of others")
    func content() throws {
        let store = try StoreUnderTest()
        let session = try store.add("ada", uid: 7, app: "kiosk", startedAt: 1_800_000_000_123, events: 0)
        let properties = Properties([("a", .string("b")), ("n", .double(-0.5))])
        try store.commit(records: [store.makeRecord(session, "first", at: -5, properties: properties)])
        let (records, _) = try store.reader.records(RecordQuery(limit: 10), maxBytes: .max)
        let record = try #require(records.first)
        #expect(record.name == "first")
        #expect(record.at == Timestamp(milliseconds: -5))
        #expect(record.properties == properties)
        #expect(record.id == store.records[1].id)
        #expect(record.source == Source(uid: 7, pid: 42))
        let found = record.session
        #expect(found.id == session.id)
        #expect(found.userId == "ada")
        #expect(found.scope == Scope(uid: 7, app: "kiosk"))
        #expect(found.startedAt == session.startedAt)
        #expect(found.metadata == session.metadata)
        #expect(found.isImplicit == session.isImplicit)
    }

    @Test("a page of records also ends at so many bytes, with one record at least")
    func maxBytes() throws {
        let store = try StoreUnderTest()
        try store.add(events: 10, bytes: 1000)
        let (records, page) = try store.reader.records(RecordQuery(limit: 100), maxBytes: 1)
        #expect(records.count == 1)
        #expect(page.next == records[0].sequence)
        #expect(try store.reader.records(RecordQuery(limit: 100), maxBytes: 3000).records.count == 3)
    }

    @Test("of a commit, a page reads no blocks that lie before it or behind its end")
    func blocksOfAPage() throws {
        let store = try StoreUnderTest()
        let session = try store.add("a", events: 1)
        try store.commit(records: (0..<3 * BlockBuilder.maxRecords).map { _ in store.makeRecord(session) })
        let firsts = (0..<3).map { 3 + UInt64($0 * BlockBuilder.maxRecords) }
        func damage(_ number: UInt64) throws {
            try store.writer.database.execute("UPDATE block SET data = x'01' WHERE first = \(number)")
        }
        #expect(try store.walk(RecordQuery(limit: 10_000)).sequences.count == 3 * BlockBuilder.maxRecords + 1)
        try damage(firsts[0])
        try damage(firsts[2])
        var query = RecordQuery(limit: BlockBuilder.maxRecords)
        query.from = firsts[1] - 1
        #expect(try store.reader.records(query, maxBytes: .max).records.count == BlockBuilder.maxRecords)
        #expect(store.reader.takeMetDamage()?.text == nil)
        query.limit += 1
        _ = try store.reader.records(query, maxBytes: .max)
        #expect(store.reader.takeMetDamage()?.text != nil)
        query.from = firsts[1] - 2
        _ = try store.reader.records(query, maxBytes: .max)
        #expect(store.reader.takeMetDamage()?.text != nil)
    }

    @Test(
        "a block whose checksum holds and whose records cannot be read is told as well",
        arguments: [false, true])
    func damagedRecords(_ isAmongOthers: Bool) throws {
        let store = try StoreUnderTest()
        let sessions = [store.makeSession("a"), store.makeSession("b")]
        let rows = sessions.map { Changes.Row.session(.insert(Session($0))) }
        try store.commit(
            rows: rows, records: (0..<8).map { store.makeRecord(sessions[isAmongOthers ? $0 % 2 : $0 / 4]) })
        let statement = try store.writer.database.prepare("SELECT data FROM block WHERE session = 1")
        #expect(try statement.step())
        let whole = statement.bytes(0)
        statement.reset()
        for data in [Array(whole.dropLast()), [9], [], whole + [1]] {
            let checksum = Int64(bitPattern: data.withUnsafeBytes(Checksum.of))
            _ = try store.writer.database.prepare("UPDATE block SET data = ?, checksum = ? WHERE session = 1")
                .bind(1, data).bind(2, checksum).step()
            for descending in [false, true] {
                var query = RecordQuery(limit: 100)
                query.descending = descending
                _ = try store.walk(query)
                #expect(store.reader.takeMetDamage()?.lost != nil)
            }
        }
    }

    @Test("a block with a flipped bit is passed over and told, and costs no other record")
    func damagedBlock() throws {
        let store = try StoreUnderTest()
        try store.add("a", events: 3)
        try store.add("b", events: 3)
        try store.add("c", events: 3)
        try store.writer.database.execute(
            "UPDATE block SET data = substr(data, 1, 20) || x'ff' || substr(data, 22) WHERE session = 2")
        #expect(try store.walk(RecordQuery(limit: 100)).sequences == [2, 3, 4, 10, 11, 12])
        let lost = try #require(store.reader.takeMetDamage()?.lost)
        #expect(lost.first == 5 && lost.last == 8 && lost.most == 4 && store.reader.unreadable.all.count == 1)
        var other = RecordQuery(limit: 100)
        other.session = store.sessions[2].id
        #expect(try store.walk(other).sequences.count == 3)
    }
}
