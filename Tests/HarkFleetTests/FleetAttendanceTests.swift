import HarkFleet
import HarkWire
import Testing

/// Which machines a hub takes for there.
@Suite struct FleetAttendanceTests {
    private static let log = Identifier(high: 1, low: 1)
    private static let other = Identifier(high: 1, low: 2)

    private static func attendance(_ liveness: Int64? = nil, patience: Int64 = 10_000) -> FleetAttendance {
        FleetAttendance(FleetAttendance.Terms(liveness: liveness, patience: patience))
    }

    @Test("without a bound nobody is asked, and nothing wakes a hub up while all are there")
    func quiet() {
        var attendance = Self.attendance()
        #expect(attendance.begin([], at: 0) == [])
        for time in 0..<100 as Range<Int64> {
            #expect(attendance.heard("a", log: Self.log, answers: true, isKnown: true, at: time) == [])
        }
        #expect(attendance.timeIsUp(at: 1_000_000) == [])
    }

    @Test("a machine that stays gone is away, and back when it is heard of; each is told once")
    func away() {
        var attendance = Self.attendance()
        _ = attendance.heard("a", log: Self.log, isKnown: true, at: 0)
        #expect(attendance.left("a", log: Self.other, at: 500) == [])
        #expect(attendance.left("a", log: Self.log, at: 1_000) == [.arm(10_000)])
        #expect(attendance.left("a", log: Self.log, at: 1_500) == [])
        #expect(attendance.timeIsUp(at: 11_000) == [.away("a", log: Self.log)])
        #expect(attendance.timeIsUp(at: 99_000) == [])
        #expect(attendance.heard("a", log: Self.other, isKnown: true, at: 99_000) == [.back("a")])
        #expect(attendance.heard("a", log: Self.other, isKnown: true, at: 99_001) == [])
    }

    @Test("one that is back soon was not away, and who only says hello is told of by nobody")
    func blink() {
        var attendance = Self.attendance()
        _ = attendance.heard("a", log: Self.log, isKnown: true, at: 0)
        _ = attendance.left("a", log: Self.log, at: 0)
        #expect(attendance.heard("a", log: Self.log, isKnown: true, at: 9_000) == [])
        #expect(attendance.timeIsUp(at: 10_000) == [])
        _ = attendance.heard("made up", log: Self.log, isKnown: false, at: 0)
        #expect(attendance.left("made up", log: Self.log, at: 0) == [])
        #expect(attendance.timeIsUp(at: 99_000) == [])
    }

    @Test("with a bound a silent machine is asked twice, and gone by then")
    func asked() {
        var attendance = Self.attendance(60_000)
        #expect(attendance.heard("a", log: Self.log, answers: true, isKnown: true, at: 0) == [.arm(30_000)])
        // It was heard of in between: no other alarm is set for that.
        #expect(attendance.heard("a", log: Self.log, isKnown: true, at: 10_000) == [])
        #expect(attendance.timeIsUp(at: 30_000) == [.arm(10_000)])
        #expect(attendance.timeIsUp(at: 40_000) == [.ask("a", log: Self.log), .arm(15_000)])
        #expect(attendance.timeIsUp(at: 55_000) == [.ask("a", log: Self.log), .arm(15_000)])
        var answering = attendance
        #expect(attendance.timeIsUp(at: 70_000) == [.gone("a", log: Self.log), .away("a", log: Self.log)])
        #expect(attendance.heard("a", log: Self.log, isKnown: true, at: 80_000).contains(.back("a")))
        // An answer is a word like others.
        #expect(answering.heard("a", log: Self.log, answers: true, isKnown: true, at: 69_000) == [])
        #expect(answering.timeIsUp(at: 70_000) == [.arm(29_000)])
    }

    @Test(
        "a version that does not answer is left to the broker, and after a sleep of the hub's there is time to answer")
    func old() {
        var attendance = Self.attendance(60_000)
        #expect(attendance.heard("a", log: Self.log, answers: false, isKnown: true, at: 0) == [])
        _ = attendance.heard("b", log: Self.log, answers: true, isKnown: true, at: 0)
        #expect(attendance.timeIsUp(at: 9_000_000) == [.ask("b", log: Self.log), .arm(15_000)])
        #expect(attendance.timeIsUp(at: 9_015_000) == [.ask("b", log: Self.log), .arm(15_000)])
        #expect(attendance.timeIsUp(at: 9_030_000) == [.gone("b", log: Self.log), .away("b", log: Self.log)])
    }

    @Test(
        "when a hub begins, those that say nothing are asked, and away after a minute; what was told is not told again")
    func begins() {
        func known(_ machine: String, isAway: Bool = false) -> FleetAttendance.Known {
            FleetAttendance.Known(machine: machine, log: Self.log, isAway: isAway)
        }
        var attendance = Self.attendance()
        // Some have said hello before the store was read.
        _ = attendance.heard("early", log: Self.log, isKnown: false, at: 0)
        let machines = [known("early", isAway: true), known("here"), known("silent"), known("away", isAway: true)]
        #expect(attendance.begin(machines, at: 0) == [.back("early"), .arm(30_000)])
        #expect(attendance.heard("here", log: Self.log, isKnown: true, at: 1_000) == [])
        #expect(attendance.timeIsUp(at: 30_000) == [.ask("silent", log: Self.log), .arm(30_000)])
        #expect(attendance.timeIsUp(at: 60_000) == [.away("silent", log: nil)])
        #expect(attendance.heard("away", log: Self.log, isKnown: true, at: 70_000) == [.back("away")])
        attendance.end()
        #expect(attendance.timeIsUp(at: 99_000) == [])
    }
}
