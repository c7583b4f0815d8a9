package import HarkWire

/// The planned prompts of a user's coming days.
package struct StudyOutlook: Sendable {
    package struct Day: Sendable {
        package let date: SamplingDate
        package let place: SamplingCalendar.Place
        /// Seconds since 1970.
        package let prompts: [Int64]
    }

    package let key: SamplingPlan.Key
    package let plan: SamplingPlan
    package let zone: String?
    package let days: [Day]

    package var info: StudyPlanInfo {
        var info = StudyPlanInfo()
        info.surveyId = key.survey
        info.seed = key.seed
        info.participant = key.participant
        info.plan = plan.text
        info.zone = zone
        info.days = days.map { day in
            var told = StudyPlanDay()
            told.date = day.date.text
            told.studyDay = Int64(day.place.day)
            told.burst = day.place.burst.map { Int64($0) }
            told.prompts = day.prompts.map { Timestamp(milliseconds: $0 &* 1_000).description }
            return told
        }
        return info
    }
}

extension Engine {
    /// The plans of some days for a participant, or for another user as if they joined now. The user must be admitted.
    ///
    /// - Parameters:
    ///   - from: the first day; nil: today.
    ///   - days: the number of days of the calendar, days without prompts included.
    package func outlook(
        _ id: String, _ user: UserKey, _ joining: Joining, from: SamplingDate?, days: Int, now: Timestamp
    ) throws(WireError) -> StudyOutlook {
        let (_, schedule) = try scheduled(id)
        let zone = zone(of: schedule)
        let today = zone.date(believed(now))
        let known = surveys.enrolment(of: user, id).flatMap { $0.isActive ? $0 : nil }
        let begin =
            if let known { (first: known.first, rest: known.rest) } else {
                try self.begin(of: schedule, user, joining, now: now)
            }
        let own = ownHours(of: user, schedule, said: joining.hours ?? known?.hours)
        let plan = schedule.plan(in: own) ?? schedule.plan
        let key = schedule.key(id, user, group: joining.group ?? known?.group)
        let start = from ?? today
        var found: [StudyOutlook.Day] = []
        for step in 0..<Int64(days) {
            let date = start.adding(step)
            guard let place = schedule.calendar.place(of: date, first: begin.first, rest: begin.rest) else { continue }
            var prompts = plan.prompts(on: date, key, in: zone)
            if let known {
                // The current day stays as it was planned.
                if known.isPlanned, known.date == date { prompts = known.prompts }
                prompts.removeAll { $0 &* 1_000 < known.joinedAt.milliseconds }
            }
            found.append(StudyOutlook.Day(date: date, place: place, prompts: prompts))
        }
        return StudyOutlook(key: key, plan: plan, zone: schedule.timeZone ?? surveys.clock.zone(), days: found)
    }
}
