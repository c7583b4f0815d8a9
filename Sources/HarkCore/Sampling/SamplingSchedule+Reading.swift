internal import HarkWire

extension SamplingSchedule {
    /// Reads the schedule of a trigger.
    ///
    /// - Returns: the schedule, the event by which users join, and a condition on its properties; nil after an error.
    static func read(
        _ trigger: inout ObjectReader, of survey: String?
    ) -> (schedule: SamplingSchedule, event: String, condition: Condition)? {
        guard var reader = trigger.object("schedule") else { return nil }
        defer { reader.finish() }
        let window = readWindow(&reader)
        let placing = readPlacing(&reader)
        let gap = reader.integer("gapSeconds", in: 60...86_400) ?? 900
        let calendar = readCalendar(&reader)
        let zone = reader.name("timeZone")
        if let zone, !isZoneName(zone) {
            reader.issues.error(reader.path("timeZone"), "must be a name of tzdata, such as Europe/Berlin")
        }
        let hours = readHours(&reader)
        let begins = readBegins(&reader, of: survey)
        let takesRest = reader.read("firstDay", .word(of: [("rest", true), ("next", false)])) ?? true
        let isForEverybody = reader.read("participants", .word(of: [("joined", false), ("everybody", true)])) ?? false
        let isForGroups = reader.read("planFor", .word(of: [("participant", false), ("group", true)])) ?? false
        let seed = reader.text("seed") ?? ""
        let heedsCooldowns = reader.flag("heedCooldowns") ?? false
        guard let window, let placing, let calendar, let begins else { return nil }
        let plan = SamplingPlan(placing, window: window, gap: Int64(gap))
        if let fault = plan.fault { reader.issues.error(reader.path("from"), "the window \(window.text) \(fault)") }
        var schedule = SamplingSchedule(plan)
        (schedule.calendar, schedule.timeZone, schedule.hours) = (calendar, zone, hours)
        (schedule.begins, schedule.takesRest, schedule.seed) = (begins.begins, takesRest, seed)
        (schedule.isForEverybody, schedule.isPlannedForGroups) = (isForEverybody, isForGroups)
        schedule.heedsCooldowns = heedsCooldowns
        if case .at = placing, hours != nil {
            reader.issues.error(reader.path("hours"), "contradicts 'times', which are the same for all")
        }
        if isForEverybody, begins.isEvent {
            reader.issues.error(
                reader.path("begins"), "contradicts \"participants\": \"everybody\", as everybody takes part at once")
        }
        return (schedule, begins.event, begins.condition)
    }

