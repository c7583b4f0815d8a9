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

    package func includes(_ record: RecordView, ofSession row: Int64) -> Bool {
        if !removed.isEmpty, let last = removed[row], record.sequence <= last { return false }
        return includes(record)
    }

    package func includes(_ record: RecordView) -> Bool {
        guard kinds.contains(record.kind) else { return false }
        if !skips.isEmpty, skips.contains(where: { $0.contains(record.sequence) }) { return false }
        switch record.kind {
        case .event:
            switch events {
            case .none: return false
            case .ofSurveys: guard SurveyEvents.isName(record.name) else { return false }
            case .others: guard !SurveyEvents.isName(record.name) else { return false }
            case .all: break
            }
            return names.isEmpty || names.contains { $0.matches(record.name) }
        case .log:
            guard leastGravity > 0 else { return true }
            let level = LogEntry.Level(rawValue: String(decoding: record.name, as: UTF8.self))
            return (level?.gravity ?? 0) >= leastGravity
        case .sessionStarted, .sessionEnded, .form, .profile: return true
        }
    }

    /// Whether the kind of a record decides, and of an event whether it is a survey's; for what was just committed, which
    /// no stretch to leave out holds.
    var isOfKindsOnly: Bool { names.isEmpty && leastGravity == 0 }
}
