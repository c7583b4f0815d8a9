import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkStore

/// Requests with more in them than anybody reads.
@Suite(.timeLimit(.minutes(45))) struct ManyMembersTests {
    @Test("of members that nobody reads twenty are named, and the others counted")
    func warnings() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let members = (0..<2_000).map { #""m\#($0)":[1]"# }.joined(separator: ",")
            for (method, own) in [("hello", ""), ("event.record", #""name":"x","#)] {
                let warnings = try await client.call(method, "{\(own)\(members)}")["warnings"]?.arrayValue
                #expect(warnings?.count == 21 && warnings?.first == "unknown member 'm0'")
                #expect(warnings?.last == "and 1980 more")
            }
        }
    }

    @Test(
        "properties come back as they were sent, whatever room they take, and one that is wrong is named however many come before it"
    )
    func room() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            // Up to a kibibyte is packed on the stack: around it, far below and far above.
            for filler in [0, 1, 900, 960] + Array(985...1_030) + [40_000] {
                let text = String(repeating: "ä", count: filler / 2) + String(repeating: "x", count: filler % 2)
                let properties = JSONValue.object(
                    JSONObject([
                        ("text", .string(text)), ("n", .int(-(1 << 62))), ("d", .double(1.5e300)), ("yes", .bool(true)),
                        ("", .string("")),
                    ]))
                try await client.call("event.record", #"{"name":"room","properties":\#(properties)}"#)
                let last = try await client.call("event.list", #"{"limit":1,"order":"desc"}"#)["events"]?.arrayValue?
                    .first
                #expect(last?["properties"] == properties, "\(filler) bytes")
            }
            let many = (0..<300).map { #""key\#($0)":"value \#($0)""# }.joined(separator: ",")
            for members in ["", many + ","] {
                let reply = try await client.ask("event.record", #"{"name":"x","properties":{\#(members)"bad":[1]}}"#)
                #expect(reply["error"]?["data"]?["path"] == "$.params.properties.bad")
            }
        }
    }

    @Test("a row of the store that cannot be read is told in the status, and daemon.repair removes it")
    func repair() async throws {
        try await DaemonFixture.run { fixture in
            var client = try fixture.connect()
            for name in ["a", "b"] { try await client.call("counter.register", #"{"name":"\#(name)"}"#) }
            let path = fixture.daemon.ledger.store.path
            await fixture.daemon.stop()
            try Database(path: path, access: .write).execute("UPDATE counter SET initial = x'06ff' WHERE name = 'a'")
            try await fixture.restart()
            client = try fixture.connect()
            try await client.call("counter.trigger", #"{"name":"b"}"#)
            #expect(try await client.call("daemon.status")["store"]?["unreadable"] == 1)
            #expect(try await client.call("daemon.repair")["removed"] == 1)
            #expect(try await client.call("daemon.status")["store"]?["unreadable"] == 0)
            let counters = try await client.call("counter.list")["counters"]?.arrayValue
            #expect(counters?.map { $0["name"] } == ["b"])
        }
    }
}
