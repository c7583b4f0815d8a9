import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkWire

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger

/// A machine as the tests of a hub have it: its sessions and records, numbered as its own log would.
struct SampleMachine {
    let name: String
    var group: String?
    var log = Identifier(high: 0x4c0c, low: 1)
    private(set) var sequence: UInt64 = 0
    private(set) var sessions: [MachineSession] = []
    private(set) var records: [MachineRecord] = []

    init(_ name: String, group: String? = nil) {
        self.name = name
        self.group = group
    }

    private var seed: UInt64 { UInt64(name.utf8.reduce(7) { $0 &* 31 &+ Int($1) } & 0xFFFF_FFFF) }

    /// Begins a session; its id tells the machine and its place.
    @discardableResult
    mutating func session(
        _ userId: String? = "ada", app: String = "shop", uid: UInt32 = 1000, startedAt: Int64 = 1_700_000_000_000,
        id: Identifier? = nil
    ) -> Identifier {
        let id = id ?? Identifier(high: seed << 16 | 0x7000, low: UInt64(sessions.count) + 1)
        let session = MachineSession(
            id: id, uid: uid, app: app, userId: userId, startedAt: Timestamp(milliseconds: startedAt), endedAt: nil,
            metadata: Properties([("plan", .string("pro"))]), isImplicit: false, isForLogs: false)
        sessions.append(session)
        add("", kind: .sessionStarted, at: startedAt, properties: session.metadata)
        return id
    }

    /// Adds a record to the newest session, or another.
    mutating func add(
        _ name: String, kind: Record.Kind = .event, at: Int64? = nil, properties: Properties = .none,
        of session: Identifier? = nil
    ) {
        guard let session = session ?? sessions.last?.id else { return }
        sequence += 1
        records.append(
            MachineRecord(
                origin: sequence, kind: kind, id: Identifier(high: seed << 16 | 0x7001, low: sequence),
                at: Timestamp(milliseconds: at ?? 1_700_000_000_000 + Int64(sequence)), name: name,
                properties: properties, source: Source(uid: sessions.last?.uid ?? 0, pid: 42), session: session))
    }

    /// Adds a line of log.
    mutating func log(_ message: String, level: LogEntry.Level = .info) {
        add(
            level.rawValue, kind: .log,
            properties: Properties([("message", .string(message)), ("userId", .string("ada"))]))
    }
}

extension DaemonFixture {
    var machines: MachineRecords { daemon.machines }

    /// Lets the hub take over all records of a machine, and waits until they are on disk.
    @discardableResult
    func take(
        _ machine: SampleMachine, records: [MachineRecord]? = nil, sessions: [MachineSession]? = nil,
        skippingKnown: Bool = false
    ) async throws -> Taken {
        let identity = try await machines.machine(named: machine.name, group: machine.group, log: machine.log)
        return try await machines.take(
            sessions ?? machine.sessions, records ?? machine.records, of: identity, skippingKnown: skippingKnown
        ).stored().value
    }

    /// All records that are stored, in order.
    func storedRecords() throws -> [Record] {
        var query = RecordQuery(limit: 100_000)
        query.kinds = .all
        return try daemon.ledger.lookUp { [query] reader throws(StoreError) in
            try reader.records(query, maxBytes: .max).records
        }
    }
}

extension DaemonFixture {
    /// The content of a file; nil if there is none.
    func text(of path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}
