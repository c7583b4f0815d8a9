import HarkFleet
import HarkTesting
import HarkWire
import Testing

/// Which of several hubs serves.
@Suite struct FleetRivalTests {
    private static let store = Identifier(high: 1, low: 1)
    private static let run = Identifier(high: 1, low: 2)
    private static let other = FleetPresence(
        store: Identifier(high: 2, low: 1), run: Identifier(high: 2, low: 2), isUp: true)
    private static let own = FleetPresence(store: store, run: run, isUp: true)

    private static func gone(_ presence: FleetPresence) -> FleetPresence {
        FleetPresence(store: presence.store, run: presence.run, isUp: false)
    }

    private static func answer(of presence: FleetPresence, hello: UInt64) -> FleetAcknowledgement {
        FleetAcknowledgement(
            .welcome, store: presence.store, run: presence.run, log: store, mark: nil, hello: hello)
    }

    private static func serving() -> FleetRivals {
        var rivals = FleetRivals(store: store, run: run)
        #expect(rivals.connected() == [.arm(milliseconds: 1_000)] && !rivals.isServing)
        #expect(rivals.timeIsUp() == [.disarm, .announce, .tell("this hub serves")])
        #expect(rivals.isServing)
        return rivals
    }

    private static func waiting() -> FleetRivals {
        var rivals = FleetRivals(store: store, run: run)
        _ = rivals.connected()
        #expect(rivals.met(other) == [])
        #expect(
            rivals.timeIsUp() == [
                .tell("another hub serves this fleet; this one waits"), .probe(1), .arm(milliseconds: 20_000),
            ])
        #expect(!rivals.isServing && rivals.rival == other.store)
        return rivals
    }

    @Test("one alone serves, and goes on whatever of its own comes back")
    func alone() {
        var rivals = Self.serving()
        #expect(rivals.met(Self.own) == [] && rivals.isServing)
        // The will of an earlier connection, which must not stay the retained message.
        #expect(rivals.met(Self.gone(Self.own)) == [.announce] && rivals.isServing)
        #expect(rivals.timeIsUp() == [] && rivals.heard(Self.answer(of: Self.own, hello: 0)) == [])
        #expect(rivals.disconnected() == [.disarm] && !rivals.isServing)
        #expect(rivals.met(Self.other) == [] && rivals.timeIsUp() == [])
    }

    @Test("an earlier run of its own store is over, whatever the broker still has of it")
    func earlierRun() {
        var rivals = FleetRivals(store: Self.store, run: Self.run)
        _ = rivals.connected()
        #expect(rivals.met(FleetPresence(store: Self.store, run: Self.other.run, isUp: true)) == [])
        #expect(rivals.timeIsUp().contains(.announce))
        // The will of that run must not stay the retained message.
        #expect(rivals.met(FleetPresence(store: Self.store, run: Self.other.run, isUp: false)) == [.announce])
    }

    @Test("it waits for one that serves and answers, and takes over once that says it is gone")
    func gives() {
        var rivals = Self.waiting()
        for number in 2...50 as ClosedRange<UInt64> {
            #expect(rivals.heard(Self.answer(of: Self.other, hello: number - 1)) == [])
            #expect(rivals.timeIsUp() == [.probe(number), .arm(milliseconds: 20_000)])
        }
        let third = FleetPresence(store: Self.store, run: Self.store, isUp: false)
        #expect(rivals.met(third) == [] && !rivals.isServing)
        #expect(rivals.met(Self.gone(Self.other)) == [.disarm, .announce, .tell("this hub serves")])
    }

    @Test("one that does not answer twice is gone without a word; answers of others and to other questions are none")
    func silent() {
        var rivals = Self.waiting()
        #expect(rivals.heard(Self.answer(of: Self.own, hello: 1)) == [])
        #expect(rivals.heard(Self.answer(of: Self.other, hello: 7)) == [])
        #expect(rivals.timeIsUp() == [.probe(2), .arm(milliseconds: 20_000)])
        #expect(rivals.heard(Self.answer(of: Self.other, hello: 1)) == [])
        #expect(rivals.timeIsUp() == [.disarm, .announce, .tell("this hub serves")])
    }

    @Test("what is gone while it listens is nobody to wait for, but only that one")
    func listening() {
        var rivals = FleetRivals(store: Self.store, run: Self.run)
        _ = rivals.connected()
        _ = rivals.met(Self.other)
        _ = rivals.met(FleetPresence(store: Self.store, run: Self.store, isUp: false))
        var patient = rivals
        #expect(!patient.timeIsUp().contains(.announce))
        _ = rivals.met(Self.gone(Self.other))
        #expect(rivals.timeIsUp().contains(.announce))
    }

    @Test("of two that begin at once, whom the broker heard last serves, and the other stands back")
    func both() {
        // The broker has heard the other first.
        var last = Self.serving()
        #expect(last.met(Self.other) == [.probe(1), .arm(milliseconds: 1_000)] && last.isServing)
        #expect(last.met(Self.own) == [.disarm] && last.isServing)
        #expect(last.heard(Self.answer(of: Self.other, hello: 1)) == [] && last.isServing)
        // The broker has heard the other last.
        var first = Self.serving()
        #expect(first.met(Self.own) == [])
        #expect(first.met(Self.other) == [.probe(1), .arm(milliseconds: 1_000)])
        #expect(
            first.heard(Self.answer(of: Self.other, hello: 1)) == [
                .tell("another hub has begun to serve this fleet; this one stands back"),
                .arm(milliseconds: 20_000),
            ])
        #expect(first.rival == Self.other.store && !first.isServing)
    }

    @Test("a claim of a hub that is not there stops nobody: it is asked twice, and machines are told anew who serves")
    func claim() {
        let mended: [FleetRivals.Action] = [
            .disarm, .announce, .tell("another hub was said to serve this fleet and is not there; this one goes on"),
        ]
        var rivals = Self.serving()
        #expect(rivals.met(Self.other) == [.probe(1), .arm(milliseconds: 1_000)])
        #expect(rivals.heard(Self.answer(of: Self.own, hello: 1)) == [])
        #expect(rivals.met(Self.other) == [])
        #expect(rivals.timeIsUp() == [.probe(2), .arm(milliseconds: 1_000)] && rivals.isServing)
        // Further claims are asked about as well, and win no time.
        let third = FleetPresence(store: Self.other.store, run: Self.other.store, isUp: true)
        #expect(rivals.met(third) == [.probe(3)])
        #expect(rivals.met(Self.gone(Self.other)) == [])
        #expect(rivals.timeIsUp() == mended && rivals.isServing)
        // One that is gone again is no reason to wait.
        _ = rivals.met(Self.other)
        #expect(rivals.met(Self.gone(Self.other)) == mended && rivals.isServing)
    }

    @Test("what somebody says in its own name is said anew as it is")
    func ownName() {
        var rivals = Self.serving()
        #expect(rivals.met(FleetPresence(store: Self.other.store, run: Self.run, isUp: true)) == [.announce])
        #expect(rivals.isServing)
    }

    @Test("a hub with a copy of its store is told as such")
    func copy() {
        var rivals = Self.serving()
        let copy = FleetPresence(store: Self.store, run: Self.other.run, isUp: true)
        _ = rivals.met(copy)
        #expect(
            rivals.heard(Self.answer(of: copy, hello: 1)).contains(
                .tell("another hub with a copy of this store has begun to serve this fleet; this one stands back")))
    }

    @Test("whatever comes when, in the end exactly one serves, and the broker keeps that one", arguments: 1...300)
    func model(seed: UInt64) {
        var model = RivalModel(seed: seed)
        model.run(steps: 400)
        model.calm()
        #expect(model.serving.count == 1, "\(model.standing)")
        #expect(model.kept == model.serving.first, "\(model.standing)")
    }
}
