package import HarkWire

/// Which machines are there, as a hub goes by it while it serves. Pure, as `FleetRivals`: times are milliseconds of a clock that
/// only goes forward.
///
/// A broker says at once that a connection has ended; of a machine that vanishes without a word it says so after a quarter of an
/// hour. Where that is to be known sooner, a machine of which nothing is heard is asked twice, and is gone once it does not answer.
/// What is gone for a while is away, and that is told once, as is its coming back.
package struct FleetAttendance: Sendable {
    package struct Terms: Sendable, Equatable {
        /// After so long without a word a machine is gone; nil: once the broker says so.
        package var liveness: Int64?
        /// A machine that is gone for so long is away.
        package var patience: Int64
        /// How long machines have to say that they are there, once a hub serves.
        var grace: Int64 { max(6 * patience, liveness ?? 0) }

        package init(liveness: Int64?, patience: Int64) {
            self.liveness = liveness
            self.patience = patience
        }
    }

    package enum Action: Sendable, Equatable {
        /// Ask a machine, about this log of it, whether it is there.
        case ask(String, log: Identifier)
        /// It has not answered.
        case gone(String, log: Identifier)
        /// Tell that it is away, or is back. The log is the one that was heard of last; nil: none since the hub serves.
        case away(String, log: Identifier?)
        case back(String)
        /// Say `timeIsUp` after so many milliseconds, whatever was said before.
        case arm(Int64)
    }

    private struct Entry {
        /// The log that was heard of last, or of which records were taken last.
        var log: Identifier
        /// Nothing was heard of it since the hub serves.
        var isExpected = false
        var answers = false
        /// Records of it are here; whoever says hello may be anybody.
        var isKnown = false
        var isHere = true
        var heardAt: Int64
        /// When it was found gone; while it is here of no use.
        var goneAt: Int64 = 0
        var asked = 0
        var askedAt: Int64 = 0
        var isAway = false
    }

    private let terms: Terms
    /// By name: a machine that has another disk is the same.
    private var entries: [String: Entry] = [:]
    /// When to look next, as far as that was asked for.
    private var alarm: Int64?

    package init(_ terms: Terms) { self.terms = terms }

    // MARK: What is heard

    /// A machine of which records are here, when a hub begins to serve.
    package struct Known: Sendable {
        package let machine: String
        package let log: Identifier
        /// Whether it was told that it is away.
        package let isAway: Bool

        package init(machine: String, log: Identifier, isAway: Bool) {
            self.machine = machine
            self.log = log
            self.isAway = isAway
        }
    }

    /// A hub has begun to serve, and all machines say hello to it: those that do not are gone. Some may have done so already.
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

    /// Nothing is known any more.
    package mutating func end() {
        entries = [:]
        alarm = nil
    }

    /// - Parameters:
    ///   - answers: whether it answers when it is asked; nil where that was not said.
    ///   - isKnown: whether records of it are here.
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

    /// The broker, or the machine itself, says that it is gone.
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

    // MARK: What is due

    /// Nobody is looked at more often than this.
    private static let finest: Int64 = 50

    private func due(_ entry: Entry) -> Int64? {
        if entry.isHere {
            guard let liveness = terms.liveness, entry.answers else { return nil }
            // After a sleep of the hub's, too, a machine has time to answer.
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
            // It has been gone since it was last heard of.
            (entry.isHere, entry.goneAt) = (false, entry.heardAt)
            actions.append(.gone(machine, log: entry.log))
        }
        guard entry.isKnown, entry.goneAt + terms.patience <= now else { return actions }
        entry.isAway = true
        return actions + [.away(machine, log: entry.isExpected ? nil : entry.log)]
    }

    /// What is due later than the alarm is found when that rings.
    private mutating func arm(_ due: Int64?, at now: Int64) -> [Action] {
        guard let due, due < alarm ?? .max else { return [] }
        let time = max(due, now + Self.finest)
        alarm = time
        return [.arm(time - now)]
    }
}
