import Foundation
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// The file: new, old, newer, foreign and damaged.
@Suite struct SchemaTests {
    private static let migrations = Schema.migrations(of: StoreFamily.all)

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.path + "/hark.db"
    }

    /// The refusal of a store at `path`.
    private func refusal() -> StoreError? {
        #expect(throws: StoreError.self) { _ = try Store(folder: folder.path) }
    }

    @Test("a new file is a Hark store of this version, and opening it again changes nothing")
    func new() throws {
        for _ in 0..<2 {
            let database = try Schema.open(path: path)
            #expect(try database.integer("PRAGMA application_id") == Schema.applicationId)
            #expect(try database.integer("PRAGMA user_version") == Int64(Self.migrations.count))
            #expect(try database.integer("PRAGMA foreign_keys") == 1)
            #expect(try database.integer("PRAGMA secure_delete") == 1)
            #expect(try database.integer("PRAGMA auto_vacuum") == 2)
            #expect(try database.integer("PRAGMA synchronous") == 2)
        }
    }

    @Test("a store of an older version is brought up to date with all it holds", arguments: 1...Self.migrations.count)
    func older(_ version: Int) throws {
        let old = try Database(path: path, access: .write)
        try old.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for migration in Self.migrations[..<version] { try old.execute(migration) }
        try old.execute("PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = \(version)")
        try old.execute(
            """
            INSERT INTO session(row, id, uid, app, user, started, ended, implicit, metadata)
            VALUES (5, x'00112233445566778899aabbccddeeff', 1000, 'default', 'ada', 1, NULL, 0, x'')
            """)
        let writer = try StoreWriter(path: path)
        #expect(try writer.database.integer("PRAGMA user_version") == Int64(Self.migrations.count))
        #expect(try StoreReader(path: path).session(row: 5)?.identity.userId == "ada")
        #expect(try writer.watermark().lastSessionRow == 5)
    }

    @Test("how far a hub has come with its machines is kept when who is away comes to stand beside it")
    func places() throws {
        let old = try Database(path: path, access: .write)
        try old.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for migration in Self.migrations[..<19] { try old.execute(migration) }
        try old.execute(
            """
            PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = 19;
            INSERT INTO fleet_place(machine, log, sequence, id, at, taken) VALUES
                ('kiosk-1', x'00112233445566778899aabbccddeeff', 7, x'10112233445566778899aabbccddeeff', 1, 2)
            """)
        _ = try StoreWriter(path: path)
        let places = try StoreReader(path: path).fleetPlaces()
        #expect(places.map(\.sequence) == [7] && places.map(\.awaySince) == [nil])
    }

    @Test("rules that an older version counted events for are not read for again")
    func eventRules() throws {
        let old = try Database(path: path, access: .write)
        try old.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for migration in Self.migrations[..<28] { try old.execute(migration) }
        try old.execute(
            """
            PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = 28;
            INSERT INTO eventTimes(uid, user, rule, times) VALUES
                (1000, 'ada', 'done', x''), (1000, 'ben', 'done', x''), (1000, 'ben', 'export', x'')
            """)
        _ = try StoreWriter(path: path)
        let rules = try StoreReader(path: path).eventRules()
        #expect(rules == [ExactName("done"): RuleGaps(), ExactName("export"): RuleGaps()])
    }

    @Test("a migration that fails leaves the file as it was")
    func failedMigration() throws {
        let old = try Database(path: path, access: .write)
        for migration in Self.migrations[..<1] { try old.execute(migration) }
        // In the way of the second version.
        try old.execute(
            "CREATE TABLE gating(x); PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = 1")
        #expect(throws: StoreError.self) { _ = try Schema.open(path: path) }
        #expect(try old.integer("PRAGMA user_version") == 1)
        #expect(try old.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'presentation'") == 0)
    }

    @Test("a store of a newer version is refused and not touched")
    func newer() throws {
        let newer = try Schema.open(path: path)
        try newer.execute("PRAGMA user_version = 99")
        let error = refusal()
        #expect(error?.code == .tooNew)
        #expect(error?.message.contains("99") == true)
        #expect(try newer.integer("PRAGMA user_version") == 99)
    }

    @Test(
        "the database of another program is refused and not touched",
        arguments: ["CREATE TABLE notes(x)", "PRAGMA application_id = 7", "PRAGMA user_version = 3"])
    func foreign(_ sql: String) throws {
        let other = try Database(path: path, access: .write)
        try other.execute(sql)
        let before = try other.integer("SELECT count(*) FROM sqlite_schema")
        let error = refusal()
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("not a Hark store") == true)
        #expect(try other.integer("SELECT count(*) FROM sqlite_schema") == before)
        #expect(try other.integer("PRAGMA journal_mode") == nil || other.integer("PRAGMA user_version") ?? 0 < 4)
    }

    @Test("a file that is no database is refused, with what to do")
    func garbage() throws {
        try Data((0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: URL(fileURLWithPath: path))
        let error = refusal()
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("move the file aside") == true)
    }

    @Test("a store whose pages are damaged says so")
    func damagedPages() throws {
        let writer = try StoreWriter(path: path)
        _ = try writer.database.checkpoint(.truncate)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Everything behind the file's header is overwritten.
        bytes.replaceSubrange(200..<bytes.count, with: repeatElement(0x5a, count: bytes.count - 200))
        let other = folder.path + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try bytes.write(to: URL(fileURLWithPath: other + "/hark.db"))
        let error = #expect(throws: StoreError.self) { _ = try Store(folder: other) }
        #expect(error?.code == .corrupt)
    }

    @Test("a folder that is not there is told as that")
    func missingFolder() {
        let error = #expect(throws: StoreError.self) { _ = try Store(folder: folder.path + "/nowhere") }
        #expect(error?.code == .inaccessible)
        #expect(error?.message.contains("folder") == true)
    }

    @Test("a store that is closed leaves one file, a reserve and its head, and has its content at the next start")
    func closing() async throws {
        let store = try Store(folder: folder.path)
        var changes = Changes()
        changes.rows.append(.other(DeliveryRow.setDestination(name: "archive", cursor: 12, state: .none)))
        let batch = Batch(changes: changes, watermark: .init())
        _ = try await withCheckedContinuation { continuation in
            store.commit(batch) { continuation.resume(returning: $1) }
        }.get()
        #expect(try await store.read { reader throws(StoreError) in try reader.destination("archive")?.cursor } == 12)
        store.close()
        let left = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
        #expect(left.subtracting(["hark.reserve", "hark.db.head"]) == ["hark.db"])
        let again = try Store(folder: folder.path)
        #expect(try again.makeReader().destination("archive")?.cursor == 12)
        #expect(try again.makeReader().destination("nobody")?.cursor == nil)
        again.close()
    }
}
