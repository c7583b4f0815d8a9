/// The days on which a schedule has prompts, counted from a participant's first day.
package struct SamplingCalendar: Sendable, Equatable {
    /// Whether each day of the week has prompts, from Monday on; nil: all do.
    package var weekdays: [Bool]?
    /// The interval between days with prompts, in dates.
    package var everyDays: Int64 = 1
    /// The only days of a burst with prompts, counted from 1, ascending; nil: all.
    package var onDays: [Int64]?
    /// The length of a burst in days, days without prompts included; nil: there is no end.
    package var forDays: Int64?
    /// The number of bursts, each of `forDays` days.
    package var bursts: Int64 = 1
    /// Days from the beginning of a burst to that of the next.
    package var burstEvery: Int64 = 0

    package init() {}

    /// A day of a participant's study.
    package struct Place: Sendable, Equatable {
        /// From 1 on; 0 is the rest of the day of joining.
        package var day: Int64
        /// From 1 on; nil if the schedule has a single burst.
        package var burst: Int64?
    }

    /// The place of a date in the study; nil: the date has no prompts.
    ///
    /// - Parameters:
    ///   - first: the date of day 1.
    ///   - rest: the date of joining, if the participant has the rest of its window.
    package func place(of date: SamplingDate, first: SamplingDate, rest: SamplingDate? = nil) -> Place? {
        if let weekdays, !weekdays[date.weekday] { return nil }
        if date == rest { return Place(day: 0, burst: bursts > 1 ? 1 : nil) }
        let since = date.number - first.number
        guard since >= 0 else { return nil }
        let burst = bursts > 1 ? min(since / burstEvery, bursts - 1) : 0
        let day = since - burst * burstEvery
        if let forDays, day >= forDays { return nil }
        guard day % everyDays == 0 else { return nil }
        if let onDays, !onDays.contains(day + 1) { return nil }
        return Place(day: day + 1, burst: bursts > 1 ? burst + 1 : nil)
    }

    /// The last date that may have prompts; nil: the study has no end.
    package func last(first: SamplingDate) -> SamplingDate? {
        let most = onDays?.last.map { min($0, forDays ?? $0) } ?? forDays
        return most.map { first.adding((bursts - 1) * burstEvery + $0 - 1) }
    }

    /// The first date with prompts on or after a date; nil: there is none.
    package func date(
        from date: SamplingDate, first: SamplingDate, rest: SamplingDate? = nil
    ) -> (date: SamplingDate, place: Place)? {
        let last = last(first: first)
        var next = date
        if next < first, next != rest, rest.map({ next > $0 }) ?? true { next = first }
        for _ in 0..<SamplingCalendar.mostDays {
            if let last, next > last, next != rest { return nil }
            if let place = place(of: next, first: first, rest: rest) { return (next, place) }
            next = next.adding(1)
        }
        return nil
    }

    /// The most days that a file may ask for, and how far `date` looks ahead: no break between two prompts is longer.
    package static let mostDays: Int64 = 4_000
}
