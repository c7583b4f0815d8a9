package import HarkWire

/// A change in the store to surveys.
package enum SurveyRow: Sendable {
    /// Keeps a presentation as it is now, new or changed.
    case putPresentation(Presentation)
    /// Keeps a presentation that was closed on another machine, unless one of that id is known.
    case takeOver(Presentation)
    /// Stores the number of reminders of a presentation.
    case putReminders(Int, Identifier)
    /// Stores the history of a survey and a user; nil forgets it.
    case putGating(Gating?, survey: String, UserKey)
    /// Stores the times of a rule's events.
    case putEventTimes(RecentTimes, rule: ExactName, UserKey)
    /// Stores the parts of the log that a rule does not count yet.
    case putEventRule(RuleGaps, rule: ExactName)
    /// Stores the number of answers of a survey with a quota.
    case putQuota(QuotaCount, survey: String)
    /// Stores all credits of a survey.
    case putCredits([CreditAccount], survey: String)
    /// Forgets all credits: the log is another one to the hub.
    case forgetCredits
    /// Stores a user's enrolment in a survey with a schedule.
    case putEnrolment(Enrolment)
    /// Deletes presentations, and the history if all data of a user is removed. `ended` are the open presentations that the
    /// engine knows, for presenters that show them.
    case remove(Selection, ended: [Presentation])
}
