package import HarkWire

/// One showing of a survey to a user, from the event that brought it about to its end.
///
/// scheduled → ready → presented → answered, dismissed, expired or cancelled. A presenter that vanishes or a snooze
/// takes it back a step; what was counted when it was first presented is not counted again.
package struct Presentation: Sendable, Equatable {
    /// The numbers are what the store keeps.
    package typealias State = PresentationState

    package let id: Identifier
    package let survey: String
    package internal(set) var user: UserKey
    package let app: String
    /// The session of the event that brought it about.
    package internal(set) var origin: Identifier
    package let createdAt: Timestamp
    /// Of the event that brought it about (`Properties.kept`); none where it was no event.
    package var trigger = Properties.none
    /// What its survey's texts and conditions ask for, by `ValueName`, as it was when it was scheduled.
    package var given = Properties.none
    /// How many surveys brought each other about before it, with the events that they record of themselves.
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
    /// Presented while gating was bypassed: it counts towards nothing.
    package var isUncounted = false
    /// Given so far or, once answered, for good.
    package var answers = Answers()
    /// The locale that was asked for when it was last presented, and the content that was shown, as a JSON object.
    package var locale: String?
    package var shown: [UInt8] = []
    /// How often it was told of again; all that there may be, once somebody has put it off.
    package var reminders = 0
    package var times: ShowingTimes
    /// The presentation whose answers these are in the place of, and the one that is in the place of these.
    package var revises: Identifier?
    package var revisedBy: Identifier?
    /// Until when its person may change the answers; nil: they stay as they are.
    package var changeableUntil: Timestamp?
    /// The question of a program that it shows; nil: a survey of the configuration.
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

    /// A visitor of a kiosk had it on the screen last: it is nobody else's to go on with.
    package var isVisitors: Bool { presentedAt != nil && times.surface == .kiosk }

    /// Whether a scheduled presentation may still come: a prompt of a schedule until it expires, any other at any time.
    func isInTime(_ now: Timestamp) -> Bool {
        times.sampling == nil || expiresAt.map { now < $0 } ?? true
    }

    /// When something happens to it by itself; nil: never.
    package var wakesAt: Timestamp? {
        switch state {
        case .scheduled: prompt == nil && times.sampling == nil ? dueAt : min(dueAt, expiresAt ?? dueAt)
        case .ready, .presented: expiresAt
        case .answered, .dismissed, .expired, .cancelled: nil
        }
    }
}
