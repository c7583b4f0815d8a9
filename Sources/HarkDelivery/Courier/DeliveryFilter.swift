package import HarkCore
import HarkWire

/// The records that a lane delivers.
package struct DeliveryFilter: Sendable, Equatable {
    /// The selection of events.
    package enum Events: Sendable {
        case none
        /// The events that surveys record: shown, answered, dismissed.
        case ofSurveys
        /// All other events.
        case others
        case all
    }

    package var kinds: Record.Kinds
    package var events = Events.none
    /// Only events whose name matches one of these; empty for all.
    package var names: [NamePattern] = []
    /// Only events that match this condition.
    package var condition: EventCondition?
    /// Only log entries of at least this level.
    package var leastGravity = 0
    /// Ranges of the log that are left out.
    package var skips: [ClosedRange<UInt64>] = []

    /// Sessions that are left out up to a number, by row.
    package var removed: [Int64: UInt64] = [:]

    package init(kinds: Record.Kinds, events: Events = .none) {
        self.kinds = kinds
        self.events = events
        if events != .none { self.kinds.insert(.event) }
    }

    /// Whether the lane delivers this record.
    func includes(_ record: Record) -> Bool { record.withView { includes($0, of: record.session) } }

    /// The kinds that the lane delivers completely; nil if the filter depends on more than the kind.
    var kindsAlone: Record.Kinds? {
        guard isOfKindsOnly, skips.isEmpty, removed.isEmpty else { return nil }
        switch events {
        case .all: return kinds
        case .none: return kinds.subtracting([.event])
        case .ofSurveys, .others: return nil
        }
    }

    /// A filter by kind alone and, for events, by whether a survey has recorded them. It is only a few bits, which
    /// avoids reference counting of the whole filter for each record.
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

    /// Nil if the filter depends on more.
    var byKind: ByKind? { isOfKindsOnly && skips.isEmpty && removed.isEmpty ? ofKinds : nil }

    package func includes(_ record: RecordView, of session: SessionIdentity) -> Bool {
        includes(record, ofSession: session.row) { session }
    }

    /// - Parameter session: Looks up the session if the filter needs it; nil leaves the record out.
    package func includes<Failure>(
        _ record: RecordView, ofSession row: Int64, _ session: () throws(Failure) -> SessionIdentity?
    ) throws(Failure) -> Bool {
        if !removed.isEmpty, let last = removed[row], record.sequence <= last { return false }
        return try wants(record, session)
    }

    /// Whether the lane wants the record, removed or not.
    package func wants(_ record: RecordView, of session: SessionIdentity) -> Bool {
        wants(record) { session }
    }

    private func wants<Failure>(
        _ record: RecordView, _ session: () throws(Failure) -> SessionIdentity?
    ) throws(Failure) -> Bool {
        // The condition is the slowest check, so it comes last.
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

    /// Whether the kind decides, and for events whether a survey recorded them. Valid for newly committed records,
    /// which no skipped range contains.
    var isOfKindsOnly: Bool { names.isEmpty && leastGravity == 0 && condition == nil }
}
