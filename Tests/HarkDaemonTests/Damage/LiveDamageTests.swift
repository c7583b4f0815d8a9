import Foundation
import Glibc
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkStore

/// Bytes of the file change while the daemon has it open. `HARK_FLIPS` and `HARK_FLIPS_SEED` make it longer and other.
@Suite(.timeLimit(.minutes(30))) struct LiveDamageTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? usual
    }

    private static let questions = [
        ("event.list", #"{"limit":1000}"#), ("event.list", #"{"limit":1000,"order":"desc","userId":"bob"}"#),
        ("event.list", #"{"limit":1000,"name":"step 3"}"#), ("session.list", "{}"), ("counter.list", "{}"),
        ("daemon.status", "{}"), ("execution.list", "{}"), ("watch.list", "{}"), ("log.list", #"{"limit":100}"#),
        ("delivery.status", "{}"),
    ]

    /// Asks; where the daemon has started again meanwhile, the next one.
    @DaemonActor
    private static func ask(_ fixture: DaemonFixture, _ method: String, _ params: String) async throws -> JSONValue {
        for _ in 0..<20 {
            do {
                return try await fixture.connect().ask(method, params)
            } catch is FixtureClient.Ended {
                try await eventually("it is back") { !fixture.daemon.isStopping }
            } catch let error as SystemError where error.code == ENOENT || error.code == ECONNREFUSED {
                try await eventually("it is back") { !fixture.daemon.isStopping }
            }
        }
        throw FixtureClient.Ended()
    }

    @DaemonActor
    private static func fill(_ fixture: DaemonFixture) async throws {
        let client = try fixture.connect()
        try await client.call("counter.register", #"{"name":"n"}"#)
        try await client.call("watch.add", #"{"id":"step 1","everySeconds":86400}"#)
        for user in ["ada", "bob", "cleo"] {
            try await client.call("session.start", #"{"userId":"\#(user)","metadata":{"plan":"pro"}}"#)
            for number in 0..<40 {
                try await client.call(
                    "event.record", #"{"name":"step \#(number % 7)","properties":{"n":\#(number),"t":"äöü"}}"#)
            }
        }
    }

    @DaemonActor
    private static func listed(_ fixture: DaemonFixture) async throws -> [Int64: JSONValue] {
        var all: [Int64: JSONValue] = [:]
        var after: Int64? = 0
        while let from = after {
            let reply = try await ask(fixture, "event.list", #"{"limit":1000,"afterSeq":\#(from)}"#)
            let page = try #require(reply["result"])
            for event in page["events"]?.arrayValue ?? [] { if let seq = event["seq"]?.intValue { all[seq] = event } }
            after = page["nextAfterSeq"]?.intValue
        }
        return all
    }

    /// Flips a bit anywhere in the file except in its header.
    private static func flip(_ path: String, _ file: Int32, _ random: inout SplitMix64) throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let used = whole.indices.filter { whole[$0] != 0 }
        let place = random.pick(used)
        var byte = whole[place] ^ (1 << UInt8(random.below(8)))
        #expect(pwrite(file, &byte, 1, off_t(place)) == 1)
    }

    @Test("each reply is JSON, what is recorded is kept, and a repair brings all back")
    func flips() async throws {
        try await DaemonFixture.run { fixture in
            fixture.restartsByItself()
            try await Self.fill(fixture)
            var kept: [Int64: JSONValue] = [:]
            let (count, seed) = (Self.number("HARK_FLIPS", 8), UInt64(Self.number("HARK_FLIPS_SEED", Int(getpid()))))
            var random = SplitMix64(state: seed)
            var accepted = 0
            for number in 0...count {
                let about = Comment("flip \(number), HARK_FLIPS_SEED=\(seed)")
                // Records that are damaged before the archive has them are lost.
                try await eventually("the archive has all") {
                    fixture.daemon.ledger.isSettled && fixture.daemon.delivery.archive.pending == 0
                }
                let all = try await Self.listed(fixture)
                #expect(Set(kept.keys).subtracting(all.keys).isEmpty, about)
                for (number, event) in kept { #expect(all[number] == event, about) }
                kept = all
                if number == count { break }
                let path = fixture.daemon.ledger.store.path
                // Closed, it would take SQLite's locks along.
                let name = fixture.folder.path + "/flipped"
                #expect(link(path, name) == 0)
                let file = open(name, O_RDWR | O_CLOEXEC)
                unlink(name)
                try #require(file >= 0)
                try Self.flip(path, file, &random)
                // Every reply is JSON, which the client checks.
                for (method, params) in Self.questions { _ = try await Self.ask(fixture, method, params) }
                let reply = try await Self.ask(
                    fixture, "event.record", #"{"name":"flip","properties":{"n":\#(number)}}"#)
                if reply["result"]?["seq"] != nil { accepted += 1 }
                for (number, event) in try await Self.listed(fixture) {
                    if let known = kept[number] { #expect(event == known, about) }
                }
                try await fixture.restartAlone()
                close(file)
                _ = try await fixture.repair()
            }
            // Events that were accepted while their page was damaged may be lost with it.
            let flips = kept.values.count { $0["name"] == "flip" }
            #expect(flips > count / 2 && flips <= accepted, "\(flips) of \(accepted), HARK_FLIPS_SEED=\(seed)")
        }
    }
}
