import Foundation
import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

/// The declarations of tables equal the results of the migrations.
@Suite struct TableTests {
    private static let migrations = Schema.migrations(of: StoreFamily.all)

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        path = folder.path + "/hark.db"
    }

    /// Whether the table is as declared, but for columns that only statements of their own know.
    private func expect(
        _ table: any StoredTable.Type, besides others: Set<String> = [], written statement: String? = nil,
        in database: Database
    ) throws {
        let lists = [table.columns(.read), table.columns(.written)].map { $0.components(separatedBy: ", ") }
        let declared = Set(lists[0] + lists[1])
        #expect(try declared.union(others) == Set(database.columns(of: table.name)), "\(table.name)")
        #expect(declared.isDisjoint(with: others))
        for names in lists { #expect(Set(names).count == names.count, "\(table.name)") }
        // The keys of an upsert are refused where no index is unique on them.
        _ = try database.prepare(table.selection)
        _ = try database.prepare(statement ?? table.upsert)
    }

    private func expectTables(in database: Database) throws {
        try expect(PresentationTable.self, besides: ["row", "redacted"], in: database)
        for table: any NumberedTable.Type in [WatchTable.self, WishTable.self, EnrolmentTable.self] {
            try expect(table, besides: ["row"], in: database)
        }
        for table: any StoredTable.Type in [ExecutionTable.self, FleetPlaceTable.self] {
            try expect(table, besides: ["row"], in: database)
        }
        for table: any StoredTable.Type in [
            GatingTable.self, EventTimesTable.self, CounterTable.self, ConfiguredTable.self, FormTable.self,
            FormAnswerTable.self, FleetCreditTable.self, DeadLetterTable.self,
        ] {
            try expect(table, in: database)
        }
        try expect(RunTable.self, besides: ["row"], written: RunTable.insertion, in: database)
        try expect(CreditTable.self, written: CreditTable.insertion, in: database)
        try expect(MachineTable.self, written: MachineTable.insertion, in: database)
    }

    @Test("the columns of a new store are those that are declared")
    func new() throws { try expectTables(in: Schema.open(path: path)) }

    @Test("a huge number, and a text or an id that cannot be read, do not make a query of a small table fail")
    func mended() throws {
        let writer = try StoreWriter(path: path)
        try writer.database.execute(
            """
            INSERT INTO fleet_place(machine, log, sequence, id, at, taken) VALUES
                ('kiosk-1', x'00112233445566778899aabbccddeeff', \(Int64.max), x'10112233445566778899aabbccddeeff', 1, 2),
                (CAST(x'ff' AS TEXT), x'00', 7, x'10112233445566778899aabbccddeeff', 1, 2);
            INSERT INTO machine(name, grp, log) VALUES ('kiosk-1', '', x'00')
            """)
        let reader = try StoreReader(path: path)
        #expect(try Set(reader.fleetPlaces().map(\.sequence)) == [7, UInt64(Int64.max)])
        let machine = try MachineTable.first(try writer.database.prepare(MachineTable.selection))
        #expect(machine?.name == "kiosk-1" && machine?.log == Identifier(high: 0, low: 0))
    }

    @Test("the columns of a store of any version are those that are declared, once it is migrated")
    func versions() throws {
        for version in 1..<Self.migrations.count {
            let path = folder.path + "/\(version).db"
            let old = try Database(path: path, access: .write)
            for migration in Self.migrations[..<version] { try old.execute(migration) }
            try old.execute("PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = \(version)")
            try expectTables(in: Schema.open(path: path))
        }
    }

    @Test("the columns of a store that 0.1.0 has written are those that are declared, once it is migrated")
    func earlier() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        try FileManager.default.copyItem(atPath: tests.path + "/Fixtures/stores/0.1.0/hark.db", toPath: path)
        try expectTables(in: Schema.open(path: path))
    }

    @Test("columns that are read in place have the numbers by which they are")
    func numbers() throws {
        let database = try Schema.open(path: path)
        func expect(_ sql: String, _ names: KeyValuePairs<Int32, String>) throws {
            let statement = try database.prepare(sql)
            for (number, name) in names { #expect(statement.name(of: number) == name) }
        }
        try expect(
            PresentationTable.selection,
            [
                0: "id", 1: "survey", 2: "uid", 3: "user", 4: "app", 5: "origin", 6: "session", 7: "state", 9: "due",
                10: "expires", 11: "presented", 12: "closed", PresentationTable.ownsSession: "ownsSession",
                15: "reason", 16: "locale", 17: "answers", 18: "shown", 20: "prompt", 22: "times", 24: "revises",
                25: "revisedBy", 26: "changeable", 27: "trigger", 28: "given",
            ])
        try expect(
            "SELECT \(ExecutionTable.columns(.read)), row FROM execution",
            [ExecutionTable.definition: "definition", ExecutionTable.row: "row"])
        try expect(RunTable.selection, [5: "action", 7: "value", 8: "counters"])
        try expect(CounterTable.selection, [2: "name", 4: "initial", 5: "changed"])
        try expect(FormAnswerTable.selection, [0: "uid", 1: "user", 2: "form", 3: "question", 4: "answer"])
    }
}
