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
@testable import HarkServer

/// Imports that come at the same time.
@Suite(.timeLimit(.minutes(45))) struct ImporterTests {
    @Test("a session whose import is not on disk yet is not told to be there already")
    func twice() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let (client, other) = (try fixture.connect(), try fixture.connect())
            try await other.call("hello")
            let hold = fixture.holdWriter()
            defer { hold.end() }
            for id in 1...2 {
                try client.send(
                    """
                    {"id":\(id),"method":"session.import","params":{"session":{\
                    "id":"0199e0f4-8c7a-7000-8000-00000000abcd","startedAt":"2026-01-02T03:04:05.678Z"}}}\n
                    """)
            }
            // Time for an answer that does not wait.
            for _ in 0..<100 { try await other.call("hello") }
            hold.end()
            for (id, isNew) in [(1, true), (2, false)] {
                let reply = try await client.reply()
                #expect(reply["id"] == .int(Int64(id)))
                #expect(reply["result"]?["created"] == .bool(isNew))
            }
        }
    }

    @Test("a session whose import is on its way to the disk when others have been removed is imported once")
    func whileCleared() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let (client, other) = (try fixture.connect(), try fixture.connect())
            try await client.call("session.start", #"{"userId":"bob"}"#)
            try await client.call("event.record", #"{"name":"x"}"#)
            @DaemonActor func `import`(_ id: Int) throws {
                try client.send(
                    """
                    {"id":\(id),"method":"session.import","params":{"session":{\
                    "id":"0199e0f4-8c7a-7000-8000-00000000abcd","startedAt":"2026-01-02T03:04:05.678Z"}}}\n
                    """)
            }
            // The commit after that of the clear waits as well.
            var next: Hold?
            fixture.daemon.ledger.alsoOnCommit { _, report in
                if next == nil, report.marked.contains(where: \.isAny) { next = fixture.holdWriter() }
            }
            let hold = fixture.holdWriter()
            try other.send(#"{"id":1,"method":"event.clear","params":{"userId":"bob"}}"# + "\n")
            try await eventually("the clear is decided") { !fixture.daemon.ledger.isSettled }
            try `import`(1)
            for _ in 0..<3 { _ = try await client.ask("nothing") }
            hold.end()
            try await eventually("the clear is on disk") { next != nil }
            try `import`(2)
            for _ in 0..<20 { _ = try await client.ask("nothing") }
            next?.end()
            var created: [JSONValue?] = []
            for _ in 1...2 { created.append(try await client.reply()["result"]?["created"]) }
            #expect(created == [true, false])
            #expect(try await other.reply()["result"]?["sessions"] == 1)
        }
    }

    @Test("events of a session at hand are taken as they come, however slow the disk is")
    func manyAtOnce() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("session.import", Self.session)
            try await client.call("event.import", Self.event(0))
            let ledger = fixture.daemon.ledger
            let sequence = {
                var last: UInt64 = 0
                try ledger.decide { engine, _, _ in last = engine.lastSequence }
                return last
            }
            let before = try sequence()
            let hold = fixture.holdWriter()
            defer { hold.end() }
            // More than there may be calls under way.
            let many = 2 * ClientConnection.deferredAtOnce
            for number in 1...many {
                try client.send(#"{"id":\#(number),"method":"event.import","params":\#(Self.event(number))}"# + "\n")
            }
            try await eventually("all are decided on") { try sequence() == before + UInt64(many) }
            #expect(client.isSilent)
            hold.end()
            for number in 1...many {
                let reply = try await client.reply()
                #expect(reply["id"] == .int(Int64(number)))
                #expect(reply["result"]?["imported"] == true)
            }
        }
    }

    @Test("an event of a session at hand is taken, refused and left out as one whose session was looked up")
    func sameWords() async throws {
        let events = [
            #"{"id":"\#(Self.id(1))","name":"x","timestamp":"2026-01-02T03:05:00.000Z","properties":{"a":1,"b":"\n"},"more":[]}"#,
            #"{"id":"\#(Self.id(2))","name":"x","timestamp":"2026-01-02T04:05:00+01:00","source":{"uid":1,"pid":2.0}}"#,
            #"{"id":"\#(Self.id(3))","name":"x","timestamp":"2026-01-02T03:05:00Z","source":{"uid":1,"pid":2}}"#,
            #"{"id":"\#(Self.id(4))","name":"x","timestamp":"2026-01-02T03:05:00Z","source":null,"properties":null}"#,
            #"{"id":"\#(Self.id(5))","name":"x","timestamp":"2026-01-02T03:05:00Z","source":{"pid":7}}"#,
            #"{"id":"\#(Self.id(6))","name":"","timestamp":"2026-01-02T03:05:00Z"}"#,
            #"{"id":"\#(Self.id(6))","name":"x","timestamp":"yesterday"}"#,
            #"{"id":"\#(Self.id(6))","name":"x"}"#,
            #"{"id":"\#(Self.id(6))","name":7,"timestamp":"2026-01-02T03:05:00Z"}"#,
            #"{"id":"\#(Self.id(6))","name":"x","timestamp":"2026-01-02T03:05:00Z","properties":{"a":[]}}"#,
            #"{"id":"\#(Self.id(6))","name":"x","timestamp":"2026-01-02T03:05:00Z","source":{"uid":-1}}"#,
            #"{"id":"\#(Self.id(6))","name":"x","timestamp":"2026-01-02T03:05:00Z","source":{"pid":4294967295}}"#,
            #"{"id":"\#(Self.id(6))","name":"x","timestamp":"2026-01-02T03:05:00Z","source":7}"#,
            // A fault of the event is reported before a check whether the event is here already.
            #"{"id":"\#(Self.id(1))","name":"","timestamp":"2026-01-02T03:05:00Z"}"#,
            #"{"id":"\#(Self.id(1))","name":"x","timestamp":"2026-01-02T03:05:00Z"}"#, "{}", "7",
        ]
        func outcomes(looksUp: Bool) async throws -> [String] {
            let told = Told()
            try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
                let client = try fixture.connect()
                try await client.call("session.import", Self.session)
                for event in events {
                    if looksUp { fixture.daemon.importer.forget() }
                    let params = #"{"sessionId":"\#(Self.id(0xabcd))","event":\#(event)}"#
                    let reply = try await client.ask("event.import", params)
                    told.lines.append("\(reply["result"] ?? .null) \(reply["error"] ?? .null)")
                }
                let list = try await client.call("event.list", #"{"as":"lines"}"#)
                told.lines.append("\(list)".replacing("\"pid\\\":\(getpid())", with: ""))
            }
            return told.lines
        }
        let atHand = try await outcomes(looksUp: false)
        #expect(atHand == (try await outcomes(looksUp: true)))
        #expect(atHand.count { $0.contains("error") || $0.contains("code") } == 11)
    }

    @Test(
        "of 2,000 odd pairs of events the lane and the method's own way take and refuse the same, for the same reasons")
    func odd() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            // One session for each way, as events are known by session.
            let sessions = [Self.id(0xaaaa), Self.id(0xbbbb)]
            for session in sessions {
                try await client.call(
                    "session.import", #"{"session":{"id":"\#(session)","startedAt":"2026-01-02T03:04:05.678Z"}}"#)
            }
            var random = SplitMix64(state: 44)
            var outcomes: [String: Int] = [:]
            for pair in 0..<2_000 {
                let id = Self.id(0x10000 + pair)
                for _ in 0..<2 {
                    let event = Self.oddEvent(id, &random)
                    var told: [String] = []
                    // An unknown parameter keeps it out of the lane.
                    for (session, more) in zip(sessions, ["", #","more":0"#]) {
                        let reply = try await client.ask(
                            "event.import", #"{"sessionId":"\#(session)","event":\#(event)\#(more)}"#)
                        let error = reply["error"]
                        told.append(
                            error.map {
                                "\($0["data"]?["reason"] ?? .null) \($0["message"] ?? .null) \($0["data"]?["path"] ?? .null)"
                            }
                                ?? "imported: \(reply["result"]?["imported"] ?? .null) \(reply["result"]?["droppedProperties"] ?? .null)"
                        )
                    }
                    guard told[0] == told[1] else {
                        Issue.record("\(event): \(told)")
                        return
                    }
                    outcomes[String(told[0].prefix(14)), default: 0] += 1
                }
            }
            #expect(outcomes["imported: true", default: 0] > 200 && outcomes["imported: fals", default: 0] > 200)
            #expect(outcomes.count > 3, "\(outcomes)")
        }
    }

    private static func oddEvent(_ id: String, _ random: inout SplitMix64) -> String {
        let long = String(repeating: "n", count: 257)
        func odd(_ usual: String, _ others: [String]) -> String { random.once(in: 5) ? random.pick(others) : usual }
        let members = [
            #""id":"# + odd("\"\(id)\"", ["null", "7", #""x""#]),
            #""name":"# + odd(#""x""#, ["null", "7", #""""#, "\"\(long)\"", #""x\u0000""#]),
            #""timestamp":"#
                + odd(
                    #""2026-01-02T03:05:00Z""#,
                    [
                        "null", "7", #""later""#, #""2026-01-02 03:05:00+0100""#, #""@1700000000""#,
                        #""2026-13-02T03:05:00Z""#,
                    ]),
            #""properties":"#
                + odd(
                    #"{"a":1}"#,
                    [
                        "null", "[]", #"{"a":[]}"#, #"{"a":null,"b":1}"#, "{\"\(long)\(long)\(long)\(long)\":1}",
                        #"{"a":1e400}"#,
                    ]),
            #""source":"#
                + odd(
                    #"{"uid":1,"pid":2}"#,
                    ["null", "7", #"{"uid":-1}"#, #"{"pid":2.0}"#, #"{"pid":4294967295}"#, #"{"uid":null}"#, "{}"]),
            #""more":1"#,
        ]
        return "{" + members.filter { _ in !random.once(in: 12) }.joined(separator: ",") + "}"
    }

    private final class Told: @unchecked Sendable {
        // Written by the daemon's loop, read when it is over.
        var lines: [String] = []
    }

    private static func id(_ number: Int) -> String {
        "0199e0f4-8c7a-7000-8000-" + String(repeating: "0", count: 12 - String(number, radix: 16).count)
            + String(number, radix: 16)
    }

    private static let session = #"{"session":{"id":"\#(id(0xabcd))","startedAt":"2026-01-02T03:04:05.678Z"}}"#

    private static func event(_ number: Int) -> String {
        #"{"sessionId":"\#(id(0xabcd))","event":{"id":"\#(id(number + 100))","name":"x","#
            + #""timestamp":"2026-01-02T03:05:00.000Z"}}"#
    }
}
