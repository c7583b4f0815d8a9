package import HarkWire

/// A survey of the configuration: what is asked, when, and how often at most.
package struct Survey: Sendable, Equatable {
    /// Names the survey for ever: what is stored about it hangs on this.
    package let id: String
    package internal(set) var content: SurveyContent
    package internal(set) var trigger: SurveyTrigger
    package let limits: SurveyLimits
    package internal(set) var notification: SurveyNotification?
    /// So many milliseconds after a showing closed it is removed with its answers; nil: as the retention of the settings says.
    package let keepAnswers: Int64?
    /// So many milliseconds after it was answered its person may change the answers; nil: they stay as they are.
    package var changeable: Int64?
    /// So many milliseconds after a showing closed a mark takes the place of its free texts; nil: they are kept as it is.
    package var redactTexts: Int64?
    /// Hours at which it is not shown: its own, or those of its file.
    package var quiet = SurveyQuiet()
    package var reminders = SurveyReminders()
    /// The higher comes first; among equals, what stands first in the file.
    package var priority = 0
    /// The names of the groups it is in.
    package var groups: [String] = []
    package var audience = Audience()
    package var cancelOn: [CancelRule] = []
    /// How many answers are enough; nil: any number is welcome.
    package var quota: SurveyQuota?
    /// Whether notifications have no values in their texts, as others may read them.
    package var isPrivate = false
    /// The values of event, session, counters and flags that its texts and conditions ask for.
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

/// What brings a survey about, and how long after it: an event, counters, or an event while counters stand so.
package struct SurveyTrigger: Sendable, Equatable {
    /// nil: a change of one of the counters that `counters` names.
    package var event: String?
    /// Looks at the properties of the event.
    package var condition: Condition
    /// Looks at the counters of the app; nil: they do not matter.
    package var counters: Condition?
    /// Milliseconds; 0 is at once.
    package var delay: Int64
    /// When the survey asks by itself. Its event then has users join; nil: the event triggers the survey.
    package var schedule: SamplingSchedule?

    package init(event: String?, condition: Condition = .always, counters: Condition? = nil, delay: Int64 = 0) {
        self.event = event
        self.condition = condition
        self.counters = counters
        self.delay = delay
    }
}

/// How often, to whom and when a survey may be shown. Lengths of time are milliseconds; nil does not limit.
package struct SurveyLimits: Sendable, Equatable {
    package var oncePerSession = true
    package var oncePerUser = false
    /// Between two showings to the same user.
    package var cooldown: Int64?
    package var maxAttempts: Int?
    package var atMost: [ShowingCap] = []
    /// Between a showing that was not answered and the next; without it, `cooldown`.
    package var attemptCooldown: Int64?
    /// So long after it was answered, or else last shown, everything but the cooldowns begins anew.
    package var repeatEvery: Int64?
    package var starts: Timestamp?
    /// From here on it is not shown, and what waits expires.
    package var ends: Timestamp?
    /// To so many of a hundred users, always the same ones.
    package var rolloutPercent: Double?
    /// A showing that nobody answered or dismissed so long after it was ready expires.
    package var expireAfter: Int64?

    package init() {}
}

/// When somebody is told once more of a survey that is ready.
package struct SurveyReminders: Sendable, Equatable {
    /// So many milliseconds after its notification was first shown, ascending.
    package var after: [Int64] = []
    /// Also once whoever did not see it is back.
    package var onReturn = false

    package static let most = 10

    package init() {}

    /// In how many milliseconds after the last time it is told of again; nil: not by the clock.
    ///
    /// - Parameter count: how often it was told of again.
    package func gap(after count: Int) -> Int64? {
        guard after.indices.contains(count) else { return nil }
        return after[count] - (count > 0 ? after[count - 1] : 0)
    }

    /// How often it may be told of again.
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
