package import HarkWire

/// One showing of a survey to a user, from the event that triggered it to its end.
///
/// scheduled → ready → presented → answered, dismissed, expired or cancelled. A presenter that vanishes or a snooze
/// takes it back a step; its first presentation is counted, later ones are not.
package struct Presentation: Sendable, Equatable {
    /// Its numbers are kept in the store.
    package typealias State = PresentationState

    package let id: Identifier
    package let survey: String
    package internal(set) var user: UserKey
    package let app: String
    /// The session of the event that triggered it.
    package internal(set) var origin: Identifier
    package let createdAt: Timestamp
    /// The properties of the event that triggered it (`Properties.kept`); none if it was no event.
    package var trigger = Properties.none
    /// The values for its survey's texts and conditions, by `ValueName`, at the time when it was scheduled.
    package var given = Properties.none
    /// The number of surveys that triggered each other before it, by the events that they record.
    package var depth = 0
    package var state: State
    /// When it is (or became) ready.
    package var dueAt: Timestamp
    /// When it ends by itself, once it is ready.
    package var expiresAt: Timestamp?
    /// When it was first presented, and the session it was last presented in.
    package var presentedAt: Timestamp?
    package var session: Identifier?
    /// The session that was started for it because its user had none, and ends when it is no longer shown. It is the
    /// current one of no scope, unless version 0.1.0 has started it.
    package var ownSession: SessionIdentity?
    package var closedAt: Timestamp?
    /// Why it was cancelled.
    package var reason: String?
    /// Whether it was presented while gating was bypassed, and so does not count.
    package var isUncounted = false
    /// The answers so far or, once answered, the final ones.
    package var answers = Answers()
    /// The requested locale when it was last presented, and the shown content, as a JSON object.
    package var locale: String?
    package var shown: [UInt8] = []
    /// The number of reminders so far; the greatest number, once a person has postponed it.
    package var reminders = 0
    package var times: ShowingTimes
    /// The presentation whose answers these replace, and the one whose answers replace these.
    package var revises: Identifier?
    package var revisedBy: Identifier?
    /// Until when its person may change the answers; nil: they are final.
    package var changeableUntil: Timestamp?
    /// The prompt that it shows; nil: it shows a survey of the configuration.
    package var prompt: Prompt?

    package init(
        id: Identifier, survey: String, user: UserKey, app: String, origin: Identifier, createdAt: Timestamp,
        state: State, dueAt: Timestamp
    ) {
        self.id = id
        self.survey = survey
        self.user = user
        self.app = app
        self.origin = origin
        self.createdAt = createdAt
        self.state = state
        self.dueAt = dueAt
        times = ShowingTimes(planned: dueAt)
    }

    package var scope: Scope { Scope(uid: user.uid, app: app) }

    /// Whether a visitor of a kiosk had it on screen last: no other person may continue it.
    package var isVisitors: Bool { presentedAt != nil && times.surface == .kiosk }

    /// Whether a scheduled presentation may still come: a prompt of a schedule until it expires, any other at any time.
    func isInTime(_ now: Timestamp) -> Bool {
        times.sampling == nil || expiresAt.map { now < $0 } ?? true
    }

    /// When it changes by itself; nil: never.
    package var wakesAt: Timestamp? {
        switch state {
        case .scheduled: prompt == nil && times.sampling == nil ? dueAt : min(dueAt, expiresAt ?? dueAt)
        case .ready, .presented: expiresAt
        case .answered, .dismissed, .expired, .cancelled: nil
        }
    }
}
