import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// A transaction happens whole or not at all (row E4).
@Suite struct CommitTests {
    @Test("E4: what cannot be stored as a whole is not stored in part")
    func allOrNothing() throws {
        let store = try StoreUnderTest()
        let session = try store.add("ada", events: 1)
        var changes = Changes()
        changes.rows = [
            .other(DeliveryRow.setDestination(name: "archive", cursor: 5, state: .none)),
            .session(.insert(Session(store.makeSession("bob")))),
            // A session of a row that is taken.
            .session(.insert(Session(session))),
        ]
        changes.records = [store.makeRecord(session)]
        #expect(throws: StoreError.self) { try store.commit(changes) }
        #expect(try store.reader.destination("archive")?.cursor == nil)
        #expect(try store.visible() == [session.row])
        #expect(try store.walk(RecordQuery(limit: 10)).sequences == [2])
    }

    @Test("E4: what may be repeated is written at once, but has the disk sync only with others, or after a while")
    func repeatable() throws {
        let store = try StoreUnderTest()
        func account(_ cursor: UInt64, _ more: Changes = Changes()) throws -> Bool {
            var changes = more
            changes.appendRepeatable(
                .other(DeliveryRow.setDestination(name: "core/logs", cursor: cursor, state: .none)))
            let isSynced = try store.commit(changes).isSynced
            #expect(try store.reader.destination("core/logs")?.cursor == cursor)
            return isSynced
        }
        #expect(try !account(1))
        var others = Changes()
        others.rows = [.setMeta(key: "a", value: "b")]
        #expect(try account(2, others))
        others.rows = []
        others.records = [store.makeRecord(try store.add("ada", events: 1))]
        #expect(try account(3, others))
        #expect(try !account(4))
        // It is as safe as any other from a crash: the file is opened anew without having been closed.
        #expect(try StoreReader(path: store.path).destination("core/logs")?.cursor == 4)
        var cursor: UInt64 = 5
        while try !account(cursor) {
            cursor += 1
            try #require(cursor < 1_000_000)
        }
        #expect(try !account(cursor + 1))
    }

    @Test("E4: a full disk refuses the whole commit, says so, and takes the next once there is room")
    func full() throws {
        let store = try StoreUnderTest()
        try store.add("ada", events: 1)
        let pages = try #require(try store.writer.database.integer("PRAGMA page_count"))
        try store.writer.database.execute("PRAGMA max_page_count = \(pages)")
        let before = store.watermark
        let error = #expect(throws: StoreError.self) { try store.add("bob", events: 40, bytes: 1000) }
        #expect(error?.code == .full)
        #expect(error?.message.contains("full") == true)
        #expect(try store.visible() == [1])
        store.watermark = before

        try store.writer.database.execute("PRAGMA max_page_count = 100000")
        try store.add("bob", events: 40, bytes: 1000)
        #expect(try store.visible() == [1, 2])
    }

    @Test("a commit of nothing is fine, and one that only marks its place too")
    func empty() throws {
        let store = try StoreUnderTest()
        #expect(try store.commit().marked.isEmpty)
        try store.commit(rows: [.other(DeliveryRow.setDestination(name: "archive", cursor: 1, state: .none))])
        try store.commit(rows: [.other(DeliveryRow.setDestination(name: "archive", cursor: 2, state: .none))])
        #expect(try store.reader.destination("archive")?.cursor == 2)
    }

    @Test("numbers go on after the highest ever used, whatever was removed since")
    func watermark() throws {
        let store = try StoreUnderTest()
        for turn in 1...5 {
            try store.add("ada", events: turn)
            if turn % 2 == 0 {
                let all = Selection(target: .all, uid: nil, upToRow: .max)
                try store.commit(upkeep: [.remove(all)])
                try store.sweep()
            }
            try store.reopen()
            #expect(try store.writer.watermark() == store.watermark)
        }
        try store.commit(upkeep: [.remove(Selection(target: .all, uid: nil, upToRow: .max))])
        try store.sweep()
        try store.reopen()
        #expect(try store.writer.watermark() == store.watermark)
        #expect(try store.reader.totals().events == 0)
    }

    @Test("the newest number is found though the blocks of the last commit overlap")
    func overlappingWatermark() throws {
        let store = try StoreUnderTest()
        let long = store.makeSession("long")
        let short = store.makeSession("short")
        let rows = [Changes.Row.session(.insert(Session(long))), .session(.insert(Session(short)))]
        // The block that begins last does not end last.
        let records = [store.makeRecord(long), store.makeRecord(short), store.makeRecord(long)]
        try store.commit(rows: rows, records: records)
        try store.reopen()
        #expect(try store.writer.watermark().lastSequence == 3)
    }
}
