/// The schedule by which a survey asks without an event: its days and times, its participants, and its beginning.
package struct SamplingSchedule: Sendable, Equatable {
    /// The plan with the window of the file.
    package var plan: SamplingPlan
    package var calendar = SamplingCalendar()
    /// The name of the time zone; nil: the machine's.
    package var timeZone: String?
    package var begins = Begins.joining
    /// Whether a user who joins within a window has the rest of it, as day 0.
    package var takesRest = true
    /// The source of participants' own hours; nil: the file's hours apply to all.
    package var hours: Hours?
    /// Whether each account to which something can be shown takes part without joining.
    package var isForEverybody = false
    /// Whether the members of a group share one plan.
    package var isPlannedForGroups = false
    package var seed = ""
    /// Whether the file's cooldown between any two surveys also applies to the prompts.
    package var heedsCooldowns = false
    package var whenAway = Away.miss
    /// The time that a person who opens a prompt in time has to finish it, in milliseconds; nil: until it expires.
    package var finishWithin: Int64?

    package init(_ plan: SamplingPlan) { self.plan = plan }

    /// The treatment of a prompt if no person is there when it is due.
    package enum Away: String, Sendable, CaseIterable {
        /// It is missed.
        case miss
        /// It waits until it would have expired.
        case wait
        /// It comes when the person is back, as long as the day's window lasts.
        case next
    }

    /// The beginning of day 1.
    package enum Begins: Sendable, Equatable {
        /// The time of joining.
        case joining
        /// An event of the participant: day 1 is `afterDays` later.
        case event(afterDays: Int64)
        /// A date that is the same for all.
        case date(SamplingDate)
        /// A date that the participant has answered to a form's question: day 1 is `afterDays` later.
        case answer(form: String, question: String, afterDays: Int64)
    }

    /// Two questions of a form whose answers are times of day: the beginning and the end of a participant's window.
    package struct Hours: Sendable, Equatable {
        package let form: String
        package let from: String
        package let until: String
    }

    /// Whether the schedule uses participants' answers to forms.
    var needsForms: Bool {
        if hours != nil { return true }
        if case .answer = begins { return true }
        return false
    }

    /// The plan in a participant's own window; nil: the window cannot hold the prompts.
    ///
    /// - Parameter window: nil for the window of the file.
    package func plan(in window: SamplingWindow?) -> SamplingPlan? {
        guard let window, window != plan.window else { return plan }
        if case .at = plan.placing { return plan }
        let own = SamplingPlan(plan.placing, window: window, gap: plan.gap)
        return own.fault == nil ? own : nil
    }

    /// The key of a participant's plan.
    package func key(_ survey: String, _ enrolment: Enrolment) -> SamplingPlan.Key {
        key(survey, enrolment.user, group: enrolment.group)
    }

    /// - Parameter group: nil if the participant is in no group.
    package func key(_ survey: String, _ user: UserKey, group: String?) -> SamplingPlan.Key {
        let shared = isPlannedForGroups ? group : nil
        return SamplingPlan.Key(seed: seed, survey: survey, participant: shared ?? user.userId ?? "")
    }

    /// The kind of the prompts, as in the data.
    package var occasion: SamplingPlace.Occasion {
        switch plan.placing {
        case .at: .fixed
        case .blocks, .free: .signal
        case .every: .interval
        }
    }
}

/// The place of a prompt in its study.
package struct SamplingPlace: Sendable, Equatable {
    package enum Occasion: String, Sendable, CaseIterable {
        case fixed, signal, interval
    }

    package var occasion: Occasion
    /// The day of the study, from 1 on; 0 is the rest of the day of joining.
    package var day: Int64
    /// The number of the prompt on its day, from 1 on.
    package var prompt: Int64
    /// From 1 on; nil if the study has a single burst.
    package var burst: Int64?
    package var group: String?
    /// Why the person was last known not to see the prompt: a `MissedReason`.
    package var away: String?

    package init(occasion: Occasion, day: Int64, prompt: Int64, burst: Int64? = nil, group: String? = nil) {
        (self.occasion, self.day, self.prompt, self.burst, self.group) = (occasion, day, prompt, burst, group)
    }
}
