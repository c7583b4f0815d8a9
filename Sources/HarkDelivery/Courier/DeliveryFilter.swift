package import HarkCore
import HarkWire

/// Which records a lane carries.
package struct DeliveryFilter: Sendable, Equatable {
    /// Which events.
    package enum Events: Sendable {
        case none
        /// What surveys record of themselves: shown, answered, dismissed.
        case ofSurveys
        /// All the others.
        case others
        case all
    }

    package var kinds: Record.Kinds
    package var events = Events.none
    /// Only events whose name matches one of these; empty for all.
    package var names: [NamePattern] = []
    /// Only events for which it holds.
    package var condition: EventCondition?
    /// Only log entries at least this grave.
    package var leastGravity = 0
    /// Stretches of the log that are left out.
    package var skips: [ClosedRange<UInt64>] = []

    /// Sessions that are left out, by row, up to a number.
    package var removed: [Int64: UInt64] = [:]

    package init(kinds: Record.Kinds, events: Events = .none) {
        self.kinds = kinds
        self.events = events
        if events != .none { self.kinds.insert(.event) }
    }

    /// Whether the lane carries a record that is at hand as a whole.
    func includes(_ record: Record) -> Bool { record.withView { includes($0, of: record.session) } }

    /// The kinds of which the lane carries all; nil where more is looked at than the kind.
    var kindsAlone: Record.Kinds? {
        guard isOfKindsOnly, skips.isEmpty, removed.isEmpty else { return nil }
        switch events {
        case .all: return kinds
        case .none: return kinds.subtracting([.event])
        case .ofSurveys, .others: return nil
        }
    }

    /// What decides where nothing is looked at but the kind of a record and, of an event, whether a survey has recorded it. It
    /// is a few bits: that the whole filter is not at hand for each record saves counting the references in it.
    struct ByKind {
        fileprivate let kinds: Record.Kinds
        fileprivate let events: Events

        func includes(_ record: RecordView) -> Bool {
            guard kinds.contains(record.kind) else { return false }
            guard record.kind == .event else { return true }
            switch events {
            case .none: return false
            case .ofSurveys: return SurveyEvents.isName(record.name)
            case .others: return !SurveyEvents.isName(record.name)
            case .all: return true
            }
        }
    }

    private var ofKinds: ByKind { ByKind(kinds: kinds, events: events) }

    /// Nil where more is looked at.
    var byKind: ByKind? { isOfKindsOnly && skips.isEmpty && removed.isEmpty ? ofKinds : nil }

    package func includes(_ record: RecordView, of session: SessionIdentity) -> Bool {
        includes(record, ofSession: session.row) { session }
    }

    /// - Parameter session: looked up only where something is asked of it; without it, the record is left out.
    package func includes<Failure>(
        _ record: RecordView, ofSession row: Int64, _ session: () throws(Failure) -> SessionIdentity?
    ) throws(Failure) -> Bool {
        if !removed.isEmpty, let last = removed[row], record.sequence <= last { return false }
        return try wants(record, session)
    }

    /// Whether it is one of those that the lane carries, removed or not.
    package func wants(_ record: RecordView, of session: SessionIdentity) -> Bool {
        wants(record) { session }
    }

    private func wants<Failure>(
        _ record: RecordView, _ session: () throws(Failure) -> SessionIdentity?
    ) throws(Failure) -> Bool {
        // The condition takes longest, so it comes last.
        guard mayWant(record) else { return false }
        guard let condition, record.kind == .event else { return true }
        guard let session = try session() else { return false }
        return condition.holds(record, of: session)
    }

    private func mayWant(_ record: RecordView) -> Bool {
        guard ofKinds.includes(record) else { return false }
        if !skips.isEmpty, skips.contains(where: { $0.contains(record.sequence) }) { return false }
        switch record.kind {
        case .event:
            return names.isEmpty || names.contains { $0.matches(record.name) }
        case .log:
            guard leastGravity > 0 else { return true }
            let level = LogEntry.Level(rawValue: String(decoding: record.name, as: UTF8.self))
            return (level?.gravity ?? 0) >= leastGravity
        case .sessionStarted, .sessionEnded, .form, .profile, .presentation, .clear: return true
        }
    }

    /// Whether the kind of a record decides, and of an event whether it is a survey's; for what was just committed, which
    /// no stretch to leave out holds.
    var isOfKindsOnly: Bool { names.isEmpty && leastGravity == 0 && condition == nil }
}
