import Foundation
import HarkWire
import Testing

/// Records that a server will not take: kept, listed, tried again, forgotten.
@Suite(.endToEnd) struct DeadLetterTests {
    private let scene: DeliveryScene
    private let door: Receiver.Door

    init() throws {
        scene = try DeliveryScene()
        door = try scene.receiver.door("hook")
    }

    private func letters() throws -> [JSONValue] {
        try scene.client.call("delivery.deadletters", #"{"destination":"hook"}"#)["deadLetters"]?.arrayValue ?? []
    }

    @Test("L9: dead letters are listed with their reason, survive restarts, can be replayed and dropped")
    func life() throws {
        try scene.configure(
            DeliveryScene.hook(door, DeliveryScene.quick + #","kinds":["log"],"batchEntries":1,"maxDeadLetters":4"#))
        try scene.start()
        try door.set(.status(400, times: 6, body: #"{"error":"no place for \"w\""}"#))
        try scene.log(0...9)
        try scene.client.wait(for: "hook", "the others have arrived") { $0.delivered == 4 && $0.pending == 0 }
        #expect(try scene.client.destination("hook").dropped == ["refused": 6])
        // Six were refused; the last four are kept.
        let found = try letters()
        #expect(found.map { $0["record"]?["log"]?["metadata"]?["n"]?.intValue } == [2, 3, 4, 5])
        #expect(found.allSatisfy { $0["status"] == 400 && $0["cause"] == "refused" && $0["lane"] == "logs" })
        #expect(
            found[0]["reason"]?.stringValue?.hasSuffix(#"refuses it (HTTP 400); it says: no place for "w""#) == true)
        // It may contain recorded data.
        #expect(try !scene.daemon.errors.contains("no place"))
        try scene.restart(killed: true)
        #expect(try letters() == found)
        let shown = try scene.home.hark("delivery", "dead", "hook")
        #expect(shown.lines.count == 5 && shown.output.contains("line 2 of w"), "\(shown.output)")

        // One is refused again, one is accepted, the others stay where they are.
        let numbers = found.compactMap { $0["seq"]?.intValue }
        try door.set(.status(422, times: 1))
        #expect(
            try scene.home.hark("delivery", "replay", "hook", "\(numbers[0])", "\(numbers[1])").output
                == "2 dead letters to be tried again\n")
        try scene.client.wait(for: "hook", "one is accepted") { $0.delivered == 5 }
        let rest = try letters()
        #expect(rest.compactMap { $0["seq"]?.intValue } == [numbers[0], numbers[2], numbers[3]])
        #expect(rest[0]["status"] == 422 && rest[0]["replays"] == 1, "\(rest[0])")
        #expect(try scene.client.destination("hook").dropped == ["refused": 5])

        #expect(try scene.home.hark("delivery", "drop", "hook", "\(numbers[2])").output == "1 dead letter forgotten\n")
        #expect(try scene.home.hark("delivery", "drop", "hook").output == "2 dead letters forgotten\n")
        #expect(try letters().isEmpty)
        #expect(try scene.client.destination("hook").written == 10)
        #expect(try door.numbers == ["w": [3...3, 6...9]])
    }

    @Test("a replay that kill -9 or a failure interrupts goes on by itself")
    func replayInterrupted() throws {
        try scene.configure(DeliveryScene.hook(door, DeliveryScene.quick + #","kinds":["log"],"batchEntries":1"#))
        try scene.start()
        try door.set(.status(404, times: 1), .status(400, times: 29))
        try scene.log(0...29)
        try scene.client.wait(for: "hook", "all are refused") { $0.pending == 0 && $0.deadLetters == 30 }
        try door.set(Receiver.Rule("delay", #""seconds":0.02"#))
        try scene.client.call("delivery.replay", #"{"destination":"hook"}"#)
        try waitUntil("some have arrived") { try door.report.unique > 3 }
        try scene.restart(killed: true)
        try door.set(.status(500, times: 5))
        try scene.client.wait(for: "hook", "all have arrived") { $0.delivered == 30 && $0.deadLetters == 0 }
        #expect(try scene.client.destination("hook").dropped.isEmpty)
    }

    @Test("L5: an entry that a server answers with a fault so often is dead; one that nobody received is not")
    func attempts() throws {
        try scene.configure(DeliveryScene.hook(door, DeliveryScene.quick + #","kinds":["log"],"batchEntries":1"#))
        try scene.start()
        // The server is not there for a while: that costs no try.
        try door.close()
        try scene.log(0...9)
        try scene.client.wait(for: "hook", "it is noticed") { $0.state == "open" }
        var attempts: Set<String> = []
        try scene.client.wait(for: "hook", "it is tried again and again") {
            if let retryAt = $0.retryAt { attempts.insert(retryAt) }
            return attempts.count > 3
        }
        #expect(try scene.client.destination("hook").dropped.isEmpty)
        try door.set(Receiver.Rule("flaky", #""mark":"line 4 of","status":500"#))
        try door.open()
        try scene.client.wait(for: "hook", "all but one have arrived") { $0.delivered == 9 && $0.pending == 0 }
        #expect(try scene.client.destination("hook").dropped == ["attempts": 1])
        #expect(try door.report.requests == 9 + 3)
        #expect(try letters().map { $0["cause"]?.stringValue } == ["attempts"])
        #expect(try door.report.disorder.isEmpty)
    }

    @Test("a body that is too large is sent in parts; a record that is too large by itself is dead")
    func tooLarge() throws {
        try scene.configure(DeliveryScene.hook(door, DeliveryScene.quick + #","kinds":["event"]"#))
        try scene.start()
        try door.set(limit: 20_000)
        try scene.record(0...299)
        let long = String(repeating: "x", count: 30_000)
        try scene.client.call("event.record", #"{"name":"tick","properties":{"w":"e","n":300,"t":"\#(long)"}}"#)
        try scene.record(301...400)
        try scene.client.wait(for: "hook", "all but one have arrived") { $0.delivered == 400 && $0.pending == 0 }
        #expect(try scene.client.destination("hook").dropped == ["tooLarge": 1])
        #expect(try letters().map { $0["status"]?.intValue } == [413])
        let report = try door.report
        #expect(report.entries == 400 && report.disorder.isEmpty, "\(report)")
    }

    @Test("L9: a body that is refused for some of its records is sent in parts: only they are dead letters")
    func refusedForSome() throws {
        try scene.configure(DeliveryScene.hook(door, DeliveryScene.quick + #","kinds":["log"]"#))
        try door.close()
        try scene.start()
        try scene.log(0...299)
        try scene.client.wait(for: "hook", "all wait") { $0.pending == 300 }
        try door.set(Receiver.Rule("flaky", #""mark":"line 1000 of","status":422"#))
        try scene.log(1000...1000)
        try scene.log(301...400)
        try door.open()
        try scene.client.wait(for: "hook", "all but one have arrived") { $0.delivered == 400 && $0.pending == 0 }
        #expect(try scene.client.destination("hook").dropped == ["refused": 1])
        let found = try letters()
        #expect(found.map { $0["record"]?["log"]?["metadata"]?["n"]?.intValue } == [1000])
        #expect(found.map { $0["status"]?.intValue } == [422])
        let report = try door.report
        #expect(report.entries == 400 && report.unique == 400 && report.disorder.isEmpty, "\(report)")

        // A server that refuses everything is tried a few times, not once or twice for each record.
        try door.close()
        try scene.log(2000...2299)
        try scene.client.wait(for: "hook", "all wait") { $0.pending == 300 }
        try door.set(.status(400))
        try door.open()
        try scene.client.wait(for: "hook", "all are refused") { $0.deadLetters == 301 && $0.pending == 0 }
        #expect(try door.report.requests - report.requests < 100)
        #expect(try scene.client.destination("hook").written == 701)
    }
}
