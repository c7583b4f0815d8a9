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

    /// Writes the members into an object that the caller has opened.
    package func write(to json: inout JSONWriter) {
        json.key("surveyId")
        json.string(key.survey)
        json.key("seed")
        json.string(key.seed)
        json.key("participant")
        json.string(key.participant)
        json.key("plan")
        json.string(plan.text)
        json.key("zone")
        if let zone { json.string(zone) } else { json.null() }
        json.key("days")
        json.beginArray()
        for day in days {
            json.beginObject()
            json.key("date")
            json.string(day.date.text)
            json.key("studyDay")
            json.int(Int(clamping: day.place.day))
            if let burst = day.place.burst {
                json.key("burst")
                json.int(Int(clamping: burst))
            }
            json.key("prompts")
            json.beginArray()
            for prompt in day.prompts { json.timestamp(Timestamp(milliseconds: prompt &* 1_000)) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
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
