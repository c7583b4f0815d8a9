import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

/// Removing sessions: marked at once, swept away in pieces (row E6).
@Suite struct RemovalTests {
    private let store: StoreUnderTest

    init() throws {
        store = try StoreUnderTest()
    }

    @Test(
        "E6: what is removed is gone for every reader with the commit, and counted",
        arguments: [
            (Selection.Target.all, nil as UInt32?, [1, 2, 3, 4, 5] as [Int64], 15),
            (.all, 1000, [1, 2, 3], 6), (.user("ada"), nil, [1, 4], 5), (.user("ada"), 1001, [4], 4),
            (.user(nil), nil, [3, 5], 8), (.user("nobody"), nil, [], 0),
            (.session(Identifier(high: 7, low: 2)), nil, [2], 2), (.session(Identifier(high: 7, low: 2)), 1001, [], 0),
        ])
    func targets(_ target: Selection.Target, _ uid: UInt32?, _ rows: [Int64], _ events: Int) throws {
        try store.add("ada", events: 1)
        try store.add("bob", isCurrent: true, events: 2)
        try store.add(nil, events: 3)
        try store.add("ada", uid: 1001, isCurrent: true, events: 4)
        try store.add(nil, uid: 1001, events: 5)
        let report = try store.commit(upkeep: [.remove(Selection(target: target, uid: uid, upToRow: 5))])
        #expect(report.marked.map(\.sessions) == [rows.count])
        #expect(report.marked.map(\.events) == [events])
        let left = (1...5).filter { !rows.contains($0) }
        #expect(try store.visible() == left)
        #expect(
            Set(try store.walk(RecordQuery(limit: 3)).sequences)
                == Set(
                    store.records.filter { $0.kind == .event && left.contains($0.session.row) }.map(\.sequence)))
        #expect(try store.reader.removedSessions(limit: 100).map(\.row).sorted() == rows)
        for row in rows {
            let id = store.sessions[Int(row) - 1].id
            #expect(try store.reader.session(row: row) == nil)
            #expect(try store.reader.session(id: id) == nil)
            guard case .removed = try store.reader.holder(ofSessionId: id) else {
                Issue.record("its id counts as free, or as that of a session")
                continue
            }
            #expect(try store.reader.currentSession(of: store.sessions[Int(row) - 1].scope)?.identity.row != row)
        }
        #expect(try store.reader.totals().sessions == left.count)
    }

    @Test("E6: sessions that came later are not meant")
    func later() throws {
        try store.add("ada")
        try store.add("ada")
        try store.commit(upkeep: [.remove(Selection(target: .all, uid: nil, upToRow: 1))])
        #expect(try store.visible() == [2])
    }

    @Test("E6: a long session is swept in pieces, and the others stay as they are", arguments: [1, 2, 3, 1000])
    func pieces(_ maxBlocks: Int) throws {
        try store.add("stays", events: 4)
        let doomed = try store.add("goes", events: 1)
        for _ in 0..<6 { try store.commit(records: (0..<3).map { _ in store.makeRecord(doomed) }) }
        try store.commit(upkeep: [.remove(Selection(target: .session(doomed.id), uid: nil, upToRow: 9))])

        let reports = try store.sweep(maxBlocks: maxBlocks)
        // Seven blocks; a piece that comes out full may be the last, so one more looks.
        #expect(reports.count == 7 / maxBlocks + 1)
        #expect(reports.map(\.sweptEvents).reduce(0, +) == 19)
        #expect(reports.flatMap(\.sweptSessions) == [doomed.row])
        #expect(try store.reader.removedSessions(limit: 9).isEmpty)
        guard case .nobody = try store.reader.holder(ofSessionId: doomed.id) else {
            Issue.record("its id is not free")
            return
        }
        #expect(try store.walk(RecordQuery(limit: 100)).sequences == [2, 3, 4, 5])
        #expect(try store.writer.database.integer("SELECT count(*) FROM block") == 1)
        #expect(try store.writer.database.integer("SELECT count(*) FROM session") == 1)
    }

    @Test("E6: swept content is nowhere in the files, and its space is given back")
    func scrubbed() throws {
        let session = try store.add("secret-user-id", events: 100, bytes: 500)
        try store.writer.scrub()
        let large = try #require(try store.writer.database.integer("PRAGMA page_count"))
        try store.commit(upkeep: [.remove(Selection(target: .session(session.id), uid: nil, upToRow: 9))])
        try store.sweep()
        var freed = 0
        while true {
            let report = try store.commit(upkeep: [.shrink(maxPages: 4)])
            #expect(report.freedPages <= 4)
            freed += report.freedPages
            if report.freedPages < 4 { break }
        }
        try store.writer.scrub()
        let small = try #require(try store.writer.database.integer("PRAGMA page_count"))
        #expect(small < large - 10)
        #expect(freed >= Int(large - small))
        for file in ["hark.db", "hark.db-wal"] {
            let bytes = try contents(of: store.folder.path + "/" + file)
            #expect(!bytes.contains("secret-user-id"))
            #expect(!bytes.contains("xxxxxxxx"))
        }
    }

    @Test(
        "what was moved to another page before it was removed is nowhere in the files either",
        arguments: [4, 6, 12, 38, 66, 81])
    func moved(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var there: [SessionIdentity] = []
        var gone: Set<String> = []
        for _ in 0..<10 {
            // In no order, as then the pages of the index by user are filled and split everywhere.
            for _ in 0..<40 {
                there.append(
                    try store.add("\(random.next())-of-\(seed)", events: random.below(2), bytes: random.below(900)))
            }
            there.shuffle(using: &random)
            for session in there.suffix(random.below(60)) {
                let selection = Selection(target: .session(session.id), uid: nil, upToRow: session.row)
                try store.commit(upkeep: [.remove(selection)])
                gone.insert(try #require(session.userId))
                there.removeLast()
            }
            try store.sweep()
            try store.commit(upkeep: [.shrink(maxPages: 1_000)])
            try store.writer.scrub()
            // Pages that are written once more must not bring it back.
            for _ in 0..<5 { try store.add("\(random.next())-later") }
            for file in ["hark.db", "hark.db-wal"] {
                #expect(try left(of: gone, in: file) == [], "\(file)")
            }
            if random.once(in: 3) { try store.reopen() }
        }
        let check = try store.writer.database.prepare("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
        #expect(Set(try store.visible()).isSuperset(of: there.map(\.row)))
    }

    /// The names among these, each made of digits, "-of-" and digits, that a file contains.
    private func left(of names: Set<String>, in file: String) throws -> Set<String> {
        let bytes = Array(try contents(of: store.folder.path + "/" + file).utf8)
        let isOfName = { (byte: UInt8) in byte >= 0x30 && byte <= 0x39 || byte == 0x2d || byte == 0x6f || byte == 0x66 }
        return names.intersection(bytes.split { !isOfName($0) }.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test("of very many sessions a commit marks some, none of them stays current, and the rest is found")
    func many() throws {
        let store = try StoreUnderTest()
        for number in 0..<1_300 {
            try store.add("ada", app: "app \(number)", isCurrent: number % 100 == 7, events: number % 2)
        }
        let other = try store.add("bob", isCurrent: true)
        let selection = Selection(target: .user("ada"), uid: nil, upToRow: .max)
        let first = try store.commit(upkeep: [.remove(selection)]).marked[0]
        #expect(first.sessions == SessionWriter.markedAtOnce && first.isPartial)
        #expect(try store.writer.database.integer("SELECT count(*) FROM current") == 1)
        let rest = try store.reader.sessions(of: selection, limit: .max)
        #expect(rest.count == 300)
        let second = try store.commit(upkeep: [.mark(rest + rest, nil)]).marked[0]
        #expect(second.sessions == 300 && !second.isPartial && first.events + second.events == 650)
        #expect(try store.visible() == [other.row])
        #expect(try !store.commit(upkeep: [.remove(selection)]).marked[0].isAny)
    }
}
