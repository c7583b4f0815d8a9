package import HarkWire

/// What a user has asked to be told of: that an event has not come for a while.
///
/// Its state is part of the transaction of what changed it: of the event that came, and of the one that says that none came.
package struct Watch: Sendable, Equatable {
    package let key: WatchKey
    /// The name of the event that is to come.
    package let event: String
    /// As they are told. Without an app, events of any app count; without a user, events about anybody.
    package private(set) var terms: WatchTerms
    /// The condition among the terms, ready to be asked; nil: all events count.
    package let condition: EventCondition?
    /// The hours and days among the terms; nil: always.
    package let hours: WatchHours?
    package let addedAt: Timestamp
    package var state: WatchState
    /// Until when it may stay away, by the time of watches: as `WatchBook` reckons it from the others.
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

    /// How long one may stay away at the least and at the most, in milliseconds.
    package static let shortest: Int64 = 1_000
    package static let longest: Int64 = 10 * 366 * 86_400_000

    /// When there is something to tell next, by the time of watches; nil: not before something comes.
    package var wakesAt: Timestamp? {
        guard state.missedAt != nil else { return dueAt }
        return state.hasCome ? .earliest : nil
    }

    /// Reckons until when it may stay away.
    mutating func reckon(in zone: LocalZone) {
        dueAt =
            hours.map { zone.time(wall: $0.end(of: terms.every, from: zone.wall(state.since)), after: state.since) }
            ?? state.since.adding(milliseconds: terms.every)
    }

    /// Where what is told of it is recorded.
    package var scope: Scope { Scope(uid: key.uid, app: terms.app ?? Scope.defaultApp) }

    /// Whether the two wait for the same events.
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

/// Names a watch: its id counts within the uid.
package struct WatchKey: Hashable, Sendable {
    package let uid: UInt32
    package let id: ExactName

    package init(uid: UInt32, id: ExactName) {
        self.uid = uid
        self.id = id
    }
}

/// How it stands with a watch.
package struct WatchState: Sendable, Equatable {
    /// From when it is counted: when the event came last, else when the watch was added; by the time of watches (`WatchTime`).
    package var since: Timestamp
    /// When it came last, as the clock had it then; nil: never, since the watch was added.
    package var lastAt: Timestamp?
    /// The number of that event.
    package var lastSequence: UInt64?
    /// Since when it is missed, as the clock had it; nil: it is not.
    package var missedAt: Timestamp?
    /// It has come while it was missed, and that is not told yet.
    package var hasCome = false
    /// How often it was missed.
    package var misses = 0

    package init(since: Timestamp) { self.since = since }
}
