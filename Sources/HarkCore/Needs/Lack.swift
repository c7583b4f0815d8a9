package import HarkWire

/// A small item that must be read from the store.
package enum Lack: Sendable {
    case scope(Scope)
    case user(UserKey)
    case holding(Holding, of: UInt32)
    case wishes
    case quotas
    case eventRules
    case watches
    case producer(Producer)
    case deviceId
    case forms(of: UserKey)
    case counters(of: Scope)
    /// The executions with a trigger.
    case listeners(to: ExecutionTrigger, in: Scope)
    /// The names of the events that executions listen to.
    case executedEvents
    case execution(ExecutionKey)
    case presentation(Identifier)
    case prompt(Identifier)
    /// The entries of the schedule that follow a key, at most `SurveySchedule.page` of them.
    case schedule(after: SurveySchedule.Key)
    /// The users who have a survey on screen.
    case usersShown
    /// The users whose surveys have waited longest in a scope.
    case usersWaiting(in: Scope)
    /// The users of an account who have a survey postponed until a time.
    case usersHeld(until: Timestamp, of: UInt32)
    case other(any FamilyNeed)
}

/// The store's answer to a `Lack`.
package enum Supply: Sendable {
    case scope(Scope, current: Session?)
    case user(UserKey, UserSurveys)
    case holding(Holding, of: UInt32, Amount)
    case wishes([(key: WishKey, wish: Wish)], quiet: [UInt32: PersonalQuiet])
    case quotas([ExactName: QuotaCount], credits: [ExactName: [CreditAccount]])
    case eventRules([ExactName: RuleGaps])
    case watches([Watch])
    case producer(Producer, ProducerMark?)
    case deviceId(String?)
    case forms(UserForms, of: UserKey)
    case counters(CounterState, of: Scope, current: Session?)
    case listeners([AddedExecution], to: ExecutionTrigger, in: Scope)
    case executedEvents([ExactName])
    case execution(ExecutionKey, AddedExecution?)
    /// nil: not found.
    case presentation(Presentation?)
    case prompt([Presentation])
    case schedule([SurveySchedule.Entry])
    case usersShown([UserKey])
    case users([UserKey])
    case other(any FamilySupply)
}
