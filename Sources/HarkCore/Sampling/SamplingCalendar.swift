/// On which days a schedule has prompts, reckoned from the first day of a participant.
package struct SamplingCalendar: Sendable, Equatable {
    /// From Monday on; nil: all.
    package var weekdays: [Bool]?
    /// Every so many days, by date.
    package var everyDays: Int64 = 1
    /// Only these days of a burst, counted from 1, ascending; nil: all.
    package var onDays: [Int64]?
    /// So many days, those without prompts included; nil: without an end.
    package var forDays: Int64?
    /// So many times `forDays`, each so many days after the one before.
    package var bursts: Int64 = 1
    package var burstEvery: Int64 = 0

    package init() {}

    /// A day of a participant's study.
    package struct Place: Sendable, Equatable {
        /// From 1 on; 0 is what was left of the day on which somebody joined.
        package var day: Int64
        /// From 1 on; nil where there are none.
        package var burst: Int64?
    }

    /// Where a date lies in the study; nil: it has no prompts.
    ///
    /// - Parameters:
    ///   - first: the date of day 1.
    ///   - rest: the date on which somebody joined in the middle of the window, and has what is left of it.
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

    /// The last date that may have prompts; nil: there is no last one.
    package func last(first: SamplingDate) -> SamplingDate? {
        let most = onDays?.last.map { min($0, forDays ?? $0) } ?? forDays
        return most.map { first.adding((bursts - 1) * burstEvery + $0 - 1) }
    }

    /// The first date with prompts, from a date on; nil: there is none.
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

    /// So long a pause has nothing behind it: longer than any that a file may ask for.
    package static let mostDays: Int64 = 4_000
}
