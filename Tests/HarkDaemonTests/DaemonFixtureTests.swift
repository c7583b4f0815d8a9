import HarkSystem
import HarkWire
import Testing

/// The daemon within the test process, which other tests stand on.
@Suite struct DaemonFixtureTests {
    @Test("a daemon serves, is stopped and started again on the shared loop, and keeps what it has stored")
    func lives() async throws {
        try await DaemonFixture.run { fixture in
            let client = try fixture.connect()
            let first = try await client.call("event.record", #"{"name":"one"}"#)
            fixture.clock.advance(seconds: 1.5)
            try await client.call("event.record", #"{"name":"two"}"#)
            try await fixture.restart()
            await #expect(throws: FixtureClient.Ended.self) { _ = try await client.line() }

            let events = try await fixture.connect().call("event.list")["events"]
            #expect(events?[0]?["id"] == first["id"])
            #expect(events?[0]?["timestamp"] == "2100-01-01T00:00:00.000Z")
            #expect(events?[1]?["timestamp"] == "2100-01-01T00:00:01.500Z")
        }
    }

    @Test("several daemons live side by side")
    func severalAtOnce() async throws {
        try await DaemonFixture.run { one in
            let other = try one.connect()
            try await other.call("event.record", #"{"name":"here"}"#)
            try await DaemonFixture.run { two in
                let events = try await two.connect().call("event.list")["events"]
                #expect(events == [])
            }
        }
    }
}
