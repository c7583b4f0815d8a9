internal import HarkWire

extension Survey {
    /// - Parameter quiet: the quiet hours of the file, for surveys without their own.
    static func read(_ value: JSONValue, path: String, quiet: SurveyQuiet, issues: IssueCollector) -> Survey? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        let id = reader.name("id", isRequired: true)
        let content = SurveyContent.read(&reader)
        var trigger = SurveyTrigger.read(&reader, of: id)
        var limits = SurveyLimits.read(&reader)
        let notification = SurveyNotification.read(&reader)
        let keepAnswers = reader.seconds("keepAnswersSeconds")
        let changeable = reader.seconds("changeableSeconds")
        let redactTexts = reader.seconds("redactTextAfterSeconds")
        let quiet = SurveyQuiet.read(&reader, else: quiet)
        let reminders = SurveyReminders.read(&reader)
        let priority = reader.integer("priority", in: -1_000...1_000)
        let groups = reader.choices("groups")
        let audience = Audience.read(&reader, of: id)
        let cancelOn = CancelRule.read(&reader)
        let quota = SurveyQuota.read(&reader)
        let isPrivate = reader.flag("private") ?? false
        let whenAway: SamplingSchedule.Away? = reader.read("whenAway", .word)
        let finishWithin = reader.seconds("finishWithinSeconds")
        trigger?.schedule?.whenAway = whenAway ?? .miss
        trigger?.schedule?.finishWithin = finishWithin
        limits.check(trigger?.schedule, &reader)
        guard let id, let content, let trigger else { return nil }
        var survey = Survey(
            id: id, content: content, trigger: trigger, limits: limits, notification: notification,
            keepAnswers: keepAnswers)
        survey.changeable = changeable
        survey.redactTexts = redactTexts
        survey.quiet = quiet
        survey.reminders = reminders
        survey.priority = priority ?? 0
        survey.groups = groups ?? []
        survey.audience = audience
        survey.cancelOn = cancelOn
        survey.quota = quota
        survey.isPrivate = isPrivate
        survey.asked = survey.checkValues(path, issues)
        return survey
    }
}

extension SurveyTrigger {
    fileprivate static func read(_ survey: inout ObjectReader, of id: String?) -> SurveyTrigger? {
        guard var trigger = survey.object("trigger", isRequired: true) else { return nil }
        defer { trigger.finish() }
        if trigger.has("schedule") {
            for other in ["event", "counters", "scheduleAfterSeconds"] where trigger.has(other) {
                trigger.issues.error(trigger.path(other), "contradicts 'schedule'; a survey has one of them")
            }
            guard let (schedule, event, condition) = SamplingSchedule.read(&trigger, of: id) else { return nil }
            var read = SurveyTrigger(event: event, condition: condition)
            read.schedule = schedule
            return read
        }
        let counters = readCounters(&trigger)
        if counters != nil, !trigger.has("event") {
            return SurveyTrigger(event: nil, counters: counters, delay: trigger.seconds("scheduleAfterSeconds") ?? 0)
        }
        guard var event = trigger.object("event", isRequired: true) else { return nil }
        defer { event.finish() }
        let pattern = EventPattern.read(&event)
        let delay = event.seconds("scheduleAfterSeconds") ?? 0
        return pattern.map {
            SurveyTrigger(event: $0.name, condition: $0.condition, counters: counters, delay: delay)
        }
    }

    /// A condition on counters. Alone it needs counters to listen to.
    private static func readCounters(_ trigger: inout ObjectReader) -> Condition? {
        guard let value = trigger.value("counters") else { return nil }
        let path = trigger.path("counters")
        guard let condition = Condition.read(value, path: path, issues: trigger.issues) else { return nil }
        if condition.names.isEmpty { trigger.issues.error(path, "must name at least one counter") }
        trigger.issues.warnIfImpossible(condition, path)
        return condition
    }
}

extension SurveyQuiet {
    /// - Parameter given: the quiet hours to use for missing members.
    static func read(_ reader: inout ObjectReader, else given: SurveyQuiet? = nil) -> SurveyQuiet {
        var quiet = SurveyQuiet()
        if given != nil { quiet.isAlarm = reader.flag("alarm") ?? false }
        let isOwn = reader.has("quietHours")
        if let elements = reader.elements("quietHours") {
            do throws(WireError) {
                quiet.hours = try QuietHours.read(elements.map(\.value))
            } catch {
                reader.issues.error(reader.path("quietHours") + (error.path ?? ""), error.message)
            }
        } else if !isOwn, !quiet.isAlarm {
            quiet.hours = given?.hours
        }
        quiet.drops = reader.read("outside", .word(of: [("wait", false), ("drop", true)])) ?? given?.drops ?? false
        return quiet
    }
}

