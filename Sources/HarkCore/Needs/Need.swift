package import HarkWire

/// What a command goes by that may not be at hand. A command says so before it decides, and all of it is brought in
/// (`Engine.bring`). It is one word (`indirect`): most events are recorded without a need, and none pays for its size.
package indirect enum Need: Sendable {
    /// Several things, in order.
    case all([Need])
    /// The session of a scope. If it is not at hand, also how many apps its user has.
    case scope(Scope)
    /// The session of a scope, and how many apps its user has.
    case countedScope(Scope)
    /// What a user keeps in all apps.
    case holdings([Holding], of: UInt32)
    /// The surveys of a user, and what the account has said of being asked: that decides about each of them.
    case user(UserKey)
    /// All that people have said of being asked.
    case wishes
    /// What surveys with quotas have.
    case quotas
    /// The rules that count events, and what of the log they do not count yet.
    case eventRules
    /// The quiet hours of an account, and the users for whom something is put off until they end.
    case quiet(of: UInt32, at: Timestamp)
    /// All watches, and by what time they are judged.
    case watches
    /// How far a producer has come.
    case producer(Producer)
    /// Whom log entries are about that name nobody.
    case deviceId
    /// What a user has answered to forms.
    case forms(of: UserKey)
    /// A presentation, its user and the session of its scope, or how it ended.
    case presentation(Identifier)
    /// All presentations of a prompt, and what their ends may bring about.
    case prompt(Identifier)
    /// For asking somebody: what waits for an answer there, the session, and whose it is.
    case asking(in: Scope)
    /// For `offer`: the session of a scope and its user; without a session, the users whose surveys wait longest.
    case offers(in: Scope)
    /// For `fire`: the next page of the schedule, and the users of what is due with the sessions of its scopes.
    case due(at: Timestamp)
    /// For the start: the users to whom something is shown, so that it can be taken back.
    case shown
    /// For looking at the counters of a scope, and resetting them.
    case counters(of: Scope)
    /// For a change of a counter: also those who listen to it, and whom a survey would be for.
    case change(ofCounter: String, in: Scope)
    /// The counters of which somebody is told each change.
    case watchedCounters
    /// For a command about one execution.
    case execution(ExactName, listensTo: [ExecutionTrigger] = [], raisesSurvey: Bool = false, in: Scope)
    /// For recording an event.
    case recording(String, in: Scope, userId: String? = nil, isUnattended: Bool = false, by: Producer? = nil)
    /// For a user who takes part in a survey with a schedule or joins it, and the scope in which its events are
    /// recorded.
    case participant(UserKey, survey: String, in: Scope)
    /// What a family needs that no other calls.
    case other(any FamilyNeed)

    // What those are made of.

    /// The session of a scope, and whoever an event of this name concerns there, unless it concerns nobody.
    case event(String, in: Scope, userId: String?)
    /// The watches, if any may wait for an event of this name.
    case watchesOf(String, of: UInt32)
    /// What the surveys that listen to an event go by.
    case surveysOn(String, in: Scope, userId: String?)
    /// The executions that listen to an event of this name, their counters, and whom a survey would be for.
    case executionsOn(String, in: Scope, userId: String?)
    /// What may follow from the events that surveys record of themselves.
    case following(in: Scope)
    /// The user of the current session.
    case sessionUser(in: Scope)
    /// The user of the current session; without one, the users whose surveys wait longest.
    case usersToAsk(in: Scope)
    /// The users for whom something is put off until an account's quiet hours end.
    case heldUsers(of: UInt32, at: Timestamp)
    /// The scopes of what is open for a user.
    case scopesOfOpen(UserKey)
    /// The scopes of what is due.
    case scopesOfDue(at: Timestamp)
    /// For what is due for a participant.
    case taking(part: Enrolment)
    /// How a presentation ended.
    case closed(Presentation)
}

/// What a family needs that no other calls.
package protocol FamilyNeed: Sendable {
    /// Whether it is at hand. If so, it stays for the command.
    func isMet(in engine: inout Engine) -> Bool
}

/// What the store has of something a command lacks, for a family that no other calls.
package protocol FamilySupply: Sendable {
    func admit(to engine: inout Engine)
}
