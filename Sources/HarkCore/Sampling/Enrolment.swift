package import HarkWire

/// A user's participation in a survey with a schedule: since when, and which prompt comes next.
///
/// Of future prompts, only the times of the current day are kept. They stay as they are when the plan changes.
package struct Enrolment: Sendable, Equatable {
    /// Made on joining. The ids of the prompts follow from it, and it is their `origin`, instead of a session.
    package let id: Identifier
    package let survey: String
    package let user: UserKey
    package let app: String
    package let joinedAt: Timestamp
    package var group: String?
    /// The date of day 1.
    package var first: SamplingDate
    /// The date of joining, if the user joined within the window and has the rest of it as day 0.
    package var rest: SamplingDate?
    /// The user's own hours, as given on joining.
    package var hours: SamplingWindow?
    /// Prompts before this time are excused. `latest`: until further notice; nil: there is no pause.
    package var pausedUntil: Timestamp?
    package var endedAt: Timestamp?
    /// `left`, `over` or `surveyRemoved`.
    package var endReason: String?

    /// The current day with prompts, or the next one. It is planned once it begins.
    package var date: SamplingDate
    package var isPlanned = false
    package var place = SamplingCalendar.Place(day: 0, burst: nil)
    /// The plan of the day, in the form of `SamplingPlan.text`.
    package var plan = ""
    /// The hours of the day in which prompts come.
    package var window = SamplingWindow.allDay
    /// When these hours end; seconds since 1970.
    package var windowEnd: Int64 = 0
    /// The times of the day's prompts; seconds since 1970.
    package var prompts: [Int64] = []
    /// The place of the next prompt in `prompts`.
    package var next = 0
    /// When the next prompt is due or, while the day is not planned, when to plan it; nil: never again.
    package var wakesAt: Timestamp?
    /// The time of the last prompt, of this day or an earlier one; seconds since 1970.
    package var previous: Int64?
    /// The time zone when the day was planned or the last prompt was due, and its offset from UTC in minutes.
    package var zone: String?
    package var offsetMinutes: Int64 = 0

    package init(
        id: Identifier, survey: String, user: UserKey, app: String, joinedAt: Timestamp, first: SamplingDate,
        date: SamplingDate
    ) {
        (self.id, self.survey, self.user, self.app, self.joinedAt) = (id, survey, user, app, joinedAt)
        (self.first, self.date) = (first, date)
    }

    package var scope: Scope { Scope(uid: user.uid, app: app) }
    package var isActive: Bool { endedAt == nil }

    package func isPaused(at time: Timestamp) -> Bool { pausedUntil.map { time < $0 } ?? false }

    /// The id of a prompt's presentation. It is always the same, so that no prompt is made twice. It is a UUID of version 8 (RFC
    /// 9562), whose content the application defines.
    package func presentation(_ date: SamplingDate, _ prompt: Int) -> Identifier {
        func part(_ salt: UInt64) -> UInt64 {
            var hash = StableHash(salt)
            hash.mix(id.high)
            hash.mix(id.low)
            hash.mix(UInt64(bitPattern: date.number))
            hash.mix(UInt64(truncatingIfNeeded: prompt))
            return hash.value
        }
        return Identifier(high: part(1) & ~0xF000 | 0x8000, low: part(2) & ~(3 << 62) | 2 << 62)
    }
}

/// The form in which the store keeps an enrolment, without its key.
extension Enrolment {
    package var properties: Properties {
        var properties = Properties()
        func put(_ key: String, _ number: Int64?) {
            if let number { properties.append(key, .integer(number)) }
        }
        func put(_ key: String, _ text: String?) {
            if let text { properties.append(key, .string(text)) }
        }
        put("joined", joinedAt.milliseconds)
        put("group", group)
        put("first", first.number)
        put("rest", rest?.number)
        put("hours", hours?.text)
        put("paused", pausedUntil?.milliseconds)
        put("ended", endedAt?.milliseconds)
        put("reason", endReason)
        put("date", date.number)
        put("day", isPlanned ? place.day : nil)
        put("burst", isPlanned ? place.burst : nil)
        put("plan", isPlanned ? plan : nil)
        put("window", isPlanned ? window.text : nil)
        put("windowEnd", isPlanned ? windowEnd : nil)
        put("prompts", isPlanned ? prompts.map(String.init).joined(separator: ",") : nil)
        put("next", isPlanned ? Int64(next) : nil)
        put("previous", previous)
        put("zone", zone)
        put("offset", offsetMinutes == 0 ? nil : offsetMinutes)
        return properties
    }

    /// Reads properties that `properties` wrote.
    ///
    /// - Returns: nil for any other properties.
    package init?(
        id: Identifier, survey: String, user: UserKey, app: String, wakesAt: Timestamp?, _ properties: Properties
    ) {
        func time(_ key: String) -> Timestamp? { properties.number(key).map { Timestamp(milliseconds: $0) } }
        func day(_ key: String) -> SamplingDate? { properties.number(key).map(SamplingDate.init) }
        guard let joinedAt = time("joined"), let first = day("first"), let date = day("date") else { return nil }
        self.init(id: id, survey: survey, user: user, app: app, joinedAt: joinedAt, first: first, date: date)
        (group, rest, hours) = (
            properties.text("group"), day("rest"), properties.text("hours").flatMap { SamplingWindow(text: $0) }
        )
        (pausedUntil, endedAt, endReason) = (time("paused"), time("ended"), properties.text("reason"))
        (previous, zone, offsetMinutes) = (
            properties.number("previous"), properties.text("zone"), properties.number("offset") ?? 0
        )
        self.wakesAt = wakesAt
        guard let day = properties.number("day"), let plan = properties.text("plan"),
            let words = properties.text("prompts")?.split(separator: ","), let next = properties.number("next"),
            let window = properties.text("window").flatMap({ SamplingWindow(text: $0) }),
            let end = properties.number("windowEnd")
        else { return }
        let prompts = words.compactMap { Int64($0) }
        guard prompts.count == words.count, (0...Int64(prompts.count)).contains(next) else { return nil }
        isPlanned = true
        place = SamplingCalendar.Place(day: day, burst: properties.number("burst"))
        (self.plan, self.window, windowEnd, self.prompts, self.next) = (plan, window, end, prompts, Int(next))
    }
}
