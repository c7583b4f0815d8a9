import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer
@testable import HarkStore

/// Streams whose client goes away.
@Suite(.timeLimit(.minutes(45))) struct SubscriptionTests {
    @Test("a client's subscriptions keep little of what it sent")
    func bounded() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            let long = String(repeating: "*a", count: 40_000)
            for (method, params, path) in [
                ("event.subscribe", #"{"userId":"\#(long)"}"#, "$.params"),
                ("event.subscribe", #"{"name":"\#(long.prefix(1_025))"}"#, "$.params.name"),
                ("event.list", #"{"name":"\#(long.prefix(1_025))"}"#, "$.params.name"),
                ("log.subscribe", #"{"app":"\#(long)"}"#, "$.params"),
                ("survey.subscribe", #"{"locale":"\#(long)"}"#, "$.params"),
                ("counter.subscribe", #"{"name":"\#(long)"}"#, "$.params"),
                ("execution.subscribe", #"{"app":"\#(long)"}"#, "$.params"),
            ] {
                let error = try await client.ask(method, params)["error"]
                #expect(error?["data"]?["path"]?.stringValue == path, "\(method)")
                #expect(error?["data"]?["reason"] == "tooLarge", "\(method)")
            }
            let longest = try await client.call("event.subscribe", #"{"name":"\#(long.prefix(1_024))"}"#)
            #expect(longest["subscription"] == 1)
        }
    }

    @Test("a client that leaves while what it asked for cannot be read is no trouble to the daemon")
    func goneMeanwhile() async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#) { fixture in
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"tick"}"#)
            let file = try Database(path: fixture.daemon.ledger.store.path, access: .write)
            try file.execute("UPDATE block SET data = substr(data, 1, 20) || x'ff' || substr(data, 22)")
            let hold = try await fixture.holdReader()
            defer { hold.end() }
            var reader: FixtureClient? = try fixture.connect()
            try await reader?.call("event.subscribe", #"{"afterSeq":0}"#)
            try await eventually("it waits to be read") { fixture.daemon.ledger.store.waitingQueries > 0 }
            reader = nil
            try await eventually("it is gone") { fixture.daemon.server.connections.count == 1 }
            hold.end()
            try await fixture.daemon.ledger.store.read { _ in }
            #expect(try await client.call("hello")["version"] != nil)
        }
    }
}
