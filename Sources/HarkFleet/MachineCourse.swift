package import HarkWire

/// The machine's side of the protocol with the hub: its messages, the records it may send, and the acknowledged ones.
/// Pure: it has no broker, clock or log; each event returns the actions that follow from it.
///
/// The broker may lose, repeat and reorder messages. Only messages of the hub's latest known run about this log count. In every
/// unusual case the machine asks for the hub's position again (`hello`), and continues there, even if it lies before the
/// records that seemed done.
package struct MachineCourse: Sendable {
    package typealias Mark = FleetAcknowledgement.Mark

    package struct Terms: Sendable {
        /// The maximum number of unacknowledged batches, which is the only bound on messages to the broker.
        package var window = 4
        /// The timeout of an answer in milliseconds; doubled after each timeout.
        package var patience: Int64 = 10_000
        package var longestPatience: Int64 = 60_000
        /// The maximum interval of the search for a hub, if none has announced itself.
        package var longestSolitude: Int64 = 600_000

        package init() {}
    }

    package enum Action: Sendable, Equatable {
        /// Read the retained message of the hub again, which may have been lost.
        case look
        /// Send a hello with this number.
        case hello(UInt64)
        /// Send this batch of the parcel; nothing that the hub lacks lies between `after` and it.
        case send(Int, after: Mark?)
        /// The result of the parcel.
        case accepted
        case failed(Failure)
        /// Parcels may be handed over; if rewinding, records after this number that seemed done must be sent again.
        case ready(at: UInt64, rewinding: Bool)
        /// No parcels until the next `ready`.
        case unready
        /// Check whether this record is in the log, and call `verified`.
        case verify(Mark)
        /// The hub has foreign records under this log's id: give the log another one, and call `forked`.
        case fork
        /// Call `timeIsUp` after this many milliseconds; replaces an earlier timer.
        case arm(Int64)
        case disarm
    }

    package enum Failure: Sendable, Equatable {
        /// The broker or the hub is not connected.
        case away
        /// The hub did not answer in time.
        case unanswered
        /// Another event intervened; the hub's position must be known before anything is sent again.
        case interrupted
        /// The broker does not accept batches of this length.
        case tooLong
    }

    package enum Phase: Sendable, Equatable {
        /// Without a broker.
        case disconnected
        /// Without a hub.
        case alone
        case greeting
        case verifying(Mark)
        case forking
        case ready
    }

    private struct Parcel: Sendable {
        let marks: [Mark]
        var sent = 0
        var acknowledged = 0
    }

    package let terms: Terms
    package private(set) var log: Identifier
    package private(set) var phase = Phase.disconnected
    /// The presence of the current hub.
    package private(set) var hub: FleetPresence?
    /// The last record that the hub has, by its own word; nil for none. Valid while `ready`.
    package private(set) var position: Mark?
    /// The machine's own stored cursor. Set it before each event.
    package var durable: UInt64 = 0
    /// A random number from 0 to 1; set it before each event.
    package var dice = 1.0

    private var number: UInt64 = 0
    private var parcel: Parcel?
    private var patience: Int64
    /// The last record of this log that the hub has acknowledged to this run.
    private var known: UInt64?

    package init(log: Identifier, _ terms: Terms = Terms()) {
        self.log = log
        self.terms = terms
        patience = terms.patience
    }

    // MARK: Presence

    package mutating func connected() -> [Action] {
        let actions = disconnected()
        phase = .alone
        patience = terms.patience
        return actions + [.arm(wait)]
    }

    package mutating func disconnected() -> [Action] {
        let wasReady = phase == .ready
        phase = .disconnected
        hub = nil
        return drop(.away) + (wasReady ? [.unready] : []) + [.disarm]
    }

    /// Handles the presence of a hub.
    package mutating func met(_ presence: FleetPresence) -> [Action] {
        guard phase != .disconnected else { return [] }
        if presence.isUp {
            guard hub != presence else { return [] }
            hub = presence
            patience = terms.patience
            return greet(failing: .interrupted)
        }
        // The last will of an ended run may come after the next run has announced itself.
        guard hub?.run == presence.run else { return [] }
        let wasReady = phase == .ready
        hub = nil
        if phase != .forking { phase = .alone }
        patience = terms.longestPatience
        return drop(.away) + (wasReady ? [.unready] : []) + [.arm(wait)]
    }

    // MARK: Words of the hub

    package mutating func heard(_ word: FleetAcknowledgement) -> [Action] {
        guard let hub, word.store == hub.store, word.run == hub.run, word.log == log else { return [] }
        switch word.kind {
        case .welcome:
            guard phase == .greeting, word.hello == number else { return [] }
            guard let mark = word.mark else { return settle(at: nil) }
            phase = .verifying(mark)
            return [.verify(mark)]
        // All machines with this log's id get a conflict; the comparison shows whose log the hub has.
        case .gap, .conflict: return phase == .ready && parcel != nil ? greet(failing: .interrupted) : []
        case .taken: return phase == .ready ? taken(word.mark) : []
        // Answered by a hello that requests nothing.
        case .ping: return []
        }
    }

    /// Handles that the broker rejected a batch as too long.
    package mutating func tooLong() -> [Action] {
        phase == .ready && parcel != nil ? greet(failing: .tooLong) : []
    }

    private mutating func taken(_ mark: Mark?) -> [Action] {
        guard let mark else { return [] }
        // An earlier acknowledgement, late or repeated.
        guard mark.sequence > position?.sequence ?? 0 else { return [] }
        guard var parcel, let place = parcel.marks[parcel.acknowledged..<parcel.sent].firstIndex(of: mark) else {
            // The hub has more than possible, or something else: another machine sends in this log's name.
            return greet(failing: .interrupted)
        }
        parcel.acknowledged = place + 1
        (position, known) = (mark, mark.sequence)
        patience = terms.patience
        self.parcel = parcel
        return pump()
    }

    /// - Parameter isOwn: Whether the record is in the log, or may have been before it was removed.
    package mutating func verified(_ mark: Mark, isOwn: Bool) -> [Action] {
        guard phase == .verifying(mark) else { return [] }
        return isOwn ? settle(at: mark) : fork()
    }

    private mutating func settle(at mark: Mark?) -> [Action] {
        let cursor = mark?.sequence ?? 0
        phase = .ready
        position = mark
        patience = terms.patience
        // The cursor may be ahead of the last wanted record; that is no gap.
        let rewinds = cursor < durable && cursor != known
        known = cursor
        return [.disarm, .ready(at: cursor, rewinding: rewinds)]
    }

    private mutating func fork() -> [Action] {
        let wasReady = phase == .ready
        phase = .forking
        return drop(.interrupted) + (wasReady ? [.unready] : []) + [.disarm, .fork]
    }

    /// Continues after the log has got another id.
    package mutating func forked(as log: Identifier) -> [Action] {
        self.log = log
        known = nil
        guard phase == .forking else { return [] }
        phase = .alone
        return hub == nil ? [.arm(wait)] : greet(failing: .interrupted)
    }

    private mutating func greet(failing failure: Failure) -> [Action] {
        let wasReady = phase == .ready
        guard phase != .forking else { return drop(failure) }
        phase = .greeting
        number += 1
        return drop(failure) + (wasReady ? [.unready] : []) + [.hello(number), .arm(wait)]
    }

    // MARK: Parcels

    /// Takes records to send, in batches that end at these; all of them come after `position`.
    package mutating func handed(_ marks: [Mark]) -> [Action] {
        guard phase == .ready else { return [.failed(.away)] }
        guard !marks.isEmpty else { return [.accepted] }
        parcel = Parcel(marks: marks)
        return pump()
    }

    private mutating func pump() -> [Action] {
        guard var parcel else { return [] }
        if parcel.acknowledged == parcel.marks.count {
            self.parcel = nil
            return [.disarm, .accepted]
        }
        var actions: [Action] = []
        while parcel.sent < parcel.marks.count, parcel.sent - parcel.acknowledged < terms.window {
            let after = parcel.sent == 0 ? position : parcel.marks[parcel.sent - 1]
            actions.append(.send(parcel.sent, after: after))
            parcel.sent += 1
        }
        self.parcel = parcel
        return actions + [.arm(wait)]
    }

    private mutating func drop(_ failure: Failure) -> [Action] {
        guard parcel != nil else { return [] }
        parcel = nil
        return [.failed(failure)]
    }

    /// With jitter, so that many machines that waited for one hub do not come back together.
    private var wait: Int64 { patience / 2 + Int64(Double(patience / 2) * min(max(dice, 0), 1)) }

    package mutating func timeIsUp() -> [Action] {
        switch phase {
        case .alone:
            patience = min(2 * patience, terms.longestSolitude)
            return [.look, .arm(wait)]
        // A log that could not be read for the comparison must not block for ever.
        case .greeting, .verifying:
            patience = min(2 * patience, terms.longestPatience)
            return [.look] + greet(failing: .unanswered)
        case .ready where parcel != nil: return greet(failing: .unanswered)
        case .disconnected, .forking, .ready: return []
        }
    }
}
