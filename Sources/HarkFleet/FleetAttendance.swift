package import HarkWire

/// Tracks which machines are connected, while a hub serves. Pure, like `FleetRivals`; times are milliseconds of a
/// monotonic clock.
///
/// A broker reports a closed connection at once, but a machine that vanishes only after a quarter of an hour. To know
/// sooner, the hub pings a silent machine twice; without an answer it is gone. A machine that is gone for a while is
/// away, which is reported once, as is its return.
package struct FleetAttendance: Sendable {
    package struct Terms: Sendable, Equatable {
        /// The time without a message after which a machine is gone; nil: only when the broker says so.
        package var liveness: Int64?
        /// The time after which a machine that is gone is away.
        package var patience: Int64
        /// The time for machines to report after a hub has begun to serve.
        var grace: Int64 { max(6 * patience, liveness ?? 0) }

        package init(liveness: Int64?, patience: Int64) {
            self.liveness = liveness
            self.patience = patience
        }
    }

    package enum Action: Sendable, Equatable {
        /// Ping a machine about this log.
        case ask(String, log: Identifier)
        /// The machine has not answered.
        case gone(String, log: Identifier)
        /// Report that it is away, or back. The log is the last one heard of; nil: none since the hub serves.
        case away(String, log: Identifier?)
        case back(String)
        /// Call `timeIsUp` after this many milliseconds; replaces an earlier timer.
        case arm(Int64)
    }

    private struct Entry {
        /// The log that was last heard of, or that last had records stored.
        var log: Identifier
        /// Whether nothing was heard of it since the hub serves.
        var isExpected = false
        var answers = false
        /// Whether its records are stored; any client of the broker can send a hello.
        var isKnown = false
        var isHere = true
        var heardAt: Int64
        /// When it was found gone; meaningless while it is connected.
        var goneAt: Int64 = 0
        var asked = 0
        var askedAt: Int64 = 0
        var isAway = false
    }

    private let terms: Terms
    /// The machines by name: a machine with a new disk is the same machine.
    private var entries: [String: Entry] = [:]
    /// The time of the pending timer.
    private var alarm: Int64?

    package init(_ terms: Terms) { self.terms = terms }

    // MARK: Messages

    /// A machine with stored records, when a hub begins to serve.
    package struct Known: Sendable {
        package let machine: String
        package let log: Identifier
        /// Whether it was reported as away.
        package let isAway: Bool

        package init(machine: String, log: Identifier, isAway: Bool) {
            self.machine = machine
            self.log = log
            self.isAway = isAway
        }
    }

    /// Starts when a hub begins to serve. Every machine sends it a hello, perhaps earlier. Machines that send none are gone.
    package mutating func begin(_ machines: [Known], at now: Int64) -> [Action] {
        var actions: [Action] = []
        for machine in machines {
            if entries[machine.machine] != nil {
                entries[machine.machine]?.isKnown = true
                if machine.isAway { actions.append(.back(machine.machine)) }
                continue
            }
            var entry = Entry(log: machine.log, isExpected: true, isKnown: true, isHere: false, heardAt: now)
            entry.isAway = machine.isAway
            entry.goneAt = now + terms.grace - terms.patience
            entries[machine.machine] = entry
        }
        return actions + look(at: now)
    }

    /// Forgets everything.
    package mutating func end() {
        entries = [:]
        alarm = nil
    }

    /// - Parameters:
    ///   - answers: Whether it answers pings; nil if it has not said.
    ///   - isKnown: Whether its records are stored.
    package mutating func heard(
        _ machine: String, log: Identifier, answers: Bool? = nil, isKnown: Bool, at now: Int64
    ) -> [Action] {
        var entry = entries[machine] ?? Entry(log: log, heardAt: now)
        let wasAway = entry.isAway
        (entry.log, entry.isExpected, entry.isHere, entry.isAway) = (log, false, true, false)
        (entry.heardAt, entry.asked) = (now, 0)
        entry.answers = answers ?? entry.answers
        entry.isKnown = entry.isKnown || isKnown
        entries[machine] = entry
        return (wasAway ? [.back(machine)] : []) + arm(due(entry), at: now)
    }

    /// Notes that the broker, or the machine itself, says that it is gone.
    package mutating func left(_ machine: String, log: Identifier, at now: Int64) -> [Action] {
        guard var entry = entries[machine], entry.isHere, entry.log == log else { return [] }
        (entry.isHere, entry.goneAt) = (false, now)
        entries[machine] = entry
        return arm(due(entry), at: now)
    }

    package mutating func timeIsUp(at now: Int64) -> [Action] {
        alarm = nil
        return look(at: now)
    }

    // MARK: Timers

    /// The shortest time between two checks.
    private static let finest: Int64 = 50

    private func due(_ entry: Entry) -> Int64? {
        if entry.isHere {
            guard let liveness = terms.liveness, entry.answers else { return nil }
            // Counted from the ping, so that a machine has time to answer even after the hub was asleep.
            return entry.asked == 0 ? entry.heardAt + liveness / 2 : entry.askedAt + liveness / 4
        }
        guard entry.isKnown, !entry.isAway else { return nil }
        return entry.isExpected && entry.asked == 0 ? entry.heardAt + terms.grace / 2 : entry.goneAt + terms.patience
    }

    private mutating func look(at now: Int64) -> [Action] {
        var actions: [Action] = []
        var next: Int64?
        for machine in entries.keys.sorted() {
            guard var entry = entries[machine], let due = due(entry) else { continue }
            if due <= now {
                actions += follow(&entry, machine, at: now)
                entries[machine] = entry
            }
            if let due = self.due(entry) { next = min(next ?? due, due) }
        }
        return actions + arm(next, at: now)
    }

    private func follow(_ entry: inout Entry, _ machine: String, at now: Int64) -> [Action] {
        if entry.isHere ? entry.asked < 2 : entry.isExpected && entry.asked == 0 {
            (entry.asked, entry.askedAt) = (entry.asked + 1, now)
            return [.ask(machine, log: entry.log)]
        }
        var actions: [Action] = []
        if entry.isHere {
            // It counts as gone since it was last heard of.
            (entry.isHere, entry.goneAt) = (false, entry.heardAt)
            actions.append(.gone(machine, log: entry.log))
        }
        guard entry.isKnown, entry.goneAt + terms.patience <= now else { return actions }
        entry.isAway = true
        return actions + [.away(machine, log: entry.isExpected ? nil : entry.log)]
    }

    /// Arms the timer if this is due earlier than the pending one, which would find it otherwise.
    private mutating func arm(_ due: Int64?, at now: Int64) -> [Action] {
        guard let due, due < alarm ?? .max else { return [] }
        let time = max(due, now + Self.finest)
        alarm = time
        return [.arm(time - now)]
    }
}
