import HarkFleet
package import HarkWire

/// Some hubs of one fleet at a broker, which sends all of them its messages in the same order, each in its own time.
package struct RivalModel {
    private enum Message {
        case presence(FleetPresence)
        case question(hub: Int, number: UInt64)
        case answer(FleetAcknowledgement, to: Int)
    }

    private struct Hub {
        var rivals: FleetRivals
        var presence: FleetPresence
        var isUp = false
        var isArmed = false
        /// The messages on their way to the broker, and from it.
        var out: [Message] = []
        var ingoing: [Message] = []
    }

    private var random: SplitMix64
    private var hubs: [Hub] = []
    private var retained: FleetPresence?
    private var isCalm = false

    package init(seed: UInt64, hubs count: Int = 3) {
        random = SplitMix64(state: seed)
        for number in 0..<count {
            let id = Identifier(high: UInt64(number), low: 0)
            hubs.append(
                Hub(
                    rivals: FleetRivals(store: id, run: id), presence: FleetPresence(store: id, run: id, isUp: false)))
        }
    }

    /// The stores of the serving hubs.
    package var serving: [Identifier] { hubs.filter { $0.isUp && $0.rivals.isServing }.map(\.presence.store) }
    /// The store of the one that the broker keeps.
    package var kept: Identifier? { retained.flatMap { $0.isUp ? $0.store : nil } }
    package var standing: String { "\(hubs.map { ($0.isUp, $0.rivals) }), \(String(describing: retained))" }

    package mutating func run(steps: Int) {
        for _ in 0..<steps {
            let hub = random.below(hubs.count)
            switch random.below(20) {
            case 0..<6: hear(hub)
            case 6..<14: tell(hub)
            case 14..<17: ring(hub)
            case 17: start(hub)
            case 18: if random.once(in: 3) { end(hub, isPolite: random.once(in: 2)) }
            default: if random.once(in: 4) { lose(hub) }
            }
        }
    }

    /// Nothing fails any more: all come up, in a random order, and messages are faster than any timer.
    package mutating func calm() {
        isCalm = true
        for hub in hubs.indices { start(hub) }
        for _ in 0..<200 {
            settle()
            let armed = hubs.indices.filter { hubs[$0].isArmed }
            guard !armed.isEmpty else { return }
            // All timers have the same length, so some ring before the others' answers arrive.
            for hub in armed.shuffled(using: &random) where hubs[hub].isArmed {
                ring(hub)
                if random.once(in: 2) { settle() }
            }
        }
    }

    private mutating func settle() {
        while let hub = hubs.indices.filter({ !hubs[$0].out.isEmpty || !hubs[$0].ingoing.isEmpty }).randomElement(
            using: &random)
        {
            if random.once(in: 2) { hear(hub) } else { tell(hub) }
        }
    }

    // MARK: The broker

    /// It hears the next that a hub says.
    private mutating func hear(_ hub: Int) {
        guard !hubs[hub].out.isEmpty else { return }
        publish(hubs[hub].out.removeFirst())
    }

    private mutating func publish(_ message: Message) {
        if case .presence(let presence) = message { retained = presence }
        for hub in hubs.indices where hubs[hub].isUp { hubs[hub].ingoing.append(message) }
    }

    /// A hub gets the next.
    private mutating func tell(_ hub: Int) {
        guard !hubs[hub].ingoing.isEmpty else { return }
        switch hubs[hub].ingoing.removeFirst() {
        case .presence(let presence): perform(hub) { $0.met(presence) }
        case .question(let other, let number):
            guard hubs[hub].rivals.isServing, other != hub else { return }
            let own = hubs[hub].presence
            hubs[hub].out.append(
                .answer(
                    FleetAcknowledgement(
                        .welcome, store: own.store, run: own.run, log: own.store, mark: nil, hello: number), to: other))
        case .answer(let word, let to): if to == hub { perform(hub) { $0.heard(word) } }
        }
    }

    // MARK: Hubs

    private mutating func start(_ hub: Int) {
        guard !hubs[hub].isUp else { return }
        let run = Identifier(high: UInt64(hub), low: random.next())
        let store = hubs[hub].presence.store
        hubs[hub].rivals = FleetRivals(store: store, run: run)
        hubs[hub].presence = FleetPresence(store: store, run: run, isUp: true)
        hubs[hub].isUp = true
        connect(hub)
    }

    private mutating func connect(_ hub: Int) {
        (hubs[hub].out, hubs[hub].ingoing) = ([], [])
        perform(hub) { $0.connected() }
        if let retained { hubs[hub].ingoing.append(.presence(retained)) }
    }

    private mutating func will(_ hub: Int) {
        let own = hubs[hub].presence
        publish(.presence(FleetPresence(store: own.store, run: own.run, isUp: false)))
    }

    private mutating func end(_ hub: Int, isPolite: Bool) {
        guard hubs[hub].isUp else { return }
        (hubs[hub].isUp, hubs[hub].isArmed) = (false, false)
        (hubs[hub].out, hubs[hub].ingoing) = ([], [])
        if isPolite { will(hub) }
    }

    /// The connection breaks, and comes back before anybody notices, or not.
    private mutating func lose(_ hub: Int) {
        guard hubs[hub].isUp else { return }
        perform(hub) { $0.disconnected() }
        let when = random.below(3)
        if when == 0 { will(hub) }
        connect(hub)
        if when == 1 { will(hub) }
    }

    private mutating func ring(_ hub: Int) {
        guard hubs[hub].isUp, hubs[hub].isArmed else { return }
        hubs[hub].isArmed = false
        perform(hub) { $0.timeIsUp() }
    }

    private mutating func perform(_ hub: Int, _ event: (inout FleetRivals) -> [FleetRivals.Action]) {
        for action in event(&hubs[hub].rivals) {
            switch action {
            case .announce: hubs[hub].out.append(.presence(hubs[hub].presence))
            case .probe(let number): hubs[hub].out.append(.question(hub: hub, number: number))
            case .arm: hubs[hub].isArmed = true
            case .disarm: hubs[hub].isArmed = false
            case .tell: break
            }
        }
    }
}
