import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer

/// `event.stats` during other work.
@Suite(.timeLimit(.minutes(45))) struct StatisticsTests {
    @Test("A1: what is counted are the events that a list with the same filters has")
    func filters() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            for (app, user) in [("a", "ada"), ("b", "bob"), ("a", "bob")] {
                try await client.call("session.start", #"{"app":"\#(app)","userId":"\#(user)"}"#)
                for number in 0..<20 {
                    try await client.call(
                        "event.record",
                        #"{"app":"\#(app)","name":"n\#(number % 3)","properties":{"x":\#(number)},"timestamp":"2026-01-\#(10 + number)T00:00:00Z"}"#
                    )
                }
            }
            for filter in [
                "{}", #"{"name":"n1"}"#, #"{"name":"n*","userId":"bob"}"#, #"{"app":"a","where":"x >= 10"}"#,
                #"{"since":"2026-01-12T00:00:00Z","until":"2026-01-15T00:00:00Z"}"#, #"{"current":true,"app":"a"}"#,
            ] {
                let listed = try await client.call("event.list", filter)["events"]?.arrayValue ?? []
                let stats = try await client.call(
                    "event.stats", String(filter.dropLast()) + (filter == "{}" ? "" : ",") + #""value":"x"}"#)
                let sum = listed.reduce(0) { $0 + ($1["properties"]?["x"]?.intValue ?? 0) }
                #expect(!listed.isEmpty && stats["total"]?["count"] == .int(Int64(listed.count)), "\(filter)")
                #expect(stats["total"]?["sum"] == .int(sum), "\(filter)")
            }
            let stats = try await client.call("event.stats", #"{"by":["@user","@app"]}"#)
            #expect(stats["groups"]?.arrayValue?.count == 3)
        }
    }

    @Test("what cannot be asked is refused with what to do")
    func refusals() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let many = Array(repeating: #""1m""#, count: 1_002).joined(separator: ",")
            for (params, word) in [
                (#"{"by":["@usr"]}"#, "'@user'"), (#"{"by":["a","b","c","d","e"]}"#, "at most 4"),
                (#"{"by":[""]}"#, "a property"),
                (#"{"value":"@user"}"#, "a property"), (#"{"percentiles":[50]}"#, "goes with 'value'"),
                (#"{"value":"a","percentiles":[101]}"#, "from 0 to 100"),
                (#"{"boundaries":["2026-01-01T00:00:00Z"]}"#, "ascend"),
                (#"{"boundaries":[\#(many)]}"#, "at most 1001 times"),
                (#"{"boundaries":["2026-01-02T00:00:00Z","2026-01-01T00:00:00Z"]}"#, "ascend"),
                (#"{"limit":0}"#, "from 1"),
            ] {
                let error = try await client.ask("event.stats", params)["error"] ?? .null
                #expect(error["message"]?.stringValue?.contains(word) == true, "\(params): \(error)")
            }
        }
    }

    @Test("a client that goes away stops its question, and the next of its user has its turn")
    func gone() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"a"}"#)
            let hold = try await fixture.holdReader()
            defer { hold.end() }
            var asker: FixtureClient? = try fixture.connect()
            for number in 0..<3 { try asker?.send(#"{"id":\#(number),"method":"event.stats"}"# + "\n") }
            try await eventually("the first waits to be read") { fixture.daemon.ledger.store.waitingQueries > 0 }
            asker = nil
            try await eventually("it is gone") { fixture.daemon.server.connections.count == 1 }
            hold.end()
            #expect(try await client.call("event.stats")["total"]?["count"] == 1)
        }
    }
}