    /// Whether a name may be a path below the folder of tzdata, so that it cannot lead out of it.
    package static func isZoneName(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.utf8.first != 0x2F
            && !name.split(separator: "/", omittingEmptySubsequences: false).contains {
                $0.isEmpty || $0.hasPrefix(".")
            }
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x5F: true
                default: false
                }
            }
    }

    private static func readWindow(_ reader: inout ObjectReader) -> SamplingWindow? {
        func minutes(_ key: String, else usual: Int64) -> Int64? {
            guard let text = reader.text(key) else { return usual }
            if let minutes = WallClock.minutes(text) { return minutes }
            reader.issues.error(reader.path(key), "must be a time of day such as 09:00; a day ends at 24:00")
            return nil
        }
        guard let from = minutes("from", else: 0), let until = minutes("until", else: 1_440) else { return nil }
        if let window = SamplingWindow(checking: from, until) { return window }
        reader.issues.error(reader.path("until"), "must differ from 'from', and 'from' must be before 24:00")
        return nil
    }

    private static func readPlacing(_ reader: inout ObjectReader) -> SamplingPlan.Placing? {
        let words = ["at", "blocks", "free", "every"]
        let usual = reader.has("times") ? "at" : reader.has("everySeconds") ? "every" : "blocks"
        let word = reader.has("placing") ? reader.read("placing", .word(of: words.map { ($0, $0) })) : usual
        guard let word else { return nil }
        let members = ["at": ["times"], "every": ["everySeconds", "jitterPercent"]][word] ?? ["prompts"]
        for other in ["times", "prompts", "everySeconds", "jitterPercent"]
        where !members.contains(other) && reader.has(other) {
            reader.issues.error(reader.path(other), "has no meaning with \"placing\": \"\(word)\"")
        }
        switch word {
        case "at": return readTimes(&reader).map { .at($0) }
        case "every":
            let jitter = reader.integer("jitterPercent", in: 0...50) ?? 0
            guard let value = reader.value("everySeconds", isRequired: true) else { return nil }
            guard let seconds = MemberType<Int64>.integer(in: 300...86_400).read(value) else {
                reader.issues.error(reader.path("everySeconds"), "must be an integer from 300 to 86400")
                return nil
            }
            return .every(seconds: seconds, jitterPercent: Int64(jitter))
        default:
            guard let value = reader.value("prompts", isRequired: true) else { return nil }
            guard let count = MemberType<Int>.integer(in: 1...100).read(value) else {
                reader.issues.error(reader.path("prompts"), "must be an integer from 1 to 100")
                return nil
            }
            return word == "free" ? .free(count) : .blocks(count)
        }
    }

    private static func readTimes(_ reader: inout ObjectReader) -> [Int64]? {
        guard let elements = reader.elements("times", isRequired: true) else { return nil }
        let times = elements.compactMap { $0.value.stringValue.flatMap(WallClock.minutes) }
        let isAscending = zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
        guard times.count == elements.count, (1...100).contains(times.count), isAscending,
            times.allSatisfy({ $0 < 1_440 })
        else {
            reader.issues.error(
                reader.path("times"), "must be 1 to 100 times of day such as 09:00, each later than the one before")
            return nil
        }
        return times
    }

    private static func readCalendar(_ reader: inout ObjectReader) -> SamplingCalendar? {
        var calendar = SamplingCalendar()
        let most = Int(SamplingCalendar.mostDays)
        calendar.forDays = reader.integer("forDays", in: 1...most).map(Int64.init)
        calendar.everyDays = Int64(reader.integer("everyDays", in: 1...366) ?? 1)
        if let elements = reader.elements("days") {
            let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
            let places = elements.compactMap { element in
                element.value.stringValue.flatMap { name in names.firstIndex(of: name) }
            }
            guard !places.isEmpty, places.count == elements.count else {
                reader.issues.error(reader.path("days"), "must be an array of \(names.joined(separator: ", "))")
                return nil
            }
            calendar.weekdays = names.indices.map(places.contains)
        }
        if let elements = reader.elements("onDays") {
            let days = elements.compactMap { MemberType<Int64>.integer(in: 1...Int64(most)).read($0.value) }
            guard !days.isEmpty, days.count == elements.count, zip(days, days.dropFirst()).allSatisfy({ $0 < $1 })
            else {
                reader.issues.error(
                    reader.path("onDays"), "must be numbers of days from 1 on, each greater than the one before")
                return nil
            }
            calendar.onDays = days
            if let last = days.last, let forDays = calendar.forDays, last > forDays {
                reader.issues.error(reader.path("onDays"), "day \(last) is after the last of the days in 'forDays'")
            }
        }
        guard reader.has("bursts") else { return calendar }
        guard var bursts = reader.object("bursts") else { return nil }
        defer { bursts.finish() }
        let count = bursts.read("count", MemberType<Int>.integer(in: 2...100), isRequired: true)
        let every = bursts.read("everyDays", MemberType<Int>.integer(in: 1...1_000), isRequired: true)
        guard let count, let every else { return nil }
        guard let forDays = calendar.forDays, Int64(every) >= forDays else {
            reader.issues.error(
                reader.path("bursts"),
                "needs 'forDays', the length of a burst, which must not be longer than its 'everyDays'")
            return nil
        }
        (calendar.bursts, calendar.burstEvery) = (Int64(count), Int64(every))
        return calendar
    }

    private static func readHours(_ reader: inout ObjectReader) -> Hours? {
        guard var hours = reader.object("hours") else { return nil }
        defer { hours.finish() }
        let form = hours.name("form", isRequired: true)
        let from = hours.name("from", isRequired: true)
        let until = hours.name("until", isRequired: true)
        guard let form, let from, let until else { return nil }
        return Hours(form: form, from: from, until: until)
    }

    private struct Beginning {
        var begins = Begins.joining
        var event = StudyEvents.joined
        var condition = Condition.always
        var isEvent: Bool { if case .event = begins { true } else { false } }
    }

    private static func readBegins(_ schedule: inout ObjectReader, of survey: String?) -> Beginning? {
        var beginning = Beginning()
        let mine = Condition.value("surveyId", Matcher(.eq, .string(survey ?? "")))
        guard schedule.has("begins") else {
            beginning.condition = mine
            return beginning
        }
        guard var reader = schedule.object("begins") else { return nil }
        defer { reader.finish() }
        let afterDays = Int64(reader.integer("afterDays", in: 0...1_000) ?? 0)
        let given = ["event", "date", "form"].filter { reader.has($0) }
        guard given.count == 1, let word = given.first else {
            reader.issues.error(reader.path, "must have one of 'event', 'date' and 'form'")
            return nil
        }
        switch word {
        case "event":
            guard let name = reader.name("event") else { return nil }
            if let properties = reader.object("properties") {
                var properties = properties
                beginning.condition = Condition.read(properties: &properties)
            }
            beginning.event = name
            guard name != StudyEvents.joined else {
                beginning.condition = beginning.condition == .always ? mine : .all([mine, beginning.condition])
                beginning.begins = afterDays > 0 ? .event(afterDays: afterDays) : .joining
                return beginning
            }
            beginning.begins = .event(afterDays: afterDays)
        case "date":
            guard let date = reader.text("date").flatMap(SamplingDate.init) else {
                reader.issues.error(reader.path("date"), "must be a day such as 2026-11-26")
                return nil
            }
            (beginning.begins, beginning.condition) = (.date(date.adding(afterDays)), mine)
        default:
            let question = reader.name("answer", isRequired: true)
            guard let form = reader.name("form"), let question else { return nil }
            beginning.begins = .answer(form: form, question: question, afterDays: afterDays)
            beginning.condition = mine
        }
        return beginning
    }
}

/// The names of the events about participants.
package enum StudyEvents {
    package static let joined = "study.joined"
    package static let left = "study.left"
    package static let paused = "study.paused"
    package static let resumed = "study.resumed"
    package static let zone = "study.zone"

    static let all = [joined, left, paused, resumed, zone]
}
