import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// A hub and machines over random histories: machines away, killed, set back and lost, and the same of the hub.
@Suite("Credits of a fleet over random histories")
struct CreditWalkTests {
    /// Accidents other than machines that go, come and restart, and crashes of the hub.
    private struct Accidents: OptionSet {
        let rawValue: Int
        static let machinesSetBack = Accidents(rawValue: 1)
        static let machinesLost = Accidents(rawValue: 2)
        static let hubSetBack = Accidents(rawValue: 4)
    }

    private static func check(_ fleet: CreditFleet, _ most: Int, cell: Int?, _ step: Int) {
        let answers = fleet.answers
        #expect(answers.count <= most + fleet.blind, "step \(step)")
        guard let cell else { return }
        let pro = fleet.machines.flatMap(\.stage.disk.all).filter {
            answers.contains($0.id) && $0.trigger["plan"] == .string("pro")
        }
        #expect(Set(pro.map(\.id)).count <= cell, "step \(step)")
    }

    private static func walk(
        _ fleet: inout CreditFleet, steps: Int, most: Int, cell: Int? = nil, with accidents: Accidents = []
    ) throws {
        for step in 0..<steps {
            let place = fleet.number(below: fleet.machines.count)
            let lost = fleet.machines[place].isLost
            switch fleet.number(below: 42) {
            case 0..<9 where !lost:
                try fleet.ask(place, [("plan", .string(fleet.chance(50) ? "pro" : "free"))])
                fleet.report(place)
            case 9..<14 where !lost: try fleet.close(place, answering: fleet.chance(70))
            case 14..<16 where !lost: try fleet.offer(place)
            case 16..<19 where !lost:
                fleet.machines[place].isHere.toggle()
                fleet.meet(place)
            case 19..<21 where !lost: fleet.meet(place)
            case 21..<23 where !lost: fleet.sendRecords(place)
            case 23 where !lost:
                fleet.restart(place)
                fleet.meet(place)
            case 24 where !lost: fleet.keepCopy(place)
            case 25 where !lost && accidents.contains(.machinesSetBack) && fleet.chance(20): fleet.setBack(place)
            case 26 where fleet.chance(10):
                fleet.crashHub()
                fleet.startHub()
            case 27..<35: for _ in 0..<20 { try fleet.deliver() }
            case 35..<38: fleet.commitHub()
            case 38 where accidents.contains(.machinesLost) && !lost && fleet.chance(5):
                (fleet.machines[place].isLost, fleet.machines[place].isHere) = (true, false)
            case 39 where accidents.contains(.hubSetBack) && fleet.chance(10):
                if let copy = fleet.copy, fleet.chance(50) {
                    fleet.setBackHub(to: copy)
                } else {
                    fleet.copy = fleet.disk
                }
            default: fleet.now = fleet.now.adding(milliseconds: Int64(fleet.number(below: 60_000)))
            }
            if step % 50 == 0 { check(fleet, most, cell: cell, step) }
        }
        check(fleet, most, cell: cell, steps)
    }

    /// All machines are connected, and answer their surveys.
    private static func finish(_ fleet: inout CreditFleet, rounds: Int) throws {
        fleet.isCalm = true
        fleet.startHub()
        let there = fleet.machines.indices.filter { !fleet.machines[$0].isLost }
        for place in there { fleet.machines[place].isHere = true }
        for place in there { fleet.meet(place) }
        fleet.now = fleet.now.adding(milliseconds: 3_000)
        for _ in 0..<max(rounds, 1) {
            for place in there {
                if rounds > 0 { try fleet.ask(place, [("plan", .string("free"))]) }
                fleet.meet(place)
            }
            for _ in 0..<4 {
                fleet.commitHub()
                while !fleet.onTheWay.isEmpty { try fleet.deliver() }
            }
            for place in there where rounds > 0 {
                try fleet.offer(place)
                while !fleet.machines[place].stage.engine.surveys.allShown.isEmpty {
                    try fleet.close(place, answering: true)
                }
            }
            fleet.now = fleet.now.adding(milliseconds: Stage.hour / 2)
        }
        for place in there { fleet.meet(place) }
        for _ in 0..<4 {
            fleet.commitHub()
            while !fleet.onTheWay.isEmpty { try fleet.deliver() }
        }
    }

