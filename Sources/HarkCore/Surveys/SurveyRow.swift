package import HarkWire

/// What becomes of surveys in the store.
package enum SurveyRow: Sendable {
    /// Keeps a presentation as it is now, new or changed.
    case putPresentation(Presentation)
    /// Keeps a presentation that was closed on another machine, unless one of that id is known.
    case takeOver(Presentation)
    /// Keeps how often a presentation was told of again.
    case putReminders(Int, Identifier)
    /// Keeps what gating remembers about a survey and a user; nil forgets it.
    case putGating(Gating?, survey: String, UserKey)
    /// Keeps when the events of a rule came.
    case putEventTimes(RecentTimes, rule: ExactName, UserKey)
    /// Keeps what of the log a rule does not count yet.
    case putEventRule(RuleGaps, rule: ExactName)
    /// Keeps how many answers a survey with a quota has.
    case putQuota(QuotaCount, survey: String)
    /// Keeps all credits of a survey.
    case putCredits([CreditAccount], survey: String)
    /// Forgets all credits: the log is another one to the hub.
    case forgetCredits
    /// Stores a user's enrolment in a survey with a schedule.
    case putEnrolment(Enrolment)
    /// Deletes presentations, and gating where all of a user goes. `ended` is what of it was open, as far as the engine
    /// remembers it: for those who show it.
    case remove(Selection, ended: [Presentation])
}
