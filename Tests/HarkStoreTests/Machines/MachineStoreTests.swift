import HarkTesting
import HarkWire
import Testing

@testable import HarkCore
@testable import HarkStore

/// Machines, and sessions of them, in the file.
@Suite struct MachineStoreTests {
    private static let log = Identifier(high: 5, low: 6)
    private let store: StoreUnderTest
    private let machine = MachineIdentity(row: 1, name: "kiosk-1", group: "north", log: log)

    init() throws {
        store = try StoreUnderTest()
        try store.commit(rows: [.other(MachineRow.insert(machine))])
    }

    private func makeSession(
        _ userId: String? = "ada", of machine: MachineIdentity, startedAt: Int64 = 0
    ) -> SessionIdentity {
        store.watermark.lastSessionRow += 1
        let row = store.watermark.lastSessionRow
        return SessionIdentity(
            row: row, id: Identifier(high: 7, low: UInt64(row)), scope: Scope(uid: machine.uid, app: "shop"),
            userId: userId, startedAt: Timestamp(milliseconds: startedAt), metadata: .none, isImplicit: false,
            machine: machine, machineUID: 1000)
    }

    @Test("a machine is found by name, group and log, and its sessions come with it")
    func machines() throws {
        let moved = MachineIdentity(row: 2, name: "kiosk-1", group: nil, log: Self.log)
        try store.commit(rows: [.other(MachineRow.insert(moved))])
        #expect(try store.reader.machine(named: "kiosk-1", group: "north", log: Self.log)?.row == 1)
        #expect(try store.reader.machine(named: "kiosk-1", group: nil, log: Self.log)?.row == 2)
        #expect(try store.reader.machine(named: "kiosk-1", group: nil, log: Identifier(high: 0, low: 1)) == nil)
        #expect(try store.reader.machine(named: "Kiosk-1", group: nil, log: Self.log) == nil)
        #expect(try store.reader.lastMachineRow() == 2)
        #expect(try store.reader.machines().map(\.group) == ["north", nil])
        #expect(throws: StoreError.self) {
            try store.commit(
                rows: [.other(MachineRow.insert(MachineIdentity(row: 3, name: "kiosk-1", group: nil, log: Self.log)))])
        }

        let own = try store.add(events: 1)
        let session = makeSession(of: machine)
        let record = Record(
            sequence: store.watermark.lastSequence + 1, id: Identifier(high: 9, low: 9),
            at: Timestamp(milliseconds: 1), kind: .event, session: session, name: "tap",
            source: Source(uid: 1000, pid: 1), origin: 77)
        store.watermark.lastSequence += 1
        try store.commit(rows: [.session(.insert(Session(session)))], records: [record])
        try store.reopen()
        let read = try #require(try store.reader.session(row: session.row)).identity
        #expect(read.machine == machine && read.machine?.name == "kiosk-1" && read.machineUID == 1000)
        #expect(try store.reader.session(row: own.row)?.identity.machine == nil)
        #expect(try store.reader.session(row: own.row)?.identity.machineUID == nil)
        var query = RecordQuery(limit: 10)
        query.kinds = .all
        let found = try store.reader.records(query, maxBytes: .max).records
        #expect(found.map(\.origin) == [0, 0, 77])
        #expect(try store.reader.hasSessionsOfHighUIDs())
    }

    @Test("what a session of a machine held before is kept apart from the uid it has there")
    func accounts() throws {
        try store.add(uid: 1000)
        let session = makeSession(of: machine)
        try store.commit(rows: [.session(.insert(Session(session)))])
        var query = SessionQuery(limit: 10)
        query.uid = 1000
        #expect(try store.reader.sessions(query).sessions.count == 1)
        query.uid = machine.uid
        #expect(try store.reader.sessions(query).sessions.map(\.session.identity.row) == [session.row])
    }

    @Test("retention counts the sessions of each machine by themselves, and leaves those alone that go on")
    func retention() throws {
        let other = MachineIdentity(row: 2, name: "kiosk-2", group: nil, log: Identifier(high: 1, low: 1))
        try store.commit(rows: [.other(MachineRow.insert(other))])
        let day: Int64 = 86_400_000
        let now = Timestamp(milliseconds: 1_000 * day)
        var kept: Set<Int64> = []
        for machine in [machine, other] {
            for place in 0..<4 {
                let session = makeSession(of: machine, startedAt: (900 + Int64(place)) * day)
                let end = session.startedAt.adding(milliseconds: 1)
                try store.commit(rows: [.session(.insert(Session(session, endedAt: end)))])
                if place >= 2 { kept.insert(session.row) }
            }
        }
        for index in 0..<4 { kept.insert(try store.add("ada", startedAt: (900 + Int64(index)) * day).row) }
        // Two that have not ended: of one something came just now, the other has been silent for long.
        for (sentAt, isKept) in [(now.milliseconds - day, true), (now.milliseconds - 3 * day, false)] {
            let session = makeSession(of: machine, startedAt: 800 * day)
            store.watermark.lastSequence += 1
            let record = Record(
                sequence: store.watermark.lastSequence, id: Identifier(high: 9, low: store.watermark.lastSequence),
                at: Timestamp(milliseconds: sentAt), kind: .event, session: session, name: "tap",
                source: Source(uid: 1000, pid: 1), origin: 1)
            try store.commit(rows: [.session(.insert(Session(session)))], records: [record])
            if isKept { kept.insert(session.row) }
        }
        let policy = RetentionPolicy(maxSessionsPerUser: 2)
        try store.commit(
            upkeep: [machine, other].map { .retire(policy, of: .user(uid: $0.uid, userId: "ada"), now: now) })
        #expect(Set(try store.visible()) == kept)
        try store.commit(upkeep: [.retire(RetentionPolicy(maxAgeDays: 1), of: .uid(machine.uid), now: now)])
        #expect(
            try store.reader.sessions(SessionQuery(limit: 99)).sessions.count { $0.session.identity.machine == machine }
                == 1)
    }

    @Test("a store of version 13 is brought up to date, its sessions are the hub's own")
    func migration() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.path + "/hark.db"
        let old = try Database(path: path, access: .write)
        try old.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for migration in Schema.migrations(of: StoreFamily.all)[..<13] { try old.execute(migration) }
        try old.execute("PRAGMA application_id = \(Schema.applicationId); PRAGMA user_version = 13")
        try old.execute(
            """
            INSERT INTO session(row, id, uid, app, user, started, ended, implicit, metadata)
            VALUES (5, x'00112233445566778899aabbccddeeff', 1000, 'default', 'ada', 1, NULL, 0, x'')
            """)
        let writer = try StoreWriter(path: path)
        let newest = Int64(Schema.migrations(of: StoreFamily.all).count)
        #expect(try writer.database.integer("PRAGMA user_version") == newest)
        let reader = try StoreReader(path: path)
        #expect(try reader.session(row: 5)?.identity.machineUID == nil)
        #expect(try reader.machines().isEmpty)
    }
}
