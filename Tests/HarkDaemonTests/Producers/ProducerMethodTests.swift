import Foundation
import HarkCore
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// `timestamp` and `producer` of `event.record` and `log.write` (row E11).
@Suite(.timeLimit(.minutes(45))) struct ProducerMethodTests {
    private static func sold(_ seq: Int64, of id: String = "till-1", n: Int = 0) -> String {
        #"{"name":"sold","properties":{"n":\#(n)},"producer":{"id":"\#(id)","seq":\#(seq)}}"#
    }

    @DaemonActor
    private static func count(_ client: FixtureClient) async throws -> Int? {
        try await client.call("event.list", #"{"limit":10000}"#)["events"]?.arrayValue?.count
    }

    @Test("an event's own time is told, and found by; it may be long ago or to come, and out of order")
    func ownTime() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"now"}"#)
            try await client.call("event.record", #"{"name":"past","timestamp":"2001-02-03T05:05:06.789+01:00"}"#)
            try await client.call("event.record", #"{"name":"future","timestamp":"9999-12-31T23:59:59.999Z"}"#)
            try await client.call("event.record", #"{"name":"none","timestamp":null}"#)
            try await client.call("log.write", #"{"message":"past","timestamp":"2001-02-03T04:05:06.789Z"}"#)
            let events = try await client.call("event.list")["events"]?.arrayValue ?? []
            #expect(events.map { $0["name"] } == ["now", "past", "future", "none"])
            let now = fixture.clock.now.description
            #expect(
                events.map { $0["timestamp"]?.stringValue } == [
                    now, "2001-02-03T04:05:06.789Z", "9999-12-31T23:59:59.999Z", now,
                ])
            let logs = try await client.call("log.list")["entries"]?.arrayValue ?? []
            #expect(logs.map { $0["timestamp"] } == ["2001-02-03T04:05:06.789Z"])
            for (filter, names) in [
                (#"{"until":"2001-02-03T04:05:06.790Z"}"#, ["past"]),
                (#"{"since":"9000-01-01T00:00:00Z"}"#, ["future"]),
                (#"{"since":"2001-02-03T04:05:06.790Z","order":"desc"}"#, ["none", "future", "now"]),
            ] {
                let found = try await client.call("event.list", filter)["events"]?.arrayValue ?? []
                #expect(found.map { $0["name"]?.stringValue } == names)
            }
            // A start goes by the times at which records came.
            try await fixture.restart()
            #expect(try await fixture.connect().call("daemon.status")["believedTime"] == nil)
        }
    }

    @Test(
        "of a send whose record was cleared, a repetition tells no id, restarted or not",
        arguments: [
            ("event.clear", #"{"userId":"ada"}"#), ("retention.apply", #"{"policy":{"maxSessionsPerUser":1}}"#),
        ])
    func cleared(method: String, params: String) async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await client.call("event.record", Self.sold(3))
            let kept = try await client.call("event.record", Self.sold(3))
            #expect(kept["duplicate"] == true && kept["id"]?.stringValue != nil)
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await client.call(method, params)
            for _ in 0..<2 {
                let repeated = try await fixture.connect().call("event.record", Self.sold(3))
                #expect(repeated["duplicate"] == true)
                #expect(repeated["id"] == .null && repeated["seq"] == .null && repeated["sessionId"] == .null)
                try await fixture.restart()
            }
        }
    }

    @Test("a time that is none is refused with the way to write it")
    func wrongTime() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for wrong in [#""yesterday""#, "5", #""2026-11-21 11:08 CEST""#, "{}", #""10000-01-01T00:00:00Z""#] {
                for request in [
                    "event.record\",\"params\":{\"name\":\"a\"", "log.write\",\"params\":{\"message\":\"a\"",
                ] {
                    try client.send("{\"id\":1,\"method\":\"\(request),\"timestamp\":\(wrong)}}\n")
                    let error = try await client.reply()["error"]
                    #expect(error?["data"]?["path"] == "$.params.timestamp")
                    #expect(error?["message"]?.stringValue?.contains("2026-11-21T11:08:00.123Z") == true)
                }
            }
        }
    }

    @Test("what is sent again is answered as recorded before, over two connections, pipelines and restarts")
    func repeated() async throws {
        try await DaemonFixture.run { fixture in
            let (one, other) = (try fixture.connect(), try fixture.connect())
            let first = try await one.call("event.record", Self.sold(7))
            #expect(first["duplicate"] == false)
            var again = first.objectValue ?? [:]
            again["duplicate"] = true
            #expect(try await other.call("event.record", Self.sold(7)) == .object(again))
            #expect(try await one.call("event.record", #"{"name":"plain"}"#)["duplicate"] == nil)
            // Both send the same at once, each in its order.
            for client in [one, other] {
                let lines = (Int64(8)...40).map { #"{"id":\#($0),"method":"event.record","params":\#(Self.sold($0))}"# }
                try client.send(lines.joined(separator: "\n") + "\n")
            }
            var duplicates = 0
            for client in [one, other] {
                for _ in 8...40 where try await client.reply()["result"]?["duplicate"] == true { duplicates += 1 }
            }
            #expect(duplicates == 33)
            let log = #"{"message":"paper is out","producer":{"id":"till-1","seq":41}}"#
            let written = try await one.call("log.write", log)
            #expect(written["duplicate"] == false)
            #expect(try await one.call("log.write", log)["duplicate"] == true)
            #expect(try await one.call("event.record", Self.sold(41))["duplicate"] == true)
            try await fixture.restart()
            let later = try fixture.connect()
            let known = try await later.call("log.write", log)
            #expect(known["id"] == written["id"] && known["seq"] == written["seq"] && known["duplicate"] == true)
            let lower = try await later.call("event.record", Self.sold(40))
            #expect(lower["id"] == .null && lower["seq"] == .null && lower["sessionId"] == .null)
            #expect(try await Self.count(later) == 35)
            #expect(try await later.call("log.list")["entries"]?.arrayValue?.count == 1)
        }
    }

    @Test("a commit that is refused takes its numbers back")
    func refusedCommit() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", Self.sold(1))
            try fixture.refuse("INSERT ON block")
            #expect(
                try await client.ask("event.record", Self.sold(2))["error"]?["data"]?["reason"] == "storeUnavailable")
            try fixture.accept()
            #expect(try await client.call("event.record", Self.sold(2))["duplicate"] == false)
            #expect(try await client.call("event.record", Self.sold(2))["duplicate"] == true)
            #expect(try await Self.count(client) == 2)
        }
    }

    @Test("a clear of everything forgets producers, one of a user or a session does not")
    func clear() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            try await client.call("session.start", #"{"userId":"ada"}"#)
            try await client.call("event.record", Self.sold(3))
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            #expect(try await client.call("event.record", Self.sold(3))["duplicate"] == true)
            try await fixture.restart()
            let later = try fixture.connect()
            let gone = try await later.call("event.record", Self.sold(3))
            #expect(gone["duplicate"] == true && gone["id"] == .null)
            #expect(try await Self.count(later) == 0)
            try await later.call("event.clear", #"{"all":true}"#)
            #expect(try await later.call("event.record", Self.sold(3))["duplicate"] == false)
            #expect(try await Self.count(later) == 1)
        }
    }

    @Test(
        "a producer that is none is refused with the member at fault",
        arguments: [
            (#""till-1""#, "producer"), ("7", "producer"), ("{}", "producer.id"), (#"{"seq":1}"#, "producer.id"),
            (#"{"id":"a"}"#, "producer.seq"), (#"{"id":"a","seq":0}"#, "producer.seq"),
            (#"{"id":"a","seq":-9223372036854775808}"#, "producer.seq"), (#"{"id":"a","seq":1.5}"#, "producer.seq"),
            (#"{"id":"a","seq":9223372036854775808}"#, "producer.seq"), (#"{"id":"a","seq":1e300}"#, "producer.seq"),
            (#"{"id":"a","seq":"1"}"#, "producer.seq"), (#"{"id":"","seq":1}"#, "producer.id"),
            (#"{"id":5,"seq":1}"#, "producer.id"),
            (#"{"id":"\#(String(repeating: "x", count: 100_000))","seq":1}"#, "producer.id"),
        ])
    func wrong(_ producer: String, _ path: String) async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for (method, member) in [("event.record", "name"), ("log.write", "message")] {
                let error = try await client.ask(method, #"{"\#(member)":"a","producer":\#(producer)}"#)["error"]
                #expect(error?["data"]?["path"] == .string("$.params.\(path)"), "\(method)")
            }
            #expect(try await Self.count(client) == 0)
            let end = #"{"name":"a","producer":{"id":"a","seq":9223372036854775807,"more":1}}"#
            let last = try await client.call("event.record", end)
            #expect(last["duplicate"] == false && last["warnings"] == ["unknown member 'more'"])
            #expect(try await client.call("event.record", end)["duplicate"] == true)
        }
    }

    @Test("thousands of producers are each known, also when they are no longer at hand")
    func many() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let count = 6_000
            for expected in [false, true] {
                for start in stride(from: 0, to: count, by: 500) {
                    let lines = (start..<start + 500).map {
                        #"{"id":\#($0),"method":"event.record","params":\#(Self.sold(1, of: "p\($0)"))}"#
                    }
                    try client.send(lines.joined(separator: "\n") + "\n")
                    for _ in lines { #expect(try await client.reply()["result"]?["duplicate"] == .bool(expected)) }
                }
            }
            let uid = UInt32(getuid())
            let known = try fixture.daemon.ledger.lookUp { reader throws(StoreError) in
                try reader.amount(of: .producers, uid)
            }
            #expect(known.count == count)
        }
    }
}