extension SurveyReminders {
    fileprivate static func read(_ reader: inout ObjectReader) -> SurveyReminders {
        var reminders = SurveyReminders()
        reminders.onReturn = reader.flag("remindOnReturn") ?? false
        guard let elements = reader.elements("remindAfterSeconds") else { return reminders }
        let expected = "must be 1 to \(SurveyReminders.most) numbers of seconds, each greater than the one before"
        let after = elements.compactMap { MemberType<Int64>.seconds.read($0.value) }
        let isAscending = zip([0] + after, after).allSatisfy { $0 < $1 }
        guard after.count == elements.count, (1...SurveyReminders.most).contains(after.count), isAscending else {
            reader.issues.error(reader.path("remindAfterSeconds"), expected)
            return reminders
        }
        reminders.after = after
        return reminders
    }
}

extension SurveyNotification {
    fileprivate static func read(_ survey: inout ObjectReader) -> SurveyNotification? {
        guard var reader = survey.object("notification") else { return nil }
        defer { reader.finish() }
        let title = reader.text("title", isRequired: true)
        let body = reader.text("body", isRequired: true)
        let sound = reader.flag("sound") ?? true
        guard let title, let body else { return nil }
        return SurveyNotification(title: title, body: body, sound: sound)
    }
}

extension SurveyLimits {
    fileprivate static func read(_ reader: inout ObjectReader) -> SurveyLimits {
        var limits = SurveyLimits()
        limits.oncePerSession = reader.flag("oncePerSession") ?? true
        limits.oncePerUser = reader.flag("oncePerUser") ?? false
        limits.cooldown = reader.seconds("cooldownSeconds")
        limits.maxAttempts = reader.integer("maxAttempts", in: 1...Int.max)
        limits.atMost = ShowingCap.read(&reader)
        limits.attemptCooldown = reader.seconds("attemptCooldownSeconds")
        limits.repeatEvery = reader.seconds("repeatEverySeconds")
        limits.expireAfter = reader.seconds("expireAfterSeconds")
        limits.rolloutPercent = reader.number("rolloutPercent", in: 0...100)
        limits.starts = reader.date("startDate", wholeDayEndsIt: false)
        limits.ends = reader.date("endDate", wholeDayEndsIt: true)
        if limits.oncePerUser, limits.repeatEvery != nil {
            reader.issues.error(reader.path("repeatEverySeconds"), "contradicts oncePerUser; give one of them")
        }
        if let starts = limits.starts, let ends = limits.ends, ends <= starts {
            reader.issues.error(reader.path("endDate"), "is not after startDate")
        }
        return limits
    }
}

extension SurveyLimits {
    /// Refuses limits that contradict a schedule, and members that need a schedule. Warns if answers are removed too
    /// early.
    fileprivate mutating func check(_ schedule: SamplingSchedule?, _ reader: inout ObjectReader) {
        guard let schedule else {
            for member in ["whenAway", "finishWithinSeconds"] where reader.has(member) {
                reader.issues.error(
                    reader.path(member), "is about the prompts of a schedule (trigger.schedule), and there is none")
            }
            return
        }
        let others = [
            "oncePerSession", "oncePerUser", "maxAttempts", "cooldownSeconds", "attemptCooldownSeconds",
            "repeatEverySeconds", "atMost", "audience", "cancelOn", "quota",
        ]
        for member in others where reader.has(member) {
            reader.issues.error(
                reader.path(member), "contradicts the schedule, which says how often it asks; leave it out")
        }
        oncePerSession = false
        let calendar = schedule.calendar
        guard let forDays = calendar.forDays, let keep = reader.seconds("keepAnswersSeconds") else { return }
        let length = forDays + (calendar.bursts - 1) * calendar.burstEvery
        if keep / 86_400_000 < length {
            reader.issues.warning(
                reader.path("keepAnswersSeconds"),
                "is shorter than the study, which takes \(length) days: "
                    + "the first answers are removed before the last prompt")
        }
    }
}

extension ObjectReader {
    /// A moment (`2026-11-21T11:08:00Z`, any offset), or a day of UTC (`2026-11-21`).
    ///
    /// A day means its beginning or, if `wholeDayEndsIt`, the beginning of the next: it is included.
    fileprivate mutating func date(_ key: String, wholeDayEndsIt: Bool) -> Timestamp? {
        guard let text = text(key) else { return nil }
        if let moment = Timestamp(text) { return moment }
        if let day = Timestamp(text + "T00:00:00Z") {
            return wholeDayEndsIt ? day.adding(milliseconds: 86_400_000) : day
        }
        issues.error(path(key), "must be a day (2026-11-21) or a moment (2026-11-21T11:08:00Z)")
        return nil
    }
}
