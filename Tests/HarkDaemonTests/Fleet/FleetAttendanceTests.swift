import Foundation
import HarkCore
import HarkDelivery
import HarkFleet
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub

/// Which machines a hub takes for there, and how many of them.
@Suite(.timeLimit(.minutes(45))) struct FleetAttendanceTests {
    /// The hub's records of machines that come and go.
    @DaemonActor
    private static func told(_ stage: FleetStage) throws -> [String] {
        try stage.hub.storedRecords().filter { $0.name.hasPrefix("machine.") }.map(\.name)
    }

    @DaemonActor
    private static func isHere(_ stage: FleetStage) async throws -> Bool {
        try await stage.hub.fleetStatus()["machines"]?[0]?["here"] == true
    }

    @Test(
        "a machine that ends and stays away is told by an event, and so is its coming back, also to a hub that was started anew"
    )
    func away() async throws {
        try await FleetStage.run(hub: #","awaySeconds":0.2"#) { stage in
            try await stage.machine.record("first")
            try await stage.settle()
            #expect(try Self.told(stage).isEmpty)
            try await stage.machine.restart {
                try await eventually("it is told") { try Self.told(stage) == ["machine.away"] }
                let event = try #require(try stage.hub.storedRecords().last { $0.name == "machine.away" })
                #expect(event.properties["machine"] == .string("kiosk-1"))
                // The next run knows the state, and does not repeat the report.
                try await stage.hub.restart()
                try await stage.serves()
            }
            try await eventually("it is back") { try Self.told(stage) == ["machine.away", "machine.back"] }
        }
    }

    @Test("a machine that was gone before the hub began is told by that as well")
    func before() async throws {
        try await FleetStage.run(hub: #","awaySeconds":0.2"#) { stage in
            try await stage.machine.record("first")
            try await stage.settle()
            try await stage.hub.restart { await stage.machine.daemon.stop() }
            try await stage.serves()
            try await stage.machine.restart {
                try await eventually("it is told") { try Self.told(stage) == ["machine.away"] }
            }
        }
    }

    @Test("where that is asked for, a machine without a word is gone within the bound, and one that answers is not")
    func liveness() async throws {
        try await FleetStage.run(hub: #","livenessSeconds":1,"awaySeconds":0.5"#) { stage in
            let intruder = try await Intruder(stage)
            try await intruder.listen(to: "hark/shop/ack/kiosk-1")
            try await stage.machine.record("first")
            try await stage.settle()
            @DaemonActor func pings() -> Int {
                intruder.messages.count { FleetAcknowledgement(payload: $0.payload)?.kind == .ping }
            }
            try await eventually("it is asked, again and again") { pings() >= 4 }
            #expect(try await Self.isHere(stage))
            #expect(try Self.told(stage).isEmpty)
            // Its network dies: nothing comes there any more, and the broker has no word of it.
            let link = try stage.machine.member().link
            let hears = link.onEvent
            link.onEvent = { _ in }
            try await eventually("it is gone") { try await !Self.isHere(stage) }
            try await eventually("it is told") { try Self.told(stage) == ["machine.away"] }
            link.onEvent = hears
            try stage.machine.member().tellState()
            try await eventually("it is back") { try Self.told(stage) == ["machine.away", "machine.back"] }
            #expect(try await Self.isHere(stage))
            intruder.client.close()
        }
    }

    @Test("there are no more machines than there may be, whoever makes some up, and that is told")
    func bound() async throws {
        let kiosks = [FleetStage.Kiosk(), FleetStage.Kiosk(name: "kiosk-2")]
        try await FleetStage.run(kiosks, hub: #","mostMachines":1"#) { stage in
            let (first, second) = (stage.machines[0], stage.machines[1])
            try await first.record("first")
            try await stage.settle([first])
            try await second.record("second")
            try await eventually("it is told") {
                try await stage.hub.fleetStatus()["problem"]?.stringValue?.contains("fleet.mostMachines") == true
            }
            let intruder = try await Intruder(stage)
            for number in 1...500 {
                var hello = FleetHello(log: Identifier(high: 7, low: UInt64(number)), run: Identifier(high: 7, low: 7))
                hello.number = 1
                intruder.say("hark/shop/hello/0/liar-\(number)", hello.payload)
            }
            try await intruder.said()
            try await first.record("third")
            try await stage.settle([first])
            try stage.compare(first)
            #expect(try stage.hub.storedRecords().allSatisfy { $0.session.machine?.name != "kiosk-2" })
            let count = try await stage.hub.fleetStatus()["machineCount"]?.exactInteger
            #expect(count.map { $0 <= 2 } == true)
            intruder.client.close()
        }
    }

    @Test("hellos of hundreds of machines at once are dealt with between all else")
    func hellos() async throws {
        try await FleetStage.run { stage in
            let intruder = try await Intruder(stage)
            let hub = try #require(stage.hub.daemon.fleet.hub)
            let growth = Growth()
            let hook = stage.loop.onTurnEnd { growth.note(hub.peers.count) }
            for number in 1...900 {
                var hello = FleetHello(log: Identifier(high: 7, low: UInt64(number)), run: Identifier(high: 7, low: 7))
                hello.number = 1
                intruder.say("hark/shop/hello/0/new-\(number)", hello.payload)
            }
            try await eventually("all are known") { hub.peers.count >= 900 }
            #expect(growth.most < 100, "\(growth.most) in one turn")
            hook.cancel()
            intruder.client.close()
        }
    }

    @Test("a push to a group that nobody is in is told, with the group that may be meant")
    func group() async throws {
        try await FleetStage.run([FleetStage.Kiosk(fleet: #","group":"north""#)]) { stage in
            try await stage.machine.record("first")
            try await stage.settle()
            @DaemonActor func issues(_ group: String) async throws -> String {
                let reply = try await stage.hub.asker().call(
                    "fleet.push", #"{"kind":"flags","text":"{}","group":"\#(group)"}"#)
                return reply["issues"]?.arrayValue?.compactMap { $0["message"]?.stringValue }.joined() ?? "?"
            }
            #expect(try await issues("nroth") == "no machine is in the group 'nroth'; did you mean 'north'?")
            #expect(try await issues("moon") == "no machine is in the group 'moon' yet")
            #expect(try await issues("north").isEmpty)
            // Also before any machine was heard of.
            try await stage.machine.restart {
                try await stage.hub.restart()
                try await stage.serves()
                #expect(try await issues("north").isEmpty)
            }
        }
    }
}

/// The largest growth between two looks.
@DaemonActor
private final class Growth {
    private var last = 0
    private(set) var most = 0

    func note(_ count: Int) {
        most = max(most, count - last)
        last = count
    }
}
