package import HarkWire

/// A watch: a user's request to be notified when an event has not come for a while.
///
/// Changes of its state are stored in the transaction of their cause: the event that came, or the one that reports a
/// miss.
package struct Watch: Sendable, Equatable {
    package let key: WatchKey
    /// The name of the expected event.
    package let event: String
    /// The terms as shown to users. Without an app, events of any app count; without a user, events about any user.
    package private(set) var terms: WatchTerms
    /// The compiled condition of the terms; nil if all events count.
    package let condition: EventCondition?
    /// The hours and days of the terms; nil for always.
    package let hours: WatchHours?
    package let addedAt: Timestamp
    package var state: WatchState
    /// When the event is due at the latest, by the time of watches; computed by `WatchBook`.
    package internal(set) var dueAt: Timestamp

    package init(
        key: WatchKey, event: String, terms: WatchTerms, condition: EventCondition? = nil, hours: WatchHours? = nil,
        addedAt: Timestamp, state: WatchState
    ) {
        self.key = key
        self.event = event
        self.terms = terms
        self.terms.condition = (condition?.condition.document).map { AnyJSON($0) }
        self.condition = condition
        self.hours = hours
        self.addedAt = addedAt
        self.state = state
        dueAt = state.since.adding(milliseconds: terms.every)
    }

    /// The limits of the interval, in milliseconds.
    package static let shortest: Int64 = 1_000
    package static let longest: Int64 = 10 * 366 * 86_400_000

    /// When the next notice is due, by the time of watches; nil: not before an event comes.
    package var wakesAt: Timestamp? {
        guard state.missedAt != nil else { return dueAt }
        return state.hasCome ? .earliest : nil
    }

    /// Computes `dueAt`.
    mutating func reckon(in zone: LocalZone) {
        dueAt =
            hours.map { zone.time(wall: $0.end(of: terms.every, from: zone.wall(state.since)), after: state.since) }
            ?? state.since.adding(milliseconds: terms.every)
    }

    /// The scope in which notices are recorded.
    package var scope: Scope { Scope(uid: key.uid, app: terms.app ?? Scope.defaultApp) }

    /// Whether both watches wait for the same events.
    func waits(asOther other: Watch) -> Bool {
        event.hasSameBytes(as: other.event) && condition == other.condition
            && terms.app.hasSameBytes(as: other.terms.app) && terms.userId.hasSameBytes(as: other.terms.userId)
    }

    func isMeant(_ record: RecordView, of session: SessionIdentity, asked: AskedProperties?) -> Bool {
        (terms.app == nil || terms.app.hasSameBytes(as: session.scope.app))
            && (terms.userId == nil || terms.userId.hasSameBytes(as: session.userId))
            && condition?.holds(record, of: session, asked: asked) ?? true
    }
}

/// Identifies a watch; the id is unique within the uid.
package struct WatchKey: Hashable, Sendable {
    package let uid: UInt32
    package let id: ExactName

    package init(uid: UInt32, id: ExactName) {
        self.uid = uid
        self.id = id
    }
}

/// The state of a watch.
package struct WatchState: Sendable, Equatable {
    /// The start of the current interval: the last event, else the time of adding; by the time of watches
    /// (`WatchTime`).
    package var since: Timestamp
    /// When the event last came, by the clock at that time; nil if it never has since the watch was added.
    package var lastAt: Timestamp?
    /// The number of that event.
    package var lastSequence: UInt64?
    /// When the event was found missing, by the clock; nil if it is not.
    package var missedAt: Timestamp?
    /// Whether the event has come while missing, and that was not reported yet.
    package var hasCome = false
    /// The number of misses.
    package var misses = 0

    package init(since: Timestamp) { self.since = since }
}
