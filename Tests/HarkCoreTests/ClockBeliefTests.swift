import HarkCore
import HarkTesting
import HarkWire
import Testing

/// When a clock is believed that says that something is old.
@Suite struct ClockBeliefTests {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour
    private static let year: Int64 = 365 * day
    private static let start: Int64 = 1_800_000_000_000

    /// A machine whose clock is set, and which runs, sleeps and is switched off.
    private struct Machine {
        var wall = ClockBeliefTests.start
        var running: Int64 = 1_000_000
        var boots = 1
        var isSynchronized = false
        var belief: ClockBelief

        init() {
            let now = Timestamp(milliseconds: ClockBeliefTests.start)
            belief = ClockBelief(
                .init(wall: now, running: 1_000_000, boot: "boot-1", isSynchronized: false), newest: now)
        }

        var reading: ClockBelief.Reading {
            .init(
                wall: Timestamp(milliseconds: wall), running: running, boot: "boot-\(boots)",
                isSynchronized: isSynchronized)
        }

        mutating func look() { belief.look(reading) }

        mutating func run(_ milliseconds: Int64) {
            wall += milliseconds
            running += milliseconds
            look()
        }

        mutating func set(_ step: Int64) {
            wall += step
            look()
        }

        mutating func isOff(for milliseconds: Int64, thenRuns: Int64 = 60_000) throws {
            belief = try #require(ClockBelief(packed: belief.packed))
            wall += milliseconds + thenRuns
            running = thenRuns
            boots += 1
            look()
        }

        var behind: Int64 { belief.behind }
    }

    @Test("a clock that jumps a year ahead is not believed, and the time that was believed runs on")
    func jump() {
        var machine = Machine()
        machine.run(10 * Self.day)
        machine.set(Self.year)
        #expect(!machine.belief.isBelieved)
        machine.run(5 * Self.hour)
        #expect(
            machine.belief.believedTime(Timestamp(milliseconds: machine.wall))
                == Timestamp(milliseconds: Self.start + 10 * Self.day + 5 * Self.hour))
    }

    @Test("a clock is believed again once it is put right, after however many looks")
    func putRight() {
        var machine = Machine()
        machine.set(Self.year)
        for _ in 0..<10 { machine.run(Self.hour) }
        machine.set(-Self.year)
        #expect(machine.belief.isBelieved)
        #expect(machine.behind == 0)
    }

    @Test("it is believed again when it is put right to within a minute, and not when it is days beside")
    func nearlyRight() {
        for beside in [-2, 2, 30_000] as [Int64] {
            var machine = Machine()
            machine.set(Self.year)
            machine.set(beside - Self.year)
            #expect(machine.belief.isBelieved, "\(beside) ms")
        }
        var machine = Machine()
        machine.set(Self.year)
        machine.set(2 * Self.day - Self.year)
        #expect(machine.behind == 2 * Self.day)
    }

    @Test("a clock that has held for a day of running is believed, and not an hour earlier")
    func held() {
        var machine = Machine()
        machine.set(Self.year)
        for hour in 1...23 {
            machine.run(Self.hour)
            #expect(!machine.belief.isBelieved, "after \(hour) hours")
            #expect(machine.belief.millisecondsToHold == (24 - Int64(hour)) * Self.hour)
        }
        machine.run(Self.hour)
        #expect(machine.belief.isBelieved)
        #expect(machine.belief.millisecondsToHold == 0)
    }

    @Test("a clock that jumps once more has to hold for a day from then on")
    func jumpsAgain() {
        var machine = Machine()
        machine.set(Self.year)
        machine.run(20 * Self.hour)
        machine.set(Self.year)
        machine.run(20 * Self.hour)
        #expect(machine.behind == 2 * Self.year)
        machine.run(5 * Self.hour)
        #expect(machine.belief.isBelieved)
    }

    @Test("a clock that a time server keeps is believed at once, whatever it did before")
    func synchronized() {
        var machine = Machine()
        machine.set(Self.year)
        machine.isSynchronized = true
        machine.look()
        #expect(machine.belief.isBelieved)
        machine.set(Self.year)
        #expect(machine.belief.isBelieved)
    }

    @Test("a machine that is off at nights and weekends is believed, or at most a few days behind, for years")
    func officeHours() throws {
        var machine = Machine()
        for day in 0..<700 {
            machine.run(9 * Self.hour)
            #expect(machine.behind < 10 * Self.day, "on day \(day)")
            try machine.isOff(for: day % 7 == 4 ? 63 * Self.hour : 15 * Self.hour)
        }
    }

    @Test("a machine that was off for three months is believed once it has run for a day, in pieces too")
    func threeMonths() throws {
        var machine = Machine()
        machine.run(Self.day)
        try machine.isOff(for: 90 * Self.day)
        #expect(machine.behind > 89 * Self.day)
        for _ in 0..<2 {
            machine.run(8 * Self.hour)
            #expect(!machine.belief.isBelieved)
            try machine.isOff(for: 16 * Self.hour)
        }
        machine.run(8 * Self.hour)
        #expect(machine.belief.isBelieved)
    }

    @Test("many small steps are not believed where one as large would not be")
    func smallSteps() {
        var machine = Machine()
        for _ in 0..<20 {
            machine.set(Self.day)
            machine.run(Self.hour)
        }
        #expect(!machine.belief.isBelieved)
        #expect(machine.behind >= 16 * Self.day)
    }

    @Test("the small corrections of years do not add up to a jump")
    func corrections() {
        var machine = Machine()
        for _ in 0..<10_000 {
            machine.run(Self.hour)
            machine.set(50_000)
            #expect(machine.belief.isBelieved)
        }
    }

    @Test("without anything remembered, the newest that is stored tells what the time was")
    func unknown() {
        let machine = Machine()
        let old = Timestamp(milliseconds: machine.wall - Self.year)
        #expect(ClockBelief(machine.reading, newest: old).believedTime(machine.reading.wall) == old)
        #expect(ClockBelief(machine.reading, newest: machine.reading.wall.adding(milliseconds: -Self.day)).isBelieved)
        #expect(ClockBelief(machine.reading, newest: nil).isBelieved)
    }

    @Test("what is remembered comes back, and what is no memory is none")
    func packing() {
        var machine = Machine()
        machine.set(Self.year)
        machine.run(3 * Self.hour)
        let belief = machine.belief
        #expect(ClockBelief(packed: belief.packed)?.packed == belief.packed)
        for damaged in ["", "1 2 3", "1 2 3 4 x boot", "-1 2 3 4 5 boot", "9223372036854775807 2 3 4 5 boot"] {
            #expect(ClockBelief(packed: damaged) == nil, "\(damaged)")
        }
    }

    @Test("no order of steps makes the believed time go ahead of the clock, or more than it should")
    func walk() {
        for seed in 0..<50 {
            var chance = SplitMix64(state: UInt64(seed))
            var machine = Machine()
            for _ in 0..<300 {
                let before = machine.belief.believedTime(Timestamp(milliseconds: machine.wall))
                let wasBelieved = machine.belief.isBelieved
                let step =
                    Int64.random(in: -Self.year...Self.year, using: &chance) / (Bool.random(using: &chance) ? 1 : 500)
                machine.set(step)
                #expect(machine.behind >= 0)
                let ahead =
                    machine.belief.believedTime(Timestamp(milliseconds: machine.wall)).milliseconds
                    - before.milliseconds
                #expect(ahead <= ClockBelief.believedStepMilliseconds || !wasBelieved && ahead <= 0)
                machine.run(Int64.random(in: 0...Self.hour, using: &chance))
            }
        }
    }
}
