import HarkCore
import HarkDelivery
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Destinations that want only events for which a condition holds.
@Suite(.timeLimit(.minutes(45))) struct DestinationConditionTests {
    private static let large = #","kinds":["event","log"],"batchEntries":1,"where":"amount > 50 and not @user = test""#

    /// An event of each amount, of users in apps of their own.
    @DaemonActor
    private static func sell(_ amounts: ClosedRange<Int>, by user: String, _ client: FixtureClient) async throws {
        for amount in amounts {
            let params = #"{"name":"sold","app":"\#(user)","properties":{"amount":\#(amount)}}"#
            try await client.call("event.record", params)
        }
    }

    private static func deliver(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient, Receiver) async throws -> Void
    ) async throws {
        try await DaemonFixture.deliver(to: DaemonFixture.hook(large)) { daemon, client, receiver in
            for user in ["ada", "test"] {
                try await client.call("session.start", #"{"app":"\#(user)","userId":"\#(user)"}"#)
            }
            try await body(daemon, client, receiver)
        }
    }

    @DaemonActor
    private static func amounts(_ receiver: Receiver) -> [Int64] {
        receiver.requests.compactMap { $0.body?["event"]?["properties"]?["amount"]?.intValue }
    }

    @Test("what the condition holds for is delivered, the rest is left out and not counted, and log entries go as ever")
    func delivered() async throws {
        try await Self.deliver { daemon, client, receiver in
            try await Self.sell(49...52, by: "ada", client)
            try await Self.sell(60...61, by: "test", client)
            try await client.call("log.write", #"{"message":"x"}"#)
            try await daemon.settle("hook")
            #expect(Self.amounts(receiver) == [51, 52])
            #expect(receiver.requests.count == 3)
            #expect(try daemon.outlet("hook").accepted == 3 && daemon.outlet("hook").dropped == [:])
        }
    }

    @Test("what waits is counted by it, also of a session that is removed, and after a new condition came into force")
    func accounts() async throws {
        try await Self.deliver { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 503) }
            try await Self.sell(49...53, by: "ada", client)
            try await client.call("session.start", #"{"app":"bob","userId":"bob"}"#)
            try await Self.sell(48...52, by: "bob", client)
            try await Self.sell(90...99, by: "test", client)
            try await eventually("it waits") {
                try daemon.outlet("hook").gate.breaker.state == .waiting && daemon.outlet("hook").isResting
            }
            #expect(try daemon.outlet("hook").pending == 5)
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            try await eventually("it is counted") { try daemon.outlet("hook").dropped == [.removed: 3] }
            #expect(try daemon.outlet("hook").pending == 2)
            let other = Self.large.replacing("amount > 50", with: "amount > 51")
            try await daemon.reload(destinations: DaemonFixture.hook(other))
            for courier in try daemon.outlet("hook").couriers { await courier.count() }
            #expect(try daemon.outlet("hook").pending == 1)
            receiver.answer = { _ in Receiver.Answer() }
            let before = receiver.requests.count
            try await client.call("delivery.flush")
            try await daemon.settle("hook")
            #expect(receiver.requests.dropFirst(before).map { $0.body?["event"]?["properties"]?["amount"] } == [52])
        }
    }

    @Test("a reload with a condition that goes wrong says where, and changes nothing")
    func reload() async throws {
        try await Self.deliver { daemon, client, receiver in
            try daemon.write(destinations: DaemonFixture.hook(#","where":"amount >> 50""#))
            let error = try await client.ask("config.reload")["error"]
            #expect(error?.description.contains("at character 9") == true, "\(error ?? nil)")
            try await Self.sell(49...52, by: "ada", client)
            try await daemon.settle("hook")
            #expect(Self.amounts(receiver) == [51, 52])
        }
    }
}
