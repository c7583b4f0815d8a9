import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon

/// Brokers that do not take messages of every length.
@Suite(.timeLimit(.minutes(45))) struct FleetLimitTests {
    private static let limits = #","limits":{"lineBytes":8388608,"lineBytesPerUser":268435456}"#

    /// No compression makes it shorter.
    private static func noise(_ bytes: Int, seed: UInt64) -> String {
        var random = SplitMix64(state: seed)
        var text = ""
        while text.utf8.count < bytes { text += String(random.next(), radix: 36) }
        return String(text.prefix(bytes))
    }

    private typealias Start = @DaemonActor @Sendable (EventLoop) async throws -> Broker

    private static let brokers: [(name: String, start: Start)] = [
        ("announces it", { try await Broker.start(on: $0) { _ in "allow_anonymous true\nmax_packet_size 40000" } }),
        ("refuses", { try await Broker.start(on: $0) { _ in "allow_anonymous true\nmessage_size_limit 40000" } }),
    ]

    @Test(
        "batches become as short as the broker takes them, and one record that is too long is a dead letter that names the limit",
        arguments: [0, 1])
    func batches(broker: Int) async throws {
        let (name, start) = Self.brokers[broker]
        try await FleetStage.run(
            [FleetStage.Kiosk(settings: Self.limits)], hubSettings: Self.limits, start: start
        ) { stage in
            let client = try stage.machine.connect()
            try await stage.machine.record("before", 3)
            try await stage.settle()
            for number in 1...40 as ClosedRange<UInt64> {
                try await client.call(
                    "event.record", #"{"name":"e","properties":{"t":"\#(Self.noise(3_000, seed: number))"}}"#)
            }
            try await client.call(
                "event.record", #"{"name":"long","properties":{"t":"\#(Self.noise(120_000, seed: 99))"}}"#)
            try await stage.machine.record("after", 3)
            try await stage.settle()
            try stage.compare(nil, "\(name)") { FleetStage.isUsual($0) && $0.name != "long" }
            let letters = try await client.call("delivery.deadletters", #"{"destination":"fleet"}"#)["deadLetters"]
            #expect(letters?.arrayValue?.count == 1 && letters?[0]?["cause"] == "tooLarge", "\(name)")
            let reason = letters?[0]?["reason"]?.stringValue ?? ""
            #expect(reason.contains("max_packet_size") && !reason.contains("ACL"), "\(name): \(reason)")
            if broker == 0 { #expect(reason.contains("40000"), "\(reason)") }
            // Nothing is wrong any more.
            let status = try await stage.machine.fleetStatus()
            #expect(status["problem"] == .null && status["cause"] == .null, "\(name): \(status)")
        }
    }

    @Test(
        "a document that is too long for the broker is told, stops nothing else, and goes out once it is shorter",
        arguments: [0, 1])
    func document(broker: Int) async throws {
        let (name, start) = Self.brokers[broker]
        try await FleetStage.run(
            [FleetStage.Kiosk(settings: Self.limits)], hubSettings: Self.limits, start: start
        ) { stage in
            try await stage.machine.record("before", 3)
            try await stage.settle()
            let hub = try stage.hub.asker()
            let long = Self.noise(60_000, seed: 7)
            try await hub.call("fleet.push", #"{"kind":"flags","text":"{\"long\": \"\#(long)\"}"}"#)
            try await eventually("it is told") {
                let status = try await stage.hub.fleetStatus()
                return status["cause"] == "limit" && status["problem"]?.stringValue?.contains("max_payload") == true
            }
            try await stage.machine.record("beside", 3)
            try await stage.serves()
            try await stage.settle()
            try stage.compare(nil, "\(name)")
            try await hub.call("fleet.push", #"{"kind":"flags","text":"{\"long\": false}"}"#)
            try await eventually("the machine has it") {
                try await stage.machine.fleetStatus()["documents"]?.arrayValue?.count == 1
            }
            #expect(try await stage.hub.fleetStatus()["problem"] == .null, "\(name)")
        }
    }
}
