import Foundation
import Glibc
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkStore

/// A store whose file was damaged or lost, and what its archive brings back.
@Suite(.serialized) struct RepairTests {
    @DaemonActor
    private static func fill(_ fixture: DaemonFixture) async throws {
        let client = try fixture.connect()
        for user in ["ada", "bob", "cleo"] {
            try await client.call("session.start", #"{"userId":"\#(user)","metadata":{"plan":"pro"}}"#)
            for number in 0..<60 {
                let filler = String(repeating: "ä", count: 200)
                try await client.call(
                    "event.record", #"{"name":"step \#(number % 7)","properties":{"n":\#(number),"t":"\#(filler)"}}"#)
            }
        }
        try await eventually("the archive has all") {
            fixture.daemon.ledger.isSettled && fixture.daemon.delivery.archive.pending == 0
        }
    }

    /// All listed events by their numbers, and the warnings.
    @DaemonActor
    private static func events(
        _ fixture: DaemonFixture, _ filter: String = ""
    ) async throws -> (events: [Int64: JSONValue], warnings: [JSONValue]) {
        let reply = try await fixture.connect().call("event.list", #"{"limit":1000\#(filter)}"#)
        let listed = try #require(reply["events"]?.arrayValue)
        return (
            Dictionary(uniqueKeysWithValues: listed.compactMap { event in event["seq"]?.intValue.map { ($0, event) } }),
            reply["warnings"]?.arrayValue ?? []
        )
    }

    /// Overwrites leaves of tables.
    private static func damage(_ path: String, _ tables: [String], _ choose: ([Int64]) -> [Int64]) throws {
        let database = try Database(path: path, access: .write)
        var chosen: [Int64] = []
        for table in tables {
            let pages = try database.prepare(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
            ).bind(1, table)
            var leaves: [Int64] = []
            while try pages.step() { leaves.append(pages.integer(0)) }
            pages.reset()
            chosen += choose(leaves)
        }
        #expect(try database.checkpoint(.truncate))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { file.closeFile() }
        for page in chosen {
            file.seek(toFileOffset: UInt64(page - 1) * 4_096)
            file.write(Data(repeating: 0xA5, count: 4_096))
        }
    }

    @Test(
        "lists pass over damaged pages and say so, status and metrics tell, and a repair brings all back as it was",
        arguments: [["block"], ["session"], ["session_block"], ["stretch"], ["block", "session", "meta"]])
    func pages(tables: [String]) async throws {
        try await DaemonFixture.run { fixture in
            try await Self.fill(fixture)
            let before = try await Self.events(fixture)
            #expect(before.events.count == 180 && before.warnings.isEmpty)
            try await fixture.restartAlone {
                try Self.damage(fixture.daemon.ledger.store.path, tables) { leaves in
                    leaves.count < 3 ? leaves : [leaves[1], leaves[leaves.count / 2]]
                }
            }
            let damaged = try await Self.events(fixture)
            for (number, event) in damaged.events { #expect(event == before.events[number]) }
            let losesRecords = tables.contains { ["block", "session"].contains($0) }
            #expect((damaged.events.count < 180) == losesRecords)
            #expect(damaged.warnings.isEmpty != losesRecords)
            // Recording goes on.
            let client = try fixture.connect()
            let new = try await client.call("event.record", #"{"name":"new"}"#)
            #expect(try #require(new["seq"]?.intValue) > before.events.keys.max() ?? .max)
            if losesRecords {
                let status = try await client.call("daemon.status")
                #expect(status["store"]?["lostRecords"]?.intValue ?? 0 > 0)
                let problems = status["problems"]?.arrayValue?.compactMap { $0["message"]?.stringValue } ?? []
                #expect(problems.contains { $0.contains("hark repair") })
                let metrics = try await client.call("daemon.status", #"{"format":"openmetrics"}"#)["text"]?.stringValue
                #expect(metrics?.contains("hark_store_lost_records 0\n") == false)
            }
            let told = try await fixture.repair()
            // The records of a lost session come back with it.
            let missing = Int64(180 - damaged.events.count)
            #expect(tables.contains("session") || told["restoredEvents"]?.intValue == missing)
            #expect(!tables.contains("session") || told["restoredSessions"] == 3)
            #expect(tables != ["session"] || told["gone"] == [], "\(told)")
            #expect(told["isPartial"] == false && told["notRestored"] == 0)
            for filter in ["", #","order":"desc""#, #","userId":"bob""#, #","name":"step 3""#] {
                let after = try await Self.events(fixture, filter).events.filter { $0.value["name"] != "new" }
                let expected = before.events.filter { _, event in
                    filter.contains("bob")
                        ? event["userId"] == "bob" : filter.contains("step") ? event["name"] == "step 3" : true
                }
                #expect(after == expected, "\(filter)")
            }
            #expect(try await Self.events(fixture).warnings.isEmpty)
            let status = try await fixture.connect().call("daemon.status")
            #expect(status["store"]?["unreadable"] == 0)
            #expect(try await fixture.repair()["restoredEvents"] == 0)
            try await fixture.restartAlone()
            #expect(
                try await Self.events(fixture, #","name":"step 3""#).events.count
                    == before.events.count { $0.value["name"] == "step 3" })
        }
    }

    @Test(
        "a store that was lost, emptied or cut short beside a whole archive says so, and a repair brings back what the archive has",
        arguments: ["gone", "empty", "cut"])
    func lost(how: String) async throws {
        try await DaemonFixture.run { fixture in
            try await Self.fill(fixture)
            let before = try await Self.events(fixture)
            try await fixture.restartAlone {
                let path = fixture.daemon.ledger.store.path
                for end in ["-wal", "-shm"] { unlink(path + end) }
                switch how {
                case "gone": #expect(unlink(path) == 0)
                default:
                    // Another file in its place, so that readers of the old one are not disturbed.
                    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
                    #expect(unlink(path) == 0)
                    try (how == "empty" ? Data() : whole.dropLast(40_000)).write(to: URL(fileURLWithPath: path))
                }
            }
            let client = try fixture.connect()
            try await eventually("it is told") {
                try await client.call("daemon.status")["problems"]?.arrayValue?.contains {
                    $0["message"]?.stringValue?.contains("hark repair") ?? false
                } ?? false
            }
            _ = try await fixture.repair()
            let after = try await Self.events(fixture)
            #expect(after.events == before.events && after.warnings.isEmpty)
            let back = try fixture.connect()
            let sessions = try await back.call("session.list", "{}")["sessions"]?.arrayValue ?? []
            #expect(Set(sessions.compactMap { $0["userId"]?.stringValue }) == ["ada", "bob", "cleo"])
            #expect(sessions.allSatisfy { $0["metadata"]?["plan"] == "pro" })
            let problems = try await back.call("daemon.status")["problems"]
            #expect(problems == [], "\(String(describing: problems))")
            let new = try await back.call("event.record", #"{"name":"new"}"#)
            #expect(try #require(new["seq"]?.intValue) > before.events.keys.max() ?? .max)
        }
    }

    @Test("what the archive does not have either is told as gone, with its numbers and times")
    func gone() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            for number in 0..<60 {
                let filler = String(repeating: "x", count: 400)
                try await client.call("event.record", #"{"name":"a","properties":{"n":\#(number),"t":"\#(filler)"}}"#)
            }
            try await fixture.restartAlone {
                try Self.damage(fixture.daemon.ledger.store.path, ["block"]) { [$0[1]] }
            }
            let left = try await Self.events(fixture)
            let told = try await fixture.repair()
            let gone = try #require(told["gone"]?.arrayValue?.first)
            #expect(told["restoredEvents"] == 0)
            #expect(try #require(gone["records"]?.intValue) >= Int64(60 - left.events.count))
            let (first, last) = (gone["firstSeq"]?.intValue ?? 0, gone["lastSeq"]?.intValue ?? 0)
            #expect(first > 0 && !left.events.keys.contains { (first...max(first, last)).contains($0) })
            #expect(gone["earliest"]?.stringValue != nil)
            #expect(try await Self.events(fixture).warnings.isEmpty)
        }
    }
}
