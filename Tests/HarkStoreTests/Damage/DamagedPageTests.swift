import CSQLite
import Foundation
import Glibc
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Damage in the file costs the data on the damaged pages, and is noted.
@Suite struct DamagedPageTests {
    private static func fill(_ store: StoreUnderTest) throws {
        for number in 0..<40 {
            try store.add("user \(number % 3)", startedAt: Int64(number) * 1_000, events: 5, bytes: 300)
        }
        #expect(try store.writer.database.checkpoint(.truncate))
    }

    private static func leaves(_ store: StoreUnderTest, _ table: String) throws -> [Int64] {
        let pages = try store.writer.database.prepare(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
        ).bind(1, table)
        var leaves: [Int64] = []
        while try pages.step() { leaves.append(pages.integer(0)) }
        return leaves
    }

    /// Overwrites pages of a table, by where they lie among its leaves.
    private static func overwrite(
        _ store: StoreUnderTest, _ table: String, _ choose: ([Int64]) -> [Int64]
    ) throws {
        let leaves = try leaves(store, table)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path))
        defer { file.closeFile() }
        for page in choose(leaves) {
            file.seek(toFileOffset: UInt64(page - 1) * 4_096)
            file.write(Data(repeating: 0xA5, count: 4_096))
        }
        try store.reopen()
    }

    private static func query(_ store: StoreUnderTest, descending: Bool, session: Int? = nil) -> RecordQuery {
        var query = RecordQuery(limit: 1_000)
        query.kinds = .all
        query.descending = descending
        query.session = session.map { store.sessions[$0].id }
        return query
    }

    @Test(
        "of records on a page that cannot be read the others are told, with what is missing", arguments: [false, true])
    func page(descending: Bool) throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        let all = try store.walk(Self.query(store, descending: descending)).sequences
        #expect(all.count == 240)
        try Self.overwrite(store, "block") { [$0[2]] }
        let left = try store.walk(Self.query(store, descending: descending)).sequences
        #expect(left.count < all.count && left.count > 200)
        #expect(left == all.filter(Set(left).contains))
        let met = try #require(store.reader.takeMetDamage()?.lost)
        let missing = Set(all).subtracting(left)
        #expect(met.first <= missing.min() ?? 0 && met.last >= missing.max() ?? .max && met.most < 30)
        #expect(met.earliest != nil && met.latest != nil)
        // A session without data there misses nothing; the data there is missing from its own session.
        let own = store.records.filter { $0.session.row == 40 }.map(\.sequence)
        let query = Self.query(store, descending: false, session: 39)
        #expect(try store.walk(query).sequences == own)
        #expect(store.unreadable.lost.count == 1 && store.unreadable.hasDamagedPages)
        // A rebuilt store has the readable data, and reports its losses until they are acknowledged.
        for isRebuild in [true, false] {
            try store.reopen(isRebuild: isRebuild)
            #expect(try store.walk(Self.query(store, descending: descending)).sequences == left)
            #expect(store.reader.takeMetDamage() == nil && !store.unreadable.hasDamagedPages)
            let lost = try #require(store.unreadable.lost.first)
            #expect(lost.first <= missing.min() ?? 0 && lost.last >= missing.max() ?? .max)
            #expect(store.unreadable.lost.count == 1 && store.unreadable.notices.count == 1)
            let check = try store.writer.database.prepare("PRAGMA integrity_check")
            #expect(try check.step() && check.text(0) == "ok")
        }
    }

    @Test("the first page of all blocks costs what lies there, and recording goes on with numbers of its own")
    func root() throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        let root = try #require(
            try store.writer.database.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'block'"))
        try Self.overwrite(store, "block") { _ in [root] }
        #expect(try store.writer.watermark().lastSequence >= store.watermark.lastSequence)
        store.watermark = try store.writer.watermark()
        try store.add("user 1", events: 2)
        let left = try store.walk(Self.query(store, descending: false)).sequences
        #expect(left.suffix(3) == store.records.suffix(3).map(\.sequence))
        #expect(try store.writer.database.integer("SELECT value FROM meta WHERE key = 'mended:block'") != nil)
    }

    @Test(
        "a damaged first page of any table keeps no store from being opened and nothing from being recorded",
        arguments: [
            "meta", "session", "current", "block", "session_block", "stretch", "destination", "deadLetter",
            "presentation",
            "gating", "enrolment", "form", "form_answer", "counter", "execution", "listening", "configured", "run",
            "producer",
            "watch",
            "machine", "fleet_place", "eventTimes", "eventRule", "quota", "credit", "fleet_credit", "tally", "wish",
            "quiet",
        ])
    func anyTable(table: String) throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        let root = try #require(
            try store.writer.database.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"))
        try Self.overwrite(store, table) { _ in [root] }
        store.watermark = try store.writer.watermark()
        let session = try store.add("user 9", isCurrent: true, events: 2)
        let left = try store.walk(Self.query(store, descending: false)).sequences
        #expect(left.suffix(3) == store.records.suffix(3).map(\.sequence))
        if !["block", "session"].contains(table) { #expect(left.count == 243) }
        #expect(try store.reader.currentSession(of: session.scope)?.identity.row == session.row)
        #expect(try store.writer.database.integer("SELECT 1 FROM meta WHERE key = 'mended:\(table)'") == 1)
        let check = try store.writer.database.prepare("PRAGMA integrity_check('\(table)')")
        #expect(try check.step() && check.text(0) == "ok")
    }

    @Test("metadata that is no text any more is left out and noted, and the session and its records are told")
    func metadata() throws {
        let store = try StoreUnderTest()
        try store.add("ada", events: 2)
        try store.writer.database.execute("UPDATE session SET metadata = x'01ff00026869'")
        let session = try #require(try store.reader.sessions(SessionQuery(limit: 9)).sessions.first?.session)
        var json = JSONWriter()
        session.write(to: &json)
        #expect(String(validating: json.bytes, as: UTF8.self) != nil)
        #expect(session.identity.userId == "ada" && session.identity.metadata.isEmpty)
        #expect(store.unreadable.all.map(\.kind) == ["the metadata of a session"])
    }

    @Test("a session whose user is no text any more is passed over with its records, and the others are told")
    func user() throws {
        let store = try StoreUnderTest()
        try store.add("ada", events: 2)
        try store.add("bob", events: 2)
        try store.writer.database.execute("UPDATE session SET user = CAST(x'61ff61' AS TEXT) WHERE row = 1")
        #expect(try store.visible() == [2])
        for _ in 0..<3 {
            #expect(try store.walk(Self.query(store, descending: false)).sequences == [4, 5, 6])
        }
        #expect(store.reader.takeMetDamage()?.lost?.most == 3, "what is met again counts once")
    }

    @Test("two places apart that are met again count once each, also beyond the places that are kept and in sums")
    func apart() throws {
        let notes = DamageNotes(UnreadableRows())
        for first: Int64 in [1, 100, 1, 100] {
            notes.note(LostRecords(first...first + 2, most: 3, earliest: first, latest: first + 2))
        }
        var sum = try #require(notes.take())
        let again = sum
        sum += again
        #expect(sum.lost?.most == 6 && sum.lost?.first == 1 && sum.lost?.last == 102)
        #expect(sum.lost?.earliest?.milliseconds == 1 && sum.lost?.latest?.milliseconds == 102)
        for first in stride(from: Int64(1_001), to: 5_001, by: 2) {
            notes.note(LostRecords(first...first, most: 1, earliest: nil, latest: nil))
        }
        sum += try #require(notes.take())
        #expect(sum.lost?.most == 2_006 && sum.lost?.last == 4_999)
    }

    @Test("a walk through the store finds what nobody has read yet")
    func check() throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        #expect(try store.reader.check(from: .start, patience: .max) == nil)
        #expect(store.reader.takeMetDamage() == nil)
        try Self.overwrite(store, "block") { [$0[1]] }
        #expect(try store.reader.check(from: .start, patience: .max) == nil)
        #expect(store.reader.takeMetDamage()?.lost != nil)
        #expect(store.unreadable.hasDamagedPages)
        try Self.overwrite(store, "counter") { [$0[0]] }
        try store.reopen(isRebuild: true)
        #expect(try store.reader.check(from: .start, patience: .max) == nil)
        #expect(store.reader.takeMetDamage() == nil && !store.unreadable.hasDamagedPages)
    }

    @Test("a page that lies where another belongs, one of zeros and one that is cut short are damaged")
    func misplaced() throws {
        for kind in ["other", "zeros", "short"] {
            let store = try StoreUnderTest()
            try Self.fill(store)
            let all = try store.walk(Self.query(store, descending: false)).sequences
            let leaves = try Self.leaves(store, "block")
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: store.path))
            file.seek(toFileOffset: UInt64(leaves[3] - 1) * 4_096)
            var page = file.readData(ofLength: 4_096)
            if kind == "zeros" { page = Data(count: 4_096) }
            if kind == "short" { page.replaceSubrange(2_000..., with: Data(count: 2_096)) }
            file.seek(toFileOffset: UInt64(leaves[2] - 1) * 4_096)
            file.write(page)
            file.closeFile()
            try store.reopen()
            let left = try store.walk(Self.query(store, descending: false)).sequences
            #expect(left.count < all.count && left.count > 200 && left == left.sorted(), "\(kind)")
            #expect(store.reader.takeMetDamage()?.lost != nil, "\(kind)")
        }
    }

    @Test("a store of an earlier version has no checksums, and gets them when it is made anew")
    func earlier() throws {
        let store = try StoreUnderTest()
        #expect(store.writer.database.hasChecksums)
        try store.reopen {
            for end in ["", "-wal", "-shm"] { unlink(store.path + end) }
            let earlier = try Database(path: store.path, access: .write)
            try earlier.execute(
                "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = \(Schema.applicationId)")
        }
        try Self.fill(store)
        #expect(!store.writer.database.hasChecksums)
        let all = try store.walk(Self.query(store, descending: false)).sequences
        try store.reopen(isRebuild: true)
        #expect(store.writer.database.hasChecksums && store.unreadable.count == 0)
        #expect(try store.walk(Self.query(store, descending: false)).sequences == all && all.count == 240)
    }

    @Test("a rebuild that is interrupted is done again, or finished, and the damaged file stays until data is removed")
    func interrupted() throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        let all = try store.walk(Self.query(store, descending: false)).sequences
        let swap = StoreSwap(store.path)
        // It had just begun.
        try Data("half".utf8).write(to: URL(fileURLWithPath: swap.draft))
        try store.reopen()
        #expect(!FileManager.default.fileExists(atPath: swap.draft))
        // The new file was there, and the old one perhaps moved away.
        for isMoved in [false, true] {
            try store.reopen(isRebuild: true) {
                try FileManager.default.copyItem(atPath: store.path, toPath: store.path + ".ready")
                if isMoved { try FileManager.default.removeItem(atPath: store.path) }
            }
            #expect(!FileManager.default.fileExists(atPath: store.path + ".ready"))
            #expect(try store.walk(Self.query(store, descending: false)).sequences == all)
        }
        #expect(FileManager.default.fileExists(atPath: swap.kept))
        try store.writer.scrub()
        #expect(FileManager.default.fileExists(atPath: swap.kept))
        try store.commit(upkeep: [.remove(Selection(target: .user("user 1"), uid: nil, upToRow: .max))])
        #expect(!FileManager.default.fileExists(atPath: swap.kept))
    }

    @Test("pages that another program has copied out of the log are taken as they are, after a kill only")
    func copiedByOthers() throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        try store.add("late", events: 30, bytes: 500)
        let all = try store.walk(Self.query(store, descending: false)).sequences
        let files = FileManager.default
        for isKilled in [true, false] {
            let path = store.folder.path + "/killed-\(isKilled).db"
            for end in ["", "-wal", ".head"] { try files.copyItem(atPath: store.path + end, toPath: path + end) }
            if isKilled { StoreMark(path).put() }
            var other: OpaquePointer?
            #expect(sqlite3_open(path, &other) == SQLITE_OK)
            #expect(sqlite3_exec(other, "SELECT count(*) FROM block", nil, nil, nil) == SQLITE_OK)
            #expect(sqlite3_close(other) == SQLITE_OK && !files.fileExists(atPath: path + "-wal"))
            #expect(StoreMark(path).isCopiedByOthers == isKilled)
            let unreadable = UnreadableRows()
            let writer = try StoreWriter.open(path: path, unreadable: unreadable)
            let reader = try StoreReader(path: path, unreadable: unreadable)
            var sequences: [UInt64] = []
            _ = try reader.forEachRecord(Self.query(store, descending: false)) { _, record in
                sequences.append(record.sequence)
                return true
            }
            #expect((sequences == all && unreadable.count == 0) == isKilled)
            withExtendedLifetime(writer) {}
        }
    }

    @Test("a rebuild that fails leaves the store as it is, and is known to have failed")
    func failedRebuild() throws {
        let store = try StoreUnderTest()
        try Self.fill(store)
        let all = try store.walk(Self.query(store, descending: false)).sequences
        let swap = StoreSwap(store.path)
        #expect(swap.age == nil)
        // An obstacle to the new file cannot be removed.
        try FileManager.default.createDirectory(atPath: swap.draft + "/x", withIntermediateDirectories: true)
        try store.reopen(isRebuild: true)
        #expect(try store.walk(Self.query(store, descending: false)).sequences == all)
        #expect(swap.age.map { $0 < 600 } == true && !swap.isWanted)
        try FileManager.default.removeItem(atPath: swap.draft)
        try store.reopen(isRebuild: true)
        #expect(!FileManager.default.fileExists(atPath: store.path + ".rebuild-failed"))
    }
}
