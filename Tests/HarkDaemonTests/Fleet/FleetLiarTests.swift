import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkStore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub

/// An intruder at the broker may send anything in anybody's name: nothing is lost or run because of it, and it is reported.
@Suite(.timeLimit(.minutes(45))) struct FleetLiarTests {
    typealias Mark = FleetAcknowledgement.Mark

    private static let other = Identifier(high: 0x0199_e0f4_8c7a_7000, low: 0x8000_0000_0000_0009)

    private static func id(_ number: UInt64) -> Identifier { Identifier(high: 0x77, low: number) }

    @Test(
        "acknowledgements of what is not stored, of other stores, runs and logs, and garbage on every topic lose no record"
    )
    func acknowledgements() async throws {
        try await FleetStage.run([FleetStage.Kiosk(fleet: #","batchBytes":4096"#)]) { stage in
            let intruder = try await Intruder(stage)
            let member = try stage.machine.member()
            try await stage.machine.record("first", 3)
            try await stage.settle()
            let (hub, log) = (try #require(member.course.hub), member.course.log)
            var random = SplitMix64(state: 3)
            // The intruder sees all messages, and is faster than the hub.
            try await intruder.listen(to: "hark/shop/up/#")
            intruder.onMessage = { message in
                guard let text = Gzip.decompress(message.payload, limit: 1 << 24),
                    let head = FleetBatch(payload: Array(text.prefix { $0 != 10 }))
                else { return }
                for kind in FleetAcknowledgement.Kind.allCases where kind != .conflict {
                    for (store, run, log) in [
                        (Self.other, hub.run, head.log), (hub.store, Self.other, head.log),
                        (hub.store, hub.run, Self.other),
                    ] {
                        intruder.say(
                            "hark/shop/ack/kiosk-1",
                            FleetAcknowledgement(kind, store: store, run: run, log: log, mark: head.last, hello: 2)
                                .payload)
                    }
                }
                // In the name of the hub itself, about records that it has not.
                let far = Mark(sequence: head.last.sequence + UInt64(random.below(50)), id: Self.other)
                for kind in [FleetAcknowledgement.Kind.taken, .gap] {
                    intruder.say(
                        "hark/shop/ack/kiosk-1",
                        FleetAcknowledgement(kind, store: hub.store, run: hub.run, log: head.log, mark: far).payload)
                }
            }
            for round in 1...10 {
                for topic in [
                    "hark/shop/ack/kiosk-1", "hark/shop/hub/0", "hark/shop/up/0/kiosk-1", "hark/shop/hello/0/kiosk-1",
                    "hark/shop/config/all/surveys", "hark/shop/config/all/flags", "hark/shop/config/all/nothing",
                    "hark/shop/hello/0/größe",
                ] {
                    var bytes = [UInt8](repeating: 0, count: random.below(200))
                    for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
                    intruder.say(topic, random.once(in: 3) ? Array("{\"v\":1}".utf8) : bytes)
                }
                try await stage.machine.record("e", 20, from: round * 100)
            }
            intruder.onMessage = { _ in }
            try await stage.settle()
            try stage.compare()
            #expect(member.course.log == log)
            #expect(try await stage.hub.fleetStatus()["refused"] == 0)
            #expect(try await stage.machine.fleetStatus()["documents"] == [])
            intruder.client.close()
        }
    }

    @Test(
        "what a liar has a machine believe is put right by the hub: a machine that takes false word for it sends all again"
    )
    func believed() async throws {
        try await FleetStage.run { stage in
            let intruder = try await Intruder(stage)
            let machine = stage.machine
            try await machine.record("first", 3)
            try await stage.settle()
            // A hub that is none takes all there is, and stores nothing.
            let phantom = FleetPresence(store: Self.other, run: Self.id(5), isUp: true)
            try await intruder.listen(to: "hark/shop/up/#")
            try await intruder.listen(to: "hark/shop/hello/#")
            intruder.onMessage = { message in
                @DaemonActor func say(
                    _ kind: FleetAcknowledgement.Kind, _ log: Identifier, _ mark: Mark?, _ hello: UInt64
                ) {
                    intruder.say(
                        "hark/shop/ack/\(message.topic.split(separator: "/").last ?? "")",
                        FleetAcknowledgement(
                            kind, store: phantom.store, run: phantom.run, log: log, mark: mark, hello: hello
                        )
                        .payload)
                }
                // It answers the hub as well, which asks whether it is there.
                if let hello = FleetHello(payload: message.payload) {
                    say(.welcome, hello.log, nil, hello.number)
                } else if let text = Gzip.decompress(message.payload, limit: 1 << 24),
                    let head = FleetBatch(payload: Array(text.prefix { $0 != 10 }))
                {
                    say(.taken, head.log, head.last, 0)
                }
            }
            intruder.say("hark/shop/hub/0", phantom.payload, retained: true)
            try await eventually("the hub tells of it") {
                try await stage.hub.fleetStatus()["problem"]?.stringValue?.contains("another hub") == true
            }
            try await machine.record("stolen", 20)
            try await eventually("the machine believes it") {
                try await machine.fleetStatus()["hub"]?.stringValue == Self.other.description
                    && machine.outlet("fleet").pending == 0
            }
            #expect(try stage.hub.storedRecords().filter { $0.name == "stolen" }.isEmpty)
            // It goes, and the hub takes its place again.
            var gone = phantom
            gone.isUp = false
            intruder.say("hark/shop/hub/0", gone.payload, retained: true)
            intruder.client.close()
            try await stage.serves()
            try await stage.settle()
            try stage.compare()
        }
    }

    @Test(
        "a claim of a hub that is not there stops nobody: the one that is there goes on, and machines come back to it")
    func phantom() async throws {
        try await FleetStage.run { stage in
            let intruder = try await Intruder(stage)
            try await stage.machine.record("first", 3)
            try await stage.settle()
            intruder.say(
                "hark/shop/hub/0", FleetPresence(store: Self.other, run: Self.id(5), isUp: true).payload, retained: true
            )
            let member = try stage.machine.member()
            try await eventually("the machine believes it") { member.course.hub?.store == Self.other }
            let began = SystemClock.monotonicMicroseconds
            try await stage.machine.record("second", 3)
            #expect(stage.hub.daemon.fleet.hub?.state == .serving)
            try await stage.settle()
            // A false claim stopped deliveries for a minute once. A busy machine gets half of that here.
            #expect(SystemClock.monotonicMicroseconds - began < 30_000_000)
            try stage.compare()
            intruder.client.close()
        }
    }

    @Test("100 MB on a topic, gzip bombs and thousands of names take no memory to speak of, and no record")
    func memory() async throws {
        let start: @DaemonActor @Sendable (EventLoop) async throws -> Broker = {
            try await Broker.start(on: $0) { _ in "allow_anonymous true" }
        }
        try await FleetStage.run(start: start) { stage in
            let intruder = try await Intruder(stage)
            try await stage.machine.record("first", 3)
            try await stage.settle()
            let before = try residentBytes()
            let bomb = try #require(Gzip.compress([UInt8](repeating: 32, count: 64 << 20)))
            for number in 1...200 {
                intruder.say("hark/shop/up/0/bomber-\(number)", bomb)
            }
            for number in 1...3_000 {
                var hello = FleetHello(log: Self.id(UInt64(number)), run: Self.other)
                hello.number = 1
                hello.version = "e" + String(repeating: "\u{301}", count: 1_000)
                if number.isMultiple(of: 100) { try await intruder.said() }
                intruder.say("hark/shop/hello/0/liar-\(number)", hello.payload)
            }
            try await intruder.said()
            // The broker keeps a thousand for who is slow, and lets go of the rest.
            try await eventually("they were heard") { stage.hub.daemon.fleet.hub?.peers.count ?? 0 > 1_000 }
            try await stage.machine.record("second", 3)
            try await stage.settle()
            try stage.compare()
            for topic in ["hark/shop/up/0/kiosk-1", "hark/shop/ack/kiosk-1", "hark/shop/config/all/surveys"] {
                intruder.say(topic, [UInt8](repeating: 0, count: 100 << 20))
                try await intruder.said()
                try await stage.serves()
                try await stage.machine.record("beside", 2)
                try await stage.settle()
            }
            try stage.compare()
            let after = try residentBytes()
            #expect(after - before < 700 << 20, "\(before >> 20) MiB before, \(after >> 20) MiB after")
            intruder.client.close()
        }
    }
}

/// How much memory this process has.
private func residentBytes() throws -> Int {
    let text = String(decoding: try FileDescriptor.contents(of: "/proc/self/statm", limit: 4_096), as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return try #require(pages) * 4_096
}
