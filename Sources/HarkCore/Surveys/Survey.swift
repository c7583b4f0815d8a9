package import HarkWire

/// A survey of the configuration: its questions, its trigger, and its limits.
package struct Survey: Sendable, Equatable {
    /// The permanent name of the survey, to which its stored data refers.
    package let id: String
    package internal(set) var content: SurveyContent
    package internal(set) var trigger: SurveyTrigger
    package let limits: SurveyLimits
    package internal(set) var notification: SurveyNotification?
    /// Milliseconds after its end at which a showing is removed with its answers; nil: as the retention of the settings says.
    package let keepAnswers: Int64?
    /// Milliseconds after an answer in which its person may change it; nil: answers are final.
    package var changeable: Int64?
    /// Milliseconds after its end at which a showing's free texts are replaced by marks; nil: they are kept.
    package var redactTexts: Int64?
    /// Hours at which it is not shown: its own, or those of its file.
    package var quiet = SurveyQuiet()
    package var reminders = SurveyReminders()
    /// Higher priorities come first; equal ones in the order of the file.
    package var priority = 0
    /// The names of the groups it is in.
    package var groups: [String] = []
    package var audience = Audience()
    package var cancelOn: [CancelRule] = []
    /// The number of answers that are enough; nil: unlimited.
    package var quota: SurveyQuota?
    /// Whether notifications have no values in their texts, because other people may read them.
    package var isPrivate = false
    /// The values of event, session, counters and flags that its texts and conditions refer to.
    package var asked: [ValueName] = []

    package init(
        id: String, content: SurveyContent, trigger: SurveyTrigger, limits: SurveyLimits = SurveyLimits(),
        notification: SurveyNotification? = nil, keepAnswers: Int64? = nil
    ) {
        self.id = id
        self.content = content
        self.trigger = trigger
        self.limits = limits
        self.notification = notification
        self.keepAnswers = keepAnswers
    }

    /// The survey for presenters.
    ///
    /// - Parameter path: returns the absolute path of an image's file.
    package func withImages(at path: (String) -> String) -> Survey {
        var survey = self
        survey.content.questionnaire = content.questionnaire.withImages(at: path)
        return survey
    }
}

/// The trigger of a survey, and its delay: an event, counters, or an event while a condition on counters holds.
package struct SurveyTrigger: Sendable, Equatable {
    /// nil: a change of one of the counters that `counters` names.
    package var event: String?
    /// The condition on the properties of the event.
    package var condition: Condition
    /// The condition on the counters of the app; nil: none.
    package var counters: Condition?
    /// Milliseconds; 0 means at once.
    package var delay: Int64
    /// The schedule by which the survey asks. Its event then makes users join; nil: the event triggers the survey.
    package var schedule: SamplingSchedule?

    package init(event: String?, condition: Condition = .always, counters: Condition? = nil, delay: Int64 = 0) {
        self.event = event
        self.condition = condition
        self.counters = counters
        self.delay = delay
    }
}

/// The limits on showings of a survey. Lengths of time are milliseconds; nil means no limit.
package struct SurveyLimits: Sendable, Equatable {
    package var oncePerSession = true
    package var oncePerUser = false
    /// The least time between two showings to the same user.
    package var cooldown: Int64?
    package var maxAttempts: Int?
    package var atMost: [ShowingCap] = []
    /// The least time between a showing that was not answered and the next; without it, `cooldown`.
    package var attemptCooldown: Int64?
    /// The time after an answer, or else the last showing, after which all limits but the cooldowns begin anew.
    package var repeatEvery: Int64?
    package var starts: Timestamp?
    /// From this time on it is not shown, and waiting presentations expire.
    package var ends: Timestamp?
    /// The percentage of users to whom it is shown, always the same ones.
    package var rolloutPercent: Double?
    /// The time after it became ready at which a showing without an answer or dismissal expires.
    package var expireAfter: Int64?

    package init() {}
}

/// When a person is reminded of a survey that is ready.
package struct SurveyReminders: Sendable, Equatable {
    /// Milliseconds after its notification was first shown, ascending.
    package var after: [Int64] = []
    /// Whether there is also a reminder when a person who did not see it is back.
    package var onReturn = false

    package static let most = 10

    package init() {}

    /// The milliseconds from the last notification or reminder to the next reminder; nil: none by time.
    ///
    /// - Parameter count: the number of reminders so far.
    package func gap(after count: Int) -> Int64? {
        guard after.indices.contains(count) else { return nil }
        return after[count] - (count > 0 ? after[count - 1] : 0)
    }

    /// The greatest number of reminders.
    package var limit: Int { after.count + (onReturn ? 1 : 0) }
}

/// The notification that says a survey is ready.
package struct SurveyNotification: Sendable, Equatable {
    package var title: String
    package var body: String
    package var sound: Bool

    package init(title: String, body: String, sound: Bool = true) {
        self.title = title
        self.body = body
        self.sound = sound
    }
}
