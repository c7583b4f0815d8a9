import HarkWire
import Testing

@testable import HarkCore

/// The engine takes records that a machine has sent.
@Suite struct MachineTakingTests {
    private let machine = MachineIdentity(row: 3, name: "kiosk-1", group: "north", log: Identifier(high: 5, low: 6))
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let session = Identifier(high: 1, low: 1)

    private func given(userId: String? = "ada", app: String = "shop") -> MachineSession {
        MachineSession(
            id: session, uid: 1000, app: app, userId: userId, startedAt: Timestamp(milliseconds: 100), endedAt: nil,
            metadata: Properties([("plan", .string("pro"))]), isImplicit: false, isForLogs: false)
    }

    private func record(
        _ origin: UInt64, kind: Record.Kind = .event, _ name: String = "tap", at: Int64 = 200,
        properties: Properties = .none
    ) -> MachineRecord {
        MachineRecord(
            origin: origin, kind: kind, id: Identifier(high: 9, low: origin), at: Timestamp(milliseconds: at),
            name: name, properties: properties, source: Source(uid: 1000, pid: 42), session: session)
    }

    private func batch(_ sessions: [MachineSession], _ records: [MachineRecord], maxBytes: Int = 1 << 20)
        -> MachineBatch
    {
        var batch = MachineBatch(of: machine, maxBytes: maxBytes)
        for session in sessions {
            batch.places[session.id] = .new(session, as: session.id)
            batch.new.append(session.id)
        }
        batch.records = records
        return batch
    }

    @Test("records keep their order, ids, times, sources and numbers, and get numbers of this store")
    func taken() throws {
        var engine = Engine(watermark: .init(lastSequence: 7, lastSessionRow: 2))
        var changes = Changes()
        let properties = Properties([("n", .integer(3))])
        let records = [
            record(12, kind: .sessionStarted, "", at: 100), record(13, properties: properties),
            record(9, at: 150), record(14, kind: .sessionEnded, "", at: 300),
        ]
        let (taken, sessions) = engine.take(batch([given()], records), now: now, into: &changes)
        #expect(taken.taken == 4 && taken.refused.isEmpty && taken.refusedSessions.isEmpty)
        #expect(changes.records.map(\.sequence) == [8, 9, 10, 11])
        #expect(changes.records.map(\.origin) == [12, 13, 9, 14])
        #expect(changes.records.map(\.id) == records.map(\.id))
        #expect(changes.records.map(\.at) == records.map(\.at))
        #expect(changes.records.map(\.kind) == records.map(\.kind))
        #expect(changes.records.map(\.source) == records.map(\.source))
        #expect(changes.records[1].properties == properties)
        let session = try #require(sessions[session])
        #expect(session.scope == Scope(uid: 0x8000_0003, app: "shop"))
        #expect(session.machine == machine && session.machineUID == 1000 && session.row == 3)
        // It begins, ends where its machine says so, and never is the current one.
        guard case .session(.insert(let made)) = changes.rows[0], case .session(.end(3, let end)) = changes.rows[1]
        else {
            Issue.record("\(changes.rows)")
            return
        }
        #expect(made.endedAt == nil && end == Timestamp(milliseconds: 300) && changes.rows.count == 2)
        #expect(engine.sessions.current(session.scope) == nil)
    }

    @Test(
        "what breaks a rule is refused by its number, and the others are taken",
        arguments: [
            (Record.Kind.event, "", Properties.none), (.event, String(repeating: "n", count: 257), .none),
            (.form, String(repeating: "n", count: 1_025), .none),
            (.event, "x", Properties([(String(repeating: "k", count: 1_025), .bool(true))])),
            (.event, "x", Properties([("k", .double(.nan))])), (.event, "x", Properties(bytes: [3, 97])),
            (.event, "x", Properties(bytes: [1, 0xff, 3])), (.event, "x", Properties(bytes: [1, 97, 9])),
            (.event, "x", Properties(bytes: [1, 97, 0, 1, 0xc3])),
            (.event, "x", Properties([("k", .string(String(repeating: "x", count: 4_096)))])),
            (.log, "loud", Properties([("message", .string("m")), ("userId", .string("u"))])),
            (.log, "info", Properties([("message", .string("m"))])),
            (.log, "info", Properties([("message", .string("m")), ("userId", .integer(1))])),
        ])
    func refused(_ kind: Record.Kind, _ name: String, _ properties: Properties) {
        var engine = Engine(watermark: .init())
        var changes = Changes()
        let records = [record(1), record(2, kind: kind, name, properties: properties), record(3)]
        let (taken, _) = engine.take(batch([given()], records, maxBytes: 2_048), now: now, into: &changes)
        #expect(taken.taken == 2)
        #expect(taken.refused.map(\.origin) == [2])
        #expect(changes.records.map(\.origin) == [1, 3])
        #expect(engine.lastSequence == 2)
    }

    @Test("a number that no log has, and a record of no session, are refused")
    func numbers() {
        var engine = Engine(watermark: .init())
        var changes = Changes()
        let records = [record(0), record(Record.largestOrigin + 1), record(Record.largestOrigin)]
        #expect(engine.take(batch([given()], records), now: now, into: &changes).taken.refused.count == 2)
        #expect(changes.records.map(\.origin) == [Record.largestOrigin])
        let (taken, _) = engine.take(batch([], [record(1)]), now: now, into: &changes)
        #expect(taken.refused.map(\.reason.reason) == [.notFound])
    }

    @Test("a session that breaks a rule is refused with its records")
    func refusedSession() {
        var engine = Engine(watermark: .init())
        var changes = Changes()
        let (taken, sessions) = engine.take(batch([given(app: "")], [record(4)]), now: now, into: &changes)
        #expect(taken.taken == 0 && taken.refused.map(\.origin) == [4] && sessions.isEmpty)
        #expect(taken.refusedSessions.map(\.id) == [session])
        #expect(changes.isEmpty)
    }

    @Test("an id derived for a session is the same every time, and another for each machine and session")
    func derived() {
        let other = MachineIdentity(row: 4, name: "kiosk-2", group: nil, log: Identifier(high: 5, low: 6))
        let id = machine.derivedId(for: session)
        #expect(id == machine.derivedId(for: session))
        #expect(id != other.derivedId(for: session))
        #expect(id != machine.derivedId(for: Identifier(high: 1, low: 2)))
        #expect(id.high >> 12 & 0xF == 8 && id.low >> 62 == 0b10)
    }
}
