package import HarkWire

/// A machine's end of the way to the hub: what it says, what it may send, and what it takes for acknowledged. Pure: it
/// knows no broker, no clock and no log; each event returns the actions it leads to.
///
/// The broker may lose, repeat and reorder whatever it likes. What counts is the hub's word alone, and only that of the run of
/// the hub that was met last, about this log. Whenever anything is out of the ordinary, the machine asks anew where the
/// hub stands (`hello`), and goes on from there, be it before what it took for done.
package struct MachineCourse: Sendable {
    package typealias Mark = FleetAcknowledgement.Mark

    package struct Terms: Sendable {
        /// Batches under way at a time. The way to the broker has no other bound.
        package var window = 4
        /// How long an answer is waited for, in milliseconds; doubled with each that does not come.
        package var patience: Int64 = 10_000
        package var longestPatience: Int64 = 60_000
        /// How often it is looked for a hub at most, where none has said that it is there.
        package var longestSolitude: Int64 = 600_000

        package init() {}
    }

    package enum Action: Sendable, Equatable {
        /// Look what the broker keeps of the hub: what it told may have been lost.
        case look
        /// Say hello, with this number.
        case hello(UInt64)
        /// Send this batch of the parcel; nothing that the hub lacks lies between `after` and it.
        case send(Int, after: Mark?)
        /// What became of the parcel.
        case accepted
        case failed(Failure)
        /// Parcels may come from here on; what lies behind this number and was done with is to be sent again where that is said.
        case ready(at: UInt64, rewinding: Bool)
        /// No parcels until then.
        case unready
        /// Look whether this record is in the log, and say so by `verified`.
        case verify(Mark)
        /// The hub has records under this log's id that are none of its: give the log another one (`forked`).
        case fork
        /// Say `timeIsUp` after so many milliseconds, whatever was said before.
        case arm(Int64)
        case disarm
    }

    package enum Failure: Sendable, Equatable {
        /// The broker or the hub is away.
        case away
        /// The hub did not answer in time.
        case unanswered
        /// Something came in between, and it is known anew where the hub stands before anything is sent again.
        case interrupted
        /// The broker does not take batches as long.
        case tooLong
    }

    package enum Phase: Sendable, Equatable {
        /// There is no broker.
        case disconnected
        /// There is no hub.
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
    /// Of the hub that is there.
    package private(set) var hub: FleetPresence?
    /// The last record that the hub has, as it said itself; nil for none. Of use while `ready`.
    package private(set) var position: Mark?
    /// How far the machine's own account of what is done with has come. To be put in before an event.
    package var durable: UInt64 = 0
    /// From 0 to 1; to be put in before an event.
    package var dice = 1.0

    private var number: UInt64 = 0
    private var parcel: Parcel?
    private var patience: Int64
    /// The last that the hub has acknowledged to this run, of this log.
    private var known: UInt64?

    package init(log: Identifier, _ terms: Terms = Terms()) {
        self.log = log
        self.terms = terms
        patience = terms.patience
    }

    // MARK: Who is there

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

    /// What is known of the hub has come.
    package mutating func met(_ presence: FleetPresence) -> [Action] {
        guard phase != .disconnected else { return [] }
        if presence.isUp {
            guard hub != presence else { return [] }
            hub = presence
            patience = terms.patience
            return greet(failing: .interrupted)
        }
        // The last will of a run that is gone may come after the next one has said that it is there.
        guard hub?.run == presence.run else { return [] }
        let wasReady = phase == .ready
        hub = nil
        if phase != .forking { phase = .alone }
        patience = terms.longestPatience
        return drop(.away) + (wasReady ? [.unready] : []) + [.arm(wait)]
    }

    // MARK: What it says

    package mutating func heard(_ word: FleetAcknowledgement) -> [Action] {
        guard let hub, word.store == hub.store, word.run == hub.run, word.log == log else { return [] }
        switch word.kind {
        case .welcome:
            guard phase == .greeting, word.hello == number else { return [] }
            guard let mark = word.mark else { return settle(at: nil) }
            phase = .verifying(mark)
            return [.verify(mark)]
        // All that share this log's id hear of a conflict; whose log it is that the hub has shows once that is compared.
        case .gap, .conflict: return phase == .ready && parcel != nil ? greet(failing: .interrupted) : []
        case .taken: return phase == .ready ? taken(word.mark) : []
        // It is answered by a hello that asks for nothing.
        case .ping: return []
        }
    }

    /// The broker has not taken something of the parcel, as it was too long.
    package mutating func tooLong() -> [Action] {
        phase == .ready && parcel != nil ? greet(failing: .tooLong) : []
    }

    private mutating func taken(_ mark: Mark?) -> [Action] {
        guard let mark else { return [] }
        // What was said before, and comes late or twice.
        guard mark.sequence > position?.sequence ?? 0 else { return [] }
        guard var parcel, let place = parcel.marks[parcel.acknowledged..<parcel.sent].firstIndex(of: mark) else {
            // It has more than it can have, or something else: somebody else sends in this log's name.
            return greet(failing: .interrupted)
        }
        parcel.acknowledged = place + 1
        (position, known) = (mark, mark.sequence)
        patience = terms.patience
        self.parcel = parcel
        return pump()
    }

    /// - Parameter isOwn: whether the record that was asked for is in the log, or may have been before it was removed.
    package mutating func verified(_ mark: Mark, isOwn: Bool) -> [Action] {
        guard phase == .verifying(mark) else { return [] }
        return isOwn ? settle(at: mark) : fork()
    }

    private mutating func settle(at mark: Mark?) -> [Action] {
        let cursor = mark?.sequence ?? 0
        phase = .ready
        position = mark
        patience = terms.patience
        // An account may be ahead of the last record that was wanted; that is no gap.
        let rewinds = cursor < durable && cursor != known
        known = cursor
        return [.disarm, .ready(at: cursor, rewinding: rewinds)]
    }

    private mutating func fork() -> [Action] {
        let wasReady = phase == .ready
        phase = .forking
        return drop(.interrupted) + (wasReady ? [.unready] : []) + [.disarm, .fork]
    }

    /// The log has another id.
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

    /// Records are to be sent, in batches that end at these; all of them lie behind `position`.
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
        // A log that could not be read to compare it is no reason to stand still for ever.
        case .greeting, .verifying:
            patience = min(2 * patience, terms.longestPatience)
            return [.look] + greet(failing: .unanswered)
        case .ready where parcel != nil: return greet(failing: .unanswered)
        case .disconnected, .forking, .ready: return []
        }
    }
}
