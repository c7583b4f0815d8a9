package import HarkWire

/// That a user takes part in a survey with a schedule: since when, and which prompt comes next. Of the prompts that are to come,
/// only the times of the day in hand are kept, which stay as they are when the plan is changed.
package struct Enrolment: Sendable, Equatable {
    /// Made on joining. Ids of its showings follow from it, and it stands for the session that has brought them about.
    package let id: Identifier
    package let survey: String
    package let user: UserKey
    package let app: String
    package let joinedAt: Timestamp
    package var group: String?
    /// The date of day 1.
    package var first: SamplingDate
    /// The date on which somebody joined in the middle of the window, where they have what is left of it.
    package var rest: SamplingDate?
    /// Own hours, as said on joining.
    package var hours: SamplingWindow?
    /// No prompt before that is missed; nil: nothing is paused. `latest`: until it is said otherwise.
    package var pausedUntil: Timestamp?
    package var endedAt: Timestamp?
    /// `left`, `over` or `surveyRemoved`.
    package var endReason: String?

    /// The day in hand, which is planned once it begins.
    package var date: SamplingDate
    package var isPlanned = false
    package var place = SamplingCalendar.Place(day: 0, burst: nil)
    /// By which plan, as `SamplingPlan.text` has it.
    package var plan = ""
    /// The hours of it in which prompts come, and when they end; seconds since 1970, as the prompts are.
    package var window = SamplingWindow.allDay
    package var windowEnd: Int64 = 0
    package var prompts: [Int64] = []
    package var next = 0
    /// When it is planned; while it is, when its next prompt is due. nil: never again.
    package var wakesAt: Timestamp?
    /// The prompt before, of whatever day.
    package var previous: Int64?
    /// The zone by which the day was planned, and its offset from UTC in minutes.
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

    /// The id of the showing of a prompt: the same whenever it is made, so that none is made twice. Of version 8 (RFC 9562), whose
    /// content is anybody's own.
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

/// As the store keeps it, beside its key.
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

    /// - Returns: nil for properties that `properties` has not written.
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
