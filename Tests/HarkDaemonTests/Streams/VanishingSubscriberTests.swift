import Glibc
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkLedger
@testable import HarkServer

/// Subscribers that have stopped sending and vanish just before a notification.
@Suite(.timeLimit(.minutes(45))) struct VanishingSubscriberTests {
    /// A client that can be dropped from within a callback.
    @DaemonActor
    private final class Leaving {
        var client: FixtureClient?

        init(_ client: FixtureClient) { self.client = client }
    }

    private static let survey =
        #"{"surveys":[{"id":"s","title":"Well?","response":{"type":"options","options":["a"]},"trigger":{"event":{"name":"done"}}}]}"#

    @Test(
        "several subscriptions of one client that vanishes while the first is being told are no trouble to the daemon",
        arguments: [
            ["counter.subscribe"], ["execution.subscribe"], ["event.subscribe"], ["survey.subscribe"],
            ["counter.subscribe", "execution.subscribe", "event.subscribe", "survey.subscribe", "network.subscribe"],
        ])
    func vanishing(methods: [String]) async throws {
        try await DaemonFixture.run(configuration: #"{"archive":false}"#, surveys: Self.survey) { fixture in
            let writer = try fixture.connect()
            try await writer.call("counter.register", #"{"name":"c"}"#)
            try await writer.call(
                "execution.add",
                #"{"id":"e","keepAlive":true,"run":{"notify":true},"when":{"c":{"op":"gte","value":0}}}"#)
            for _ in 0..<3 {
                let leaving = Leaving(try fixture.connect())
                for method in methods {
                    for _ in 0..<4 { try await leaving.client?.call(method) }
                }
                leaving.client?.finishSending()
                for _ in 0..<3 { try await writer.call("hello") }
                // The next commit finds the socket closed, before anybody has noticed.
                fixture.daemon.ledger.alsoOnCommit { _, _ in leaving.client = nil }
                try writer.send(
                    #"{"id":"a","method":"counter.trigger","params":{"name":"c"}}"# + "\n"
                        + #"{"id":"b","method":"event.record","params":{"name":"done"}}"# + "\n")
                for _ in 0..<2 { #expect(try await writer.reply()["result"] != nil) }
                try await eventually("it is gone") { fixture.daemon.server.connections.count == 1 }
                #expect(fixture.daemon.hub.count == 0)
            }
        }
    }

    @Test("the network may change while its subscribers vanish")
    func network() async throws {
        try await DaemonFixture.run { fixture in
            let leaving = Leaving(try fixture.connect())
            for _ in 0..<4 { try await leaving.client?.call("network.subscribe") }
            leaving.client?.finishSending()
            let other = try fixture.connect()
            for _ in 0..<3 { try await other.call("hello") }
            let hub = fixture.daemon.desks(NetworkHub.self)
            let path = try #require(hub.path)
            leaving.client = nil
            hub.networkChanged(path)
            try await eventually("it is gone") { fixture.daemon.server.connections.count == 1 }
        }
    }
}