    @Test("50 machines, away half of the time, and killed: never 101 answers, and 100 within a day", arguments: 0..<8)
    func hundred(seed: Int) throws {
        var fleet = try CreditTests.fleet(#"{"answers":100}"#, machines: 50, seed: seed)
        for place in fleet.machines.indices where place % 2 == 0 { fleet.machines[place].isHere = false }
        let began = fleet.now
        try Self.walk(&fleet, steps: 3_000, most: 100)
        #expect(fleet.answers.count > 20, "the walk itself asks")
        try Self.finish(&fleet, rounds: 12)
        #expect(fleet.now.milliseconds - began.milliseconds < Stage.day)
        #expect(fleet.answers.count == 100)
    }

    @Test(
        "50 machines that are also set back and lost: never 101 answers, and all once leases are over", arguments: 0..<4
    )
    func accidents(seed: Int) throws {
        var fleet = try CreditTests.fleet(#"{"answers":100}"#, machines: 50, seed: seed)
        try Self.walk(&fleet, steps: 3_000, most: 100, with: [.machinesSetBack, .machinesLost])
        let lost = fleet.machines.count { $0.isLost }
        #expect(lost > 0)
        try Self.finish(&fleet, rounds: 0)
        fleet.now = fleet.now.adding(milliseconds: CreditFleet.lease * 2)
        try Self.finish(&fleet, rounds: 12)
        Self.check(fleet, 100, cell: nil, -1)
        // Some have told of an answer that never came.
        #expect(fleet.used == 100 && fleet.answers.count > 80, "\(fleet.used), \(fleet.answers.count)")
    }

    @Test(
        "a hub that is set back deals too much at most before it can know of it, and all again later", arguments: 0..<6)
    func hubSetBack(seed: Int) throws {
        var fleet = try CreditTests.fleet(#"{"answers":60}"#, machines: 20, seed: seed)
        try Self.walk(&fleet, steps: 4_000, most: 60, with: [.hubSetBack, .machinesLost])
        try Self.finish(&fleet, rounds: 0)
        fleet.now = fleet.now.adding(milliseconds: CreditFleet.lease * 2)
        try Self.finish(&fleet, rounds: 0)
        fleet.now = fleet.now.adding(milliseconds: Stage.day * 2)
        try Self.finish(&fleet, rounds: 12)
        Self.check(fleet, 60, cell: nil, -1)
        #expect(fleet.used >= 60 && fleet.recount.since == nil, "\(fleet.used)")
    }

    @Test("cells, periods, evenly and machines that are lost: no period and no cell has too many", arguments: 0..<8)
    func parts(seed: Int) throws {
        let quota =
            #"{"answers":20,"cells":[{"name":"pro","where":"plan = pro","answers":7}]\#(seed % 2 == 0 ? #","withinSeconds":604800,"spread":true"# : "")}"#
        var fleet = try CreditTests.fleet(quota, machines: 8, seed: seed)
        try Self.walk(&fleet, steps: 1_500, most: 20, cell: 7, with: .machinesSetBack)
        fleet.machines[0].isLost = true
        fleet.machines[0].isHere = false
        try Self.walk(&fleet, steps: 500, most: 20, cell: 7, with: .machinesSetBack)
        guard seed % 2 == 1 else { return }
        // The lost machine's credits are free once its lease is over; the others have reported theirs.
        try Self.finish(&fleet, rounds: 0)
        fleet.now = fleet.now.adding(milliseconds: CreditFleet.lease * 2)
        try Self.finish(&fleet, rounds: 30)
        #expect(fleet.used == 20 && fleet.answers.count <= 20)
    }
}
