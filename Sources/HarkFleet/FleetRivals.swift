package import HarkWire

/// Ensures that only one hub serves at a time. Pure, like `MachineCourse`.
///
/// The broker retains which hub serves. A hub that finds another waits for its end, and probes it like a machine would;
/// without an answer it is gone. If two begin at once, the hub that the broker heard last serves. A serving hub does
/// not trust the claim of another, because any client of the broker can publish one: it continues, probes that hub, and yields if
/// it answers.
package struct FleetRivals: Sendable {
    package enum Action: Sendable, Equatable {
        /// Publish that this hub serves, and all documents.
        case announce
        /// Probe the other hub, with this number.
        case probe(UInt64)
        case arm(milliseconds: Int64)
        case disarm
        case tell(String)
    }

    private enum Phase {
        case disconnected
        /// Retained messages are still coming.
        case listening
        case waiting(unanswered: Int)
        case serving
        /// Another hub claims to serve, and is being probed.
        case doubting(unanswered: Int)
    }

    /// The time in which retained messages arrive, in milliseconds.
    package static let listening: Int64 = 1_000
    /// The interval of probes, and the number of unanswered ones after which a hub is gone.
    package static let asking: Int64 = 20_000
    package static let mostUnanswered = 2
    /// The time for the answer to each probe while another hub claims to serve: machines turn to it meanwhile.
    package static let doubting: Int64 = 1_000

    private let store: Identifier
    private let run: Identifier
    private var phase = Phase.disconnected
    /// The other hub that serves.
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
            // This hub's own claim. If it comes after another's, both were sent at once and the broker retains this
            // one; the other hub has yielded, or will. For some shards it may retain the other's.
            switch phase {
            case .waiting where presence.isUp && presence.store == store: return serve()
            case .doubting where presence.isUp && presence.store == store:
                phase = .serving
                other = nil
                return [.disarm]
            // A late last will of an earlier connection, or a forged message.
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
                // An earlier run of this store has ended: a store has one daemon.
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
            // The last will of an earlier hub must not stay the retained message.
            guard presence.isUp else { return [.announce] }
            return doubt(presence)
        case .doubting:
            guard presence.isUp else { return presence.run == other?.run ? reclaim() : [] }
            guard presence != other else { return [] }
            // It is probed too, without extending the time: otherwise repeated claims would keep all machines away.
            other = presence
            number += 1
            return [.probe(number)]
        }
    }

    /// Begins to probe another hub that claims to serve.
    private mutating func doubt(_ presence: FleetPresence) -> [Action] {
        other = presence
        phase = .doubting(unanswered: 0)
        return ask()
    }

    /// Serves on, because the other hub does not exist.
    private mutating func reclaim() -> [Action] {
        phase = .serving
        other = nil
        return [
            .disarm, .announce, .tell("another hub was said to serve this fleet and is not there; this one goes on"),
        ]
    }

    /// Handles the answer to a probe.
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
