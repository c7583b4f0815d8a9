import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger
@testable import HarkSettings

/// `hark` with a hub: filters, groups, SQL, and an export like the machine's own.
@Suite(.timeLimit(.minutes(45))) struct MachineToolTests {
    private static let configuration = #"{"archive":false,"notify":null,"retention":"none"}"#

    @DaemonActor
    private static func fill(_ hub: DaemonFixture) async throws {
        let client = try hub.connect()
        try await client.call("event.record", #"{"name":"own","app":"shop","properties":{"machine":"a property"}}"#)
        for (name, group) in [("kiosk-1", "north"), ("kiosk-2", "south")] {
            var machine = SampleMachine(name, group: group)
            machine.session()
            machine.add("tap", properties: Properties([("n", .integer(1))]))
            machine.log("Paper is out")
            try await hub.take(machine)
        }
    }

    @Test("what is asked of some machines is told of these, by every command")
    func filters() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { hub in
            try await Self.fill(hub)
            func lines(_ arguments: String...) async throws -> [String] {
                try await hub.hark(arguments).split(whereSeparator: \.isNewline).map(String.init)
            }
            for arguments in [["--machine", "kiosk-1"], ["--group", "n*"], ["--machine=kiosk-*", "--group=north"]] {
                let events = try await hub.hark(["events", "--json"] + arguments).split(separator: "\n")
                #expect(events.count == 1 && events[0].contains(#""machine":"kiosk-1""#), "\(arguments)")
                #expect(try await hub.hark(["logs", "--json"] + arguments).split(separator: "\n").count == 1)
                #expect(
                    try await hub.hark(["session", "list", "--json"] + arguments).contains(#""machine":"kiosk-1""#))
                #expect(try await hub.hark(["stats", "--csv"] + arguments).hasSuffix("tap,1\r\n"))
                #expect(try await hub.hark(["chart", "--json", "--every", "1d"] + arguments).contains(#""count":1"#))
                let page = try await hub.hark(["report", "--out", "-"] + arguments)
                #expect(page.contains("tap") && !page.contains("own</"))
            }
            // A property of that name goes before.
            let groups = Set(try await lines("stats", "--by", "machine", "--csv").dropFirst())
            #expect(groups == ["a property,1", "kiosk-1,1", "kiosk-2,1"])
            #expect(
                Set(try await lines("stats", "--by", "@machine", "--csv").dropFirst()) == [
                    ",1", "kiosk-1,1", "kiosk-2,1",
                ])
            #expect(try await lines("events", "--json", "--where", "group = south").count == 1)
            #expect(try await lines("clear", "--machine", "kiosk-2", "--yes") == ["removed 1 event and 1 session"])
            #expect(try await lines("events", "--json").count == 2)
        }
    }

    @Test("SQL has machine and group as columns, and asks the daemon for them")
    func sql() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { hub in
            try await Self.fill(hub)
            let statements: [(String, String)] = [
                (#"SELECT name, "group" FROM events WHERE machine = 'kiosk-1'"#, "tap,north"),
                (#"SELECT name FROM events WHERE machine IS NULL"#, "own"),
                (#"SELECT count(*) FROM events WHERE machine IS NULL AND "group" = 'north'"#, "0"),
                (#"SELECT machine FROM logs WHERE "group" = 'south'"#, "kiosk-2"),
                (#"SELECT machine, uid FROM sessions WHERE "group" = 'south'"#, "kiosk-2,1000"),
                (#"SELECT count(*) FROM sessions WHERE machine LIKE 'KIOSK%'"#, "2"),
                (#"SELECT count(*) FROM presentations WHERE machine = 'kiosk-1'"#, "0"),
                (#"SELECT count(*) FROM answers WHERE "group" = 'north'"#, "0"),
                (#"SELECT count(DISTINCT s.machine) FROM events e JOIN sessions s ON s.id = e.session"#, "2"),
            ]
            for (statement, told) in statements {
                let rows = try await hub.hark(["sql", "--csv", statement]).split(whereSeparator: \.isNewline)
                #expect(rows.dropFirst().map(String.init) == [told], "\(statement)")
            }
        }
    }

    @Test("the export of a machine from a hub is, byte for byte, what the machine itself exports")
    func export() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { machine in
            let client = try machine.connect()
            try await client.call(
                "session.start", #"{"userId":"Ada Lövelace","app":"shop","metadata":{"plan":"pro","n":1.5}}"#)
            for number in 0..<20 {
                try await client.call(
                    "event.record",
                    #"{"name":"tap","app":"shop","properties":{"n":\#(number),"text":"a \"b\" \u00e9"}}"#)
            }
            try await client.call("session.end", #"{"app":"shop"}"#)
            try await client.call("event.record", #"{"name":"anonymous","timestamp":"2020-01-01T00:00:00.001Z"}"#)
            try await client.call("log.write", #"{"message":"not in the export","userId":"bob"}"#)
            let source = machine
            try await DaemonFixture.run(configuration: Self.configuration) { hub in
                // The hub has records of its own, one with the id of a machine's session.
                let own = try hub.connect()
                try await own.call("event.record", #"{"name":"own"}"#)
                let records = try source.storedRecords()
                let taken = records.first { $0.kind == .event }?.session.id ?? Identifier(high: 0, low: 0)
                try await own.call(
                    "session.import", #"{"session":{"id":"\#(taken)","startedAt":"2026-01-02T03:04:05.678Z"}}"#)
                let log = Identifier(high: 5, low: 5)
                // In the middle of it, the machine has moved to another group.
                for (group, part) in [("north", records.prefix(12)), ("south", records.suffix(from: 12))] {
                    let identity = try await hub.machines.machine(named: "kiosk-1", group: group, log: log)
                    let sessions = try source.storedSessions()
                    try await hub.machines.take(
                        sessions, part.map { MachineRecord($0) }, of: identity, skippingKnown: false
                    ).stored()
                }
                let (there, here) = (source.folder.path + "/there", source.folder.path + "/here")
                _ = try await source.hark(["export", there])
                _ = try await hub.hark(["export", "--machine", "kiosk-1", here])
                let files = try tree(there)
                #expect(files.count == 2 * 2 + 1)
                #expect(try tree(here) == files)
            }
        }
    }
}

/// The files below a folder, with their contents.
private func tree(_ folder: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in FileManager.default.enumerator(atPath: folder) ?? .init() {
        guard let name = name as? String else { continue }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder), !isFolder.boolValue
        else { continue }
        files[name] = String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)), as: UTF8.self)
    }
    return files
}

extension MachineRecord {
    /// The record as its machine would send it.
    fileprivate init(_ record: Record) {
        self.init(
            origin: record.sequence, kind: record.kind, id: record.id, at: record.at, name: record.name,
            properties: record.properties, source: record.source, session: record.session.id)
    }
}

extension DaemonFixture {
    fileprivate func storedSessions() throws -> [MachineSession] {
        let rows = Set(try storedRecords().map(\.session.row))
        return try daemon.ledger.lookUp { reader throws(StoreError) in
            var sessions: [MachineSession] = []
            for row in rows.sorted() {
                guard let session = try reader.session(row: row) else { continue }
                sessions.append(MachineSession(session.identity, id: session.identity.id, endedAt: session.endedAt))
            }
            return sessions
        }
    }
}
