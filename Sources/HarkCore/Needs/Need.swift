package import HarkWire

/// Data that a command depends on and that may not be loaded. A command names its need before it decides, and all of it is loaded
/// (`Engine.bring`). It has the size of one word (`indirect`): most events are recorded without a need, and no event pays for its
/// size.
package indirect enum Need: Sendable {
    /// Several needs, in order.
    case all([Need])
    /// The session of a scope. If it is not loaded, also the number of apps of its user.
    case scope(Scope)
    /// The session of a scope, and the number of apps of its user.
    case countedScope(Scope)
    /// The holdings of a user in all apps.
    case holdings([Holding], of: UInt32)
    /// The surveys of a user, and the preferences of the account on being asked, which apply to each of them.
    case user(UserKey)
    /// The preferences of all people on being asked.
    case wishes
    /// The numbers of answers of surveys with quotas.
    case quotas
    /// The rules that count events, and the parts of the log that they do not count yet.
    case eventRules
    /// The quiet hours of an account, and the users with a survey that is postponed until they end.
    case quiet(of: UInt32, at: Timestamp)
    /// All watches, and the running time of the machine, by which they fall due.
    case watches
    /// The progress of a producer.
    case producer(Producer)
    /// The user id for log entries that name no user.
    case deviceId
    /// A user's answers to forms.
    case forms(of: UserKey)
    /// A presentation, its user and the session of its scope, or how it ended.
    case presentation(Identifier)
    /// All presentations of a prompt, and the data for the effects of their ends.
    case prompt(Identifier)
    /// For asking a prompt: the prompts that wait there, the session, and its user.
    case asking(in: Scope)
    /// For `offer`: the session of a scope and its user; without a session, the users whose surveys wait longest.
    case offers(in: Scope)
    /// For `fire`: the next page of the schedule, and the users of its due entries with the sessions of their scopes.
    case due(at: Timestamp)
    /// For the start: the users with a survey on screen, which is then taken back.
    case shown
    /// For looking at the counters of a scope, and resetting them.
    case counters(of: Scope)
    /// For a change of a counter: also its listeners, and the user of a survey that may follow.
    case change(ofCounter: String, in: Scope)
    /// The counters whose changes are reported to a client.
    case watchedCounters
    /// For a command about one execution.
    case execution(ExactName, listensTo: [ExecutionTrigger] = [], raisesSurvey: Bool = false, in: Scope)
    /// For recording an event.
    case recording(String, in: Scope, userId: String? = nil, isUnattended: Bool = false, by: Producer? = nil)
    /// For a user who takes part in a survey with a schedule or joins it, and the scope in which its events are recorded.
    case participant(UserKey, survey: String, in: Scope)
    /// The need of a family that no other family calls.
    case other(any FamilyNeed)

    // The parts of the needs above.

    /// The session of a scope, and the data for the effects of an event of this name, if it has any.
    case event(String, in: Scope, userId: String?)
    /// The watches, if any may wait for an event of this name.
    case watchesOf(String, of: UInt32)
    /// The data for the surveys that listen to an event.
    case surveysOn(String, in: Scope, userId: String?)
    /// The executions that listen to an event of this name, their counters, and the user of a survey that may follow.
    case executionsOn(String, in: Scope, userId: String?)
    /// The data for the effects of the events that surveys record.
    case following(in: Scope)
    /// The user of the current session.
    case sessionUser(in: Scope)
    /// The user of the current session; without one, the users whose surveys wait longest.
    case usersToAsk(in: Scope)
    /// The users with a survey that is postponed until an account's quiet hours end.
    case heldUsers(of: UInt32, at: Timestamp)
    /// The scopes of a user's open surveys.
    case scopesOfOpen(UserKey)
    /// The scopes of due entries of the schedule.
    case scopesOfDue(at: Timestamp)
    /// For a due prompt of a participant.
    case taking(part: Enrolment)
    /// How a presentation ended.
    case closed(Presentation)
}

/// A need of a family that no other family calls.
package protocol FamilyNeed: Sendable {
    /// Whether the data is loaded. If so, it stays loaded for the command.
    func isMet(in engine: inout Engine) -> Bool
}

/// The store's data for a lack of a family that no other family calls.
package protocol FamilySupply: Sendable {
    func admit(to engine: inout Engine)
}
