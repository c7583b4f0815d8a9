package import HarkWire

/// Whether a hub serves: one at a time does. Pure, as `MachineCourse`.
///
/// The broker keeps who serves. Whoever finds another hub there waits for it to go, and asks it as a machine would: one that
/// does not answer is gone without a word. Of two that begin at the same moment, whom the broker heard last serves. One that
/// serves does not take the word of whoever may publish for another hub: it goes on, asks that one, and stands back when it answers.
package struct FleetRivals: Sendable {
    package enum Action: Sendable, Equatable {
        /// Say that this one serves, and all it has to say.
        case announce
        /// Ask the other, with this number.
        case probe(UInt64)
        case arm(milliseconds: Int64)
        case disarm
        case tell(String)
    }

    private enum Phase {
        case disconnected
        /// What the broker keeps is on its way.
        case listening
        case waiting(unanswered: Int)
        case serving
        /// Another says that it serves, and is asked.
        case doubting(unanswered: Int)
    }

    /// How long what the broker keeps may take to come.
    package static let listening: Int64 = 1_000
    /// How often another hub is asked whether it is there, and how often in vain.
    package static let asking: Int64 = 20_000
    package static let mostUnanswered = 2
    /// How long one that says it serves instead of this hub has for its answer, each time: machines turn to it meanwhile.
    package static let doubting: Int64 = 1_000

    private let store: Identifier
    private let run: Identifier
    private var phase = Phase.disconnected
    /// The other that serves.
    private var other: FleetPresence?
    private var number: UInt64 = 0

    package init(store: Identifier, run: Identifier) {
        self.store = store
        self.run = run
    }

    package var isServing: Bool {
        switch phase {
        case .serving, .doubting: true
        case .disconnected, .listening, .waiting: false
        }
    }

    /// The store of the hub that serves instead.
    package var rival: Identifier? { if case .waiting = phase { other?.store } else { nil } }

    package mutating func connected() -> [Action] {
        phase = .listening
        other = nil
        return [.arm(milliseconds: FleetRivals.listening)]
    }

    package mutating func disconnected() -> [Action] {
        phase = .disconnected
        return [.disarm]
    }

    package mutating func met(_ presence: FleetPresence) -> [Action] {
        if presence.run == run {
            // Its own word comes back to it. Where that is after another's, both were under way at once, and the broker keeps
            // this one's; the other has stood back by now, or will. Of some shards it may keep the other's.
            switch phase {
            case .waiting where presence.isUp && presence.store == store: return serve()
            case .doubting where presence.isUp && presence.store == store:
                phase = .serving
                other = nil
                return [.disarm]
            // The last will of an earlier connection is late; or somebody speaks in this one's name.
            case .serving where !presence.isUp || presence.store != store,
                .doubting where !presence.isUp || presence.store != store:
                return [.announce]
            default: return []
            }
        }
        switch phase {
        case .disconnected: return []
        case .listening:
            if presence.isUp {
                // An earlier run of this store is over: a store has one daemon.
                if presence.store != store { other = presence }
            } else if presence.run == other?.run {
                other = nil
            }
            return []
        case .waiting:
            if presence.isUp {
                other = presence
                return []
            }
            return presence.run == other?.run ? serve() : []
        case .serving:
            // The last will of one that served before is not to be what the broker keeps.
            guard presence.isUp else { return [.announce] }
            return doubt(presence)
        case .doubting:
            guard presence.isUp else { return presence.run == other?.run ? reclaim() : [] }
            guard presence != other else { return [] }
            // It is asked as well. Time goes on, or whoever says so again and again would keep all machines away.
            other = presence
            number += 1
            return [.probe(number)]
        }
    }

    /// Another says that it serves.
    private mutating func doubt(_ presence: FleetPresence) -> [Action] {
        other = presence
        phase = .doubting(unanswered: 0)
        return ask()
    }

    /// Nobody is there who would serve instead.
    private mutating func reclaim() -> [Action] {
        phase = .serving
        other = nil
        return [
            .disarm, .announce, .tell("another hub was said to serve this fleet and is not there; this one goes on"),
        ]
    }

    /// An answer to what was asked.
    package mutating func heard(_ word: FleetAcknowledgement) -> [Action] {
        guard word.hello == number, let other, word.run == other.run else { return [] }
        switch phase {
        case .waiting:
            phase = .waiting(unanswered: 0)
            return []
        case .doubting:
            phase = .waiting(unanswered: 0)
            let copy = other.store == store ? " with a copy of this store" : ""
            return [
                .tell("another hub\(copy) has begun to serve this fleet; this one stands back"),
                .arm(milliseconds: FleetRivals.asking),
            ]
        case .disconnected, .listening, .serving: return []
        }
    }

    package mutating func timeIsUp() -> [Action] {
        switch phase {
        case .disconnected, .serving: return []
        case .listening:
            guard other != nil else { return serve() }
            phase = .waiting(unanswered: 0)
            return [.tell("another hub serves this fleet; this one waits")] + ask()
        case .waiting(let unanswered):
            guard unanswered < FleetRivals.mostUnanswered else { return serve() }
            return ask()
        case .doubting(let unanswered): return unanswered < FleetRivals.mostUnanswered ? ask() : reclaim()
        }
    }

    private mutating func ask() -> [Action] {
        number += 1
        if case .doubting(let unanswered) = phase {
            phase = .doubting(unanswered: unanswered + 1)
            return [.probe(number), .arm(milliseconds: FleetRivals.doubting)]
        }
        if case .waiting(let unanswered) = phase { phase = .waiting(unanswered: unanswered + 1) }
        return [.probe(number), .arm(milliseconds: FleetRivals.asking)]
    }

    private mutating func serve() -> [Action] {
        phase = .serving
        other = nil
        return [.disarm, .announce, .tell("this hub serves")]
    }
}
