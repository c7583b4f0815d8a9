import HarkFleet
import HarkTesting
import HarkWire
import Testing

/// A machine's end, with events in a random order.
@Suite struct MachineCourseRandomTests {
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

    @Test("whatever happens in whatever order, it keeps its rules", arguments: 1...100)
    func random(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var course = MachineCourse(log: Self.log)
        let ids = [Self.store, Self.run, Self.log, Self.other]
        var (sent, hasParcel, isReady, hello) = (0, false, false, 0 as UInt64)
        for _ in 0..<2_000 {
            course.durable = UInt64(random.below(20))
            course.dice = Double(random.below(11)) / 10
            let number = UInt64(random.below(12))
            let word = Self.word(
                random.pick(FleetAcknowledgement.Kind.allCases), number, hello: random.once(in: 2) ? hello : number,
                store: random.once(in: 9) ? Self.other : Self.store, run: random.once(in: 9) ? Self.other : Self.run,
                log: random.once(in: 9) ? random.pick(ids) : course.log)
            let actions: [Action]
            switch random.below(12) {
            case 0: actions = course.connected()
            case 1: actions = random.once(in: 5) ? course.disconnected() : []
            case 2: actions = course.met(random.once(in: 3) ? Self.down : Self.up)
            case 3: actions = course.timeIsUp()
            case 4, 5:
                guard !hasParcel else { continue }
                let first = (course.position?.sequence ?? 0) + 1
                actions = course.handed((first..<first + UInt64(1 + random.below(7))).map(Self.mark))
                if course.phase == .ready {
                    (hasParcel, sent) = (true, 0)
                } else {
                    #expect(actions == [.failed(.away)])
                }
            case 6:
                if case .verifying(let mark) = course.phase {
                    actions = course.verified(mark, isOwn: !random.once(in: 4))
                } else {
                    actions = course.verified(Self.mark(number), isOwn: true)
                    #expect(actions == [])
                }
            case 7: actions = course.phase == .forking ? course.forked(as: random.pick(ids)) : []
            default: actions = course.heard(word)
            }
            for action in actions {
                switch action {
                case .hello(let number):
                    #expect(number == hello + 1)
                    hello = number
                case .send(let index, _):
                    #expect(index == sent && isReady)
                    sent += 1
                case .accepted, .failed:
                    if case .failed(.away) = action, !hasParcel { continue }
                    #expect(hasParcel)
                    hasParcel = false
                case .ready: isReady = true
                case .unready: isReady = false
                case .arm(let wait): #expect((1...course.terms.longestSolitude).contains(wait))
                case .look, .verify, .fork, .disarm: break
                }
            }
            #expect(isReady == (course.phase == .ready))
            #expect(isReady || !hasParcel)
            if case .disconnected = course.phase { #expect(course.hub == nil) }
        }
    }
}
