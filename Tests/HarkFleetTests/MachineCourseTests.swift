import HarkFleet
import HarkTesting
import HarkWire
import Testing

/// A machine's end, event by event.
@Suite struct MachineCourseTests {
    typealias Mark = FleetAcknowledgement.Mark
    typealias Action = MachineCourse.Action

    private static let log = Identifier(high: 1, low: 1)
    private static let store = Identifier(high: 2, low: 2)
    private static let run = Identifier(high: 3, low: 3)
    private static let other = Identifier(high: 9, low: 9)
    private static let up = FleetPresence(store: store, run: run, isUp: true)
    private static let down = FleetPresence(store: store, run: run, isUp: false)

    private static func mark(_ number: UInt64) -> Mark { Mark(sequence: number, id: Identifier(high: 4, low: number)) }

    private static func word(
        _ kind: FleetAcknowledgement.Kind, _ number: UInt64 = 0, hello: UInt64 = 0, store: Identifier = store,
        run: Identifier = run, log: Identifier = log
    ) -> FleetAcknowledgement {
        FleetAcknowledgement(
            kind, store: store, run: run, log: log, mark: number == 0 ? nil : mark(number), hello: hello)
    }

    /// One that the hub has told that it has this much, with the number of its last hello.
    private static func ready(at number: UInt64 = 0, durable: UInt64 = 0) -> MachineCourse {
        var course = MachineCourse(log: log)
        course.durable = durable
        _ = course.connected()
        #expect(course.met(up) == [.hello(1), .arm(10_000)])
        if number == 0 {
            #expect(course.heard(word(.welcome, hello: 1)) == [.disarm, .ready(at: 0, rewinding: durable > 0)])
        } else {
            #expect(course.heard(word(.welcome, number, hello: 1)) == [.verify(mark(number))])
            #expect(
                course.verified(mark(number), isOwn: true) == [
                    .disarm, .ready(at: number, rewinding: number < durable),
                ])
        }
        return course
    }

    @Test("it says hello to a hub that is there, sends once that has answered, and counts what the hub has")
    func way() {
        var course = Self.ready()
        let marks = [5, 9, 12].map(Self.mark)
        #expect(
            course.handed(marks) == [
                .send(0, after: nil), .send(1, after: marks[0]), .send(2, after: marks[1]), .arm(10_000),
            ])
        #expect(course.heard(Self.word(.taken, 5)) == [.arm(10_000)])
        #expect(course.heard(Self.word(.taken, 5)) == [])
        #expect(course.heard(Self.word(.taken, 12)) == [.disarm, .accepted])
        #expect(course.position == Self.mark(12))
        #expect(course.heard(Self.word(.taken, 9)) == [])
        #expect(course.handed([]) == [.accepted])
        #expect(course.handed([Self.mark(20)]) == [.send(0, after: Self.mark(12)), .arm(10_000)])
    }

    @Test(
        "no more than four batches are under way, however many there are and whatever is acknowledged",
        arguments: 1...20)
    func window(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var course = Self.ready()
        let marks = (1...40).map { Self.mark($0 * 3) }
        var (sent, acknowledged) = (0, 0)
        var actions = course.handed(marks)
        while true {
            for case .send(let index, let after) in actions {
                #expect(index == sent)
                #expect(after == (index == 0 ? nil : marks[index - 1]))
                sent += 1
            }
            #expect(sent - acknowledged <= course.terms.window)
            if actions.contains(.accepted) { break }
            // The acknowledgements of some get lost, others come twice.
            if !random.once(in: 3) { acknowledged += 1 + random.below(sent - acknowledged) }
            actions = acknowledged == 0 ? [] : course.heard(Self.word(.taken, marks[acknowledged - 1].sequence))
        }
        #expect(sent == 40 && acknowledged == 40)
    }

    @Test("what another store, run or log is told counts nothing")
    func others() {
        var course = Self.ready()
        _ = course.handed([Self.mark(5)])
        let before = course.position
        for kind in FleetAcknowledgement.Kind.allCases {
            #expect(course.heard(Self.word(kind, 5, hello: 1, store: Self.other)) == [])
            #expect(course.heard(Self.word(kind, 5, hello: 1, run: Self.other)) == [])
            #expect(course.heard(Self.word(kind, 5, hello: 1, log: Self.other)) == [])
        }
        #expect(course.phase == .ready && course.position == before)
        #expect(course.heard(Self.word(.taken, 5)) == [.disarm, .accepted])
    }

    @Test("a welcome counts once, for the hello that was said last")
    func welcome() {
        var course = MachineCourse(log: Self.log)
        #expect(course.heard(Self.word(.welcome, 3, hello: 1)) == [])
        _ = course.connected()
        #expect(course.heard(Self.word(.welcome, 3, hello: 1)) == [])
        _ = course.met(Self.up)
        #expect(course.timeIsUp() == [.look, .hello(2), .arm(20_000)])
        #expect(course.heard(Self.word(.welcome, 3, hello: 1)) == [])
        #expect(course.heard(Self.word(.welcome, 3, hello: 0)) == [])
        #expect(course.heard(Self.word(.taken, 3)) == [])
        #expect(course.heard(Self.word(.gap, 3)) == [])
        #expect(course.heard(Self.word(.welcome, 3, hello: 2)) == [.verify(Self.mark(3))])
        #expect(course.heard(Self.word(.welcome, 4, hello: 2)) == [])
        #expect(course.verified(Self.mark(4), isOwn: true) == [])
        #expect(course.verified(Self.mark(3), isOwn: true) == [.disarm, .ready(at: 3, rewinding: false)])
        #expect(course.heard(Self.word(.welcome, 4, hello: 2)) == [])
    }

    @Test("the last will of a run that is gone says nothing of the one that is there")
    func lateWill() {
        var course = Self.ready()
        let next = FleetPresence(store: Self.store, run: Self.other, isUp: true)
        #expect(course.met(next) == [.unready, .hello(2), .arm(10_000)])
        #expect(course.met(Self.down) == [])
        #expect(course.phase == .greeting && course.hub == next)
        #expect(
            course.heard(Self.word(.welcome, hello: 2, run: Self.other)) == [.disarm, .ready(at: 0, rewinding: false)])
        #expect(course.met(Self.down) == [] && course.phase == .ready)
        #expect(course.met(next) == [])
        let gone = FleetPresence(store: Self.store, run: Self.other, isUp: false)
        #expect(course.met(gone) == [.unready, .arm(60_000)])
        #expect(course.phase == .alone && course.hub == nil)
    }

    @Test("a storm of gaps costs one hello")
    func storm() {
        var course = Self.ready()
        _ = course.handed((1...4).map(Self.mark))
        #expect(course.heard(Self.word(.gap)) == [.failed(.interrupted), .unready, .hello(2), .arm(10_000)])
        for _ in 0..<100 { #expect(course.heard(Self.word(.gap)) == []) }
        #expect(course.heard(Self.word(.welcome, hello: 2)) == [.disarm, .ready(at: 0, rewinding: false)])
        // Without anything under way they are late.
        for _ in 0..<100 { #expect(course.heard(Self.word(.gap)) == []) }
    }

    @Test("a hub that never answers is asked ever more seldom, up to a bound, and at once where another run is there")
    func patience() {
        var course = MachineCourse(log: Self.log)
        _ = course.connected()
        #expect(course.met(Self.up) == [.hello(1), .arm(10_000)])
        var waits: [Int64] = []
        for number in 2...8 {
            let actions = course.timeIsUp()
            #expect(actions.prefix(2) == [.look, .hello(UInt64(number))])
            if case .arm(let wait) = actions.last { waits.append(wait) }
        }
        #expect(waits == [20_000, 40_000, 60_000, 60_000, 60_000, 60_000, 60_000])
        #expect(
            course.met(FleetPresence(store: Self.store, run: Self.other, isUp: true)) == [.hello(9), .arm(10_000)])
    }

    @Test("where no hub is it is looked for ever more seldom, up to a bound; the dice spread it over half of that")
    func solitude() {
        var course = MachineCourse(log: Self.log)
        #expect(course.connected() == [.disarm, .arm(10_000)])
        var waits: [Int64] = []
        for _ in 0..<8 {
            let actions = course.timeIsUp()
            #expect(actions.first == .look && actions.count == 2)
            if case .arm(let wait) = actions.last { waits.append(wait) }
        }
        #expect(waits == [20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000, 600_000])
        for (dice, wait) in [(0.0, 300_000), (0.5, 450_000), (7, 600_000), (-1, 300_000)] as [(Double, Int64)] {
            course.dice = dice
            #expect(course.timeIsUp() == [.look, .arm(wait)])
        }
    }

    @Test("records that are not acknowledged in time are sent again after the hub said where it stands")
    func unanswered() {
        var course = Self.ready()
        _ = course.handed([Self.mark(4), Self.mark(5)])
        #expect(course.heard(Self.word(.taken, 4)) == [.arm(10_000)])
        #expect(course.timeIsUp() == [.failed(.unanswered), .unready, .hello(2), .arm(10_000)])
        #expect(course.handed([Self.mark(5)]) == [.failed(.away)])
        // It was only the acknowledgement that got lost.
        course.durable = 3
        #expect(course.heard(Self.word(.welcome, 5, hello: 2)) == [.verify(Self.mark(5))])
        #expect(course.verified(Self.mark(5), isOwn: true) == [.disarm, .ready(at: 5, rewinding: false)])
        #expect(course.position == Self.mark(5))
    }

    @Test("a hub that has less than what was done with gets it again; what only lies between wanted records is no gap")
    func rewinding() {
        var course = Self.ready(at: 10, durable: 50)
        course.durable = 10
        _ = course.handed([Self.mark(20)])
        _ = course.heard(Self.word(.taken, 20))
        course.durable = 70
        // It asks again for another reason: nothing was wanted from 21 to 70.
        #expect(course.met(FleetPresence(store: Self.store, run: Self.other, isUp: true)).contains(.hello(2)))
        _ = course.heard(Self.word(.welcome, 20, hello: 2, run: Self.other))
        #expect(course.verified(Self.mark(20), isOwn: true) == [.disarm, .ready(at: 20, rewinding: false)])
        // It was set back.
        #expect(course.met(Self.up).contains(.hello(3)))
        _ = course.heard(Self.word(.welcome, 15, hello: 3))
        #expect(course.verified(Self.mark(15), isOwn: true) == [.disarm, .ready(at: 15, rewinding: true)])
    }

    @Test("a hub that has what it cannot have is asked anew, as somebody else sends in the name of this log")
    func surplus() {
        var course = Self.ready(at: 10)
        #expect(course.heard(Self.word(.taken, 11)) == [.unready, .hello(2), .arm(10_000)])
        _ = course.heard(Self.word(.welcome, 10, hello: 2))
        _ = course.verified(Self.mark(10), isOwn: true)
        _ = course.handed([Self.mark(11)])
        let foreign = FleetAcknowledgement(
            .taken, store: Self.store, run: Self.run, log: Self.log, mark: Mark(sequence: 11, id: Self.other))
        #expect(course.heard(foreign) == [.failed(.interrupted), .unready, .hello(3), .arm(10_000)])
    }

    @Test("a log that the hub knows otherwise gets another id, once, and begins anew under it")
    func fork() {
        for word in [FleetAcknowledgement.Kind.conflict, .gap] {
            var course = Self.ready(at: 10)
            _ = course.handed([Self.mark(11)])
            // A machine with the same log id hears it as well, so it is compared first.
            #expect(course.heard(Self.word(word, 10)) == [.failed(.interrupted), .unready, .hello(2), .arm(10_000)])
            _ = course.heard(Self.word(.welcome, 10, hello: 2))
            #expect(course.verified(Self.mark(10), isOwn: false) == [.disarm, .fork])
            for _ in 0..<10 { #expect(course.heard(Self.word(.conflict, 10)) == []) }
            #expect(course.timeIsUp() == [])
            course.durable = 10
            #expect(course.forked(as: Self.other) == [.hello(3), .arm(10_000)])
            #expect(course.heard(Self.word(.welcome, hello: 3)) == [])
            #expect(
                course.heard(Self.word(.welcome, hello: 3, log: Self.other)) == [
                    .disarm, .ready(at: 0, rewinding: true),
                ])
        }
    }

    @Test("while it gets another id nothing is lost of what happens meanwhile")
    func forking() {
        var course = Self.ready(at: 10)
        _ = course.handed([Self.mark(11)])
        _ = course.heard(Self.word(.conflict, 10))
        _ = course.heard(Self.word(.welcome, 10, hello: 2))
        _ = course.verified(Self.mark(10), isOwn: false)
        #expect(course.met(Self.down) == [.arm(60_000)] && course.phase == .forking)
        #expect(course.forked(as: Self.other) == [.arm(60_000)] && course.phase == .alone)
        #expect(course.met(Self.up) == [.hello(3), .arm(10_000)])
        _ = course.heard(Self.word(.conflict, 10, log: Self.other))
        #expect(course.disconnected() == [.disarm])
        #expect(course.forked(as: Self.log) == [] && course.phase == .disconnected && course.log == Self.log)
        #expect(course.connected() == [.disarm, .arm(10_000)])
    }

    @Test("a log that cannot be read to compare it is compared again")
    func unreadable() {
        var course = MachineCourse(log: Self.log)
        _ = course.connected()
        _ = course.met(Self.up)
        #expect(course.heard(Self.word(.welcome, 3, hello: 1)) == [.verify(Self.mark(3))])
        #expect(course.timeIsUp() == [.look, .hello(2), .arm(20_000)])
        #expect(course.verified(Self.mark(3), isOwn: true) == [])
        #expect(course.heard(Self.word(.welcome, 3, hello: 2)) == [.verify(Self.mark(3))])
        #expect(course.verified(Self.mark(3), isOwn: true) == [.disarm, .ready(at: 3, rewinding: false)])
    }

    @Test("a broker that goes takes all that was under way with it")
    func disconnected() {
        var course = Self.ready()
        _ = course.handed([Self.mark(4)])
        #expect(course.disconnected() == [.failed(.away), .unready, .disarm])
        #expect(course.met(Self.up) == [] && course.timeIsUp() == [] && course.heard(Self.word(.taken, 4)) == [])
        #expect(course.handed([Self.mark(4)]) == [.failed(.away)])
        #expect(course.connected() == [.disarm, .arm(10_000)])
        #expect(course.met(Self.up) == [.hello(2), .arm(10_000)])
    }
}
