/// When a survey comes about by itself: on which days, at which times, for whom and from when on.
package struct SamplingSchedule: Sendable, Equatable {
    /// By the window that the file says.
    package var plan: SamplingPlan
    package var calendar = SamplingCalendar()
    /// The zone by whose clocks it goes; nil: the machine's.
    package var timeZone: String?
    package var begins = Begins.joining
    /// Whether whoever joins in the middle of a window has what is left of it, before day 1.
    package var takesRest = true
    /// Where a participant's own hours are; nil: the file's hold for all.
    package var hours: Hours?
    /// Each account to which something can be shown takes part, without joining.
    package var isForEverybody = false
    /// The members of a group have one plan.
    package var isPlannedForGroups = false
    package var seed = ""
    /// The cooldown between any two surveys holds for it as well.
    package var heedsCooldowns = false
    package var whenAway = Away.miss
    /// Whoever has opened it in time has so many milliseconds from then on; nil: until it expires.
    package var finishWithin: Int64?

    package init(_ plan: SamplingPlan) { self.plan = plan }

    /// What becomes of a prompt at whose time nobody is there.
    package enum Away: String, Sendable, CaseIterable {
        /// It is missed.
        case miss
        /// It waits until it would have expired.
        case wait
        /// It comes when they are back, while the day's window lasts.
        case next
    }

    /// What day 1 is reckoned from.
    package enum Begins: Sendable, Equatable {
        /// Somebody joins.
        case joining
        /// An event of the participant's, so many days after it.
        case event(afterDays: Int64)
        /// A date that is the same for all.
        case date(SamplingDate)
        /// So many days after a date that the participant has answered to a form's question.
        case answer(form: String, question: String, afterDays: Int64)
    }

    /// Questions of a form that are answered with times of day.
    package struct Hours: Sendable, Equatable {
        package let form: String
        package let from: String
        package let until: String
    }

    /// Whether it goes by what participants have answered to forms.
    var needsForms: Bool {
        if hours != nil { return true }
        if case .answer = begins { return true }
        return false
    }

    /// The same plan in a participant's own window; nil where that cannot hold it.
    package func plan(in window: SamplingWindow?) -> SamplingPlan? {
        guard let window, window != plan.window else { return plan }
        if case .at = plan.placing { return plan }
        let own = SamplingPlan(plan.placing, window: window, gap: plan.gap)
        return own.fault == nil ? own : nil
    }

    /// Whose plan a participant has.
    package func key(_ survey: String, _ enrolment: Enrolment) -> SamplingPlan.Key {
        key(survey, enrolment.user, group: enrolment.group)
    }

    /// - Parameter group: nil where the participant is in none.
    package func key(_ survey: String, _ user: UserKey, group: String?) -> SamplingPlan.Key {
        let shared = isPlannedForGroups ? group : nil
        return SamplingPlan.Key(seed: seed, survey: survey, participant: shared ?? user.userId ?? "")
    }

    /// Of its prompts, as data have it.
    package var occasion: SamplingPlace.Occasion {
        switch plan.placing {
        case .at: .fixed
        case .blocks, .free: .signal
        case .every: .interval
        }
    }
}

/// Which prompt of a study a showing is.
package struct SamplingPlace: Sendable, Equatable {
    package enum Occasion: String, Sendable, CaseIterable {
        case fixed, signal, interval
    }

    package var occasion: Occasion
    /// From 1 on; 0: what was left of the day of joining.
    package var day: Int64
    /// Of the day, from 1 on.
    package var prompt: Int64
    package var burst: Int64?
    package var group: String?
    /// What was known of the person's absence last.
    package var away: String?

    package init(occasion: Occasion, day: Int64, prompt: Int64, burst: Int64? = nil, group: String? = nil) {
        (self.occasion, self.day, self.prompt, self.burst, self.group) = (occasion, day, prompt, burst, group)
    }
}
