import Foundation
import HarkDelivery
import HarkSettings
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub

/// `event.clear` and what waits for servers, is dead, or has left already (row L9).
@Suite(.timeLimit(.minutes(45))) struct DeliveryClearTests {
    /// An event of each user, in an app of their own.
    @DaemonActor
    private static func record(_ name: String, _ client: FixtureClient) async throws {
        for user in ["ada", "bob"] {
            try await client.call("event.record", #"{"name":"\#(name)","app":"\#(user)"}"#)
        }
    }

    private static func deliver(
        _ body: @escaping @DaemonActor @Sendable (DaemonFixture, FixtureClient, Receiver) async throws -> Void
    ) async throws {
        let settings = DaemonFixture.hook(#","kinds":["event"],"batchEntries":1"#)
        try await DaemonFixture.deliver(to: settings) { daemon, client, receiver in
            for user in ["ada", "bob"] {
                try await client.call("session.start", #"{"app":"\#(user)","userId":"\#(user)"}"#)
            }
            try await body(daemon, client, receiver)
        }
    }

    @Test("L9: dead letters of a user who is cleared go, and those of others stay")
    func deadLetters() async throws {
        try await Self.deliver { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 400) }
            try await Self.record("tick", client)
            try await daemon.settle("hook")
            #expect(try daemon.daemon.delivery.deadLetterCounts() == ["hook": 2])
            try await client.call("event.clear", #"{"userId":"ada"}"#)
            let letters = try await client.call("delivery.deadletters")["deadLetters"]?.arrayValue ?? []
            #expect(letters.map { $0["record"]?["app"] } == ["bob"])
            receiver.answer = { _ in Receiver.Answer() }
            let before = receiver.requests.count
            #expect(try await client.call("delivery.replay", #"{"destination":"hook"}"#)["replayed"] == 1)
            try await daemon.settle("hook")
            #expect(receiver.requests.dropFirst(before).map { $0.body?["app"] } == ["bob"])
            #expect(try daemon.outlet("hook").dropped == [.refused: 1])
        }
    }

    @Test("L9: what waits of a user who is cleared is never sent, and counts as removed")
    func waiting() async throws {
        try await Self.deliver { daemon, client, receiver in
            receiver.answer = { _ in Receiver.Answer(status: 503) }
            for name in ["one", "two"] { try await Self.record(name, client) }
            try await eventually("it waits") {
                try daemon.outlet("hook").gate.breaker.state == .waiting && daemon.outlet("hook").isResting
            }
            let before = receiver.requests.count
            let cleared = try await client.call("event.clear", #"{"userId":"ada"}"#)
            #expect(cleared["delivered"] == nil, "nothing of it had left: \(cleared)")
            #expect(try daemon.outlet("hook").dropped == [.removed: 2])
            #expect(try daemon.outlet("hook").pending == 2)
            receiver.answer = { _ in Receiver.Answer() }
            try daemon.pass(seconds: 400, for: "hook")
            try await daemon.settle("hook")
            #expect(receiver.requests.dropFirst(before).map { $0.body?["app"] } == ["bob", "bob"])
        }
    }

    @Test("L9: a clear tells which servers have got something of it, once")
    func delivered() async throws {
        try await Self.deliver { daemon, client, receiver in
            try await Self.record("tick", client)
            try await daemon.settle("hook")
            #expect(try await client.call("event.clear", #"{"userId":"ada"}"#)["delivered"] == ["hook"])
            #expect(try await client.call("event.clear", #"{"userId":"ada"}"#)["delivered"] == nil)
            #expect(try await client.call("event.clear", #"{"userId":"bob"}"#)["delivered"] == ["hook"])
        }
    }

    @Test("L9: what retention removed before is not told of a clear that servers have got nothing of")
    func afterRetention() async throws {
        try await Self.deliver { daemon, client, receiver in
            try await Self.record("tick", client)
            try await daemon.settle("hook")
            for app in ["ada", "cy"] {
                try await client.call("session.start", #"{"app":"\#(app)","userId":"\#(app)"}"#)
            }
            let retired = try await client.call("retention.apply", #"{"policy":{"maxSessionsPerUser":1}}"#)
            #expect(retired["sessions"] == 1)
            #expect(try await client.call("event.clear", #"{"userId":"cy"}"#)["delivered"] == nil)
        }
    }

    @Test("L9: of clears at the same time, each is told which servers have got something")
    func together() async throws {
        try await Self.deliver { daemon, client, receiver in
            try await Self.record("tick", client)
            try await daemon.settle("hook")
            for user in ["ada", "bob"] {
                try client.send(#"{"id":"\#(user)","method":"event.clear","params":{"userId":"\#(user)"}}"# + "\n")
            }
            for _ in 0..<2 { #expect(try await client.reply()["result"]?["delivered"] == ["hook"]) }
        }
    }

    @Test("a clear of what another clear is just removing is answered when it is gone, not before")
    func twice() async throws {
        try await Self.deliver { fixture, client, receiver in
            var hasCome = false
            receiver.holds = { _ in
                hasCome = true
                return true
            }
            try await Self.record("tick", client)
            try await eventually("a delivery is under way") { hasCome }
            let clear = #"{"id":1,"method":"event.clear","params":{"all":true}}"# + "\n"
            try client.send(clear)
            try await eventually("the removal is under way") { fixture.daemon.sweeper.isRunning }
            let (other, third) = (try fixture.connect(), try fixture.connect())
            try other.send(clear)
            // Time for an answer that does not wait.
            for _ in 0..<100 { try await third.call("hello") }
            #expect(other.isSilent)
            receiver.holds = { _ in false }
            #expect(try await client.reply()["result"]?["sessions"] == 2)
            #expect(try await other.reply()["result"]?["sessions"] == 0)
        }
    }

    @Test("L9: what a clear could not remove is told of by the next, though it was removed by itself meanwhile")
    func failed() async throws {
        try await Self.deliver { daemon, client, receiver in
            try await Self.record("tick", client)
            try await daemon.settle("hook")
            let session = try #require(
                try await client.call("session.current", #"{"app":"ada"}"#)["session"]?["id"]?.stringValue)
            // A folder in the place of a file of the archive cannot be taken away like one.
            let obstacle = "\(daemon.options.paths.state)/archive/users/ada/sessions/\(session)/events.jsonl"
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
            #expect(try await client.ask("event.clear", #"{"userId":"ada"}"#)["error"] != nil)
            try FileManager.default.removeItem(atPath: obstacle)
            try await daemon.daemon.sweeper.finish()
            #expect(try await client.call("event.clear", #"{"userId":"ada"}"#)["delivered"] == ["hook"])
            #expect(try await client.call("event.clear", #"{"userId":"ada"}"#)["delivered"] == nil)
        }
    }
}
