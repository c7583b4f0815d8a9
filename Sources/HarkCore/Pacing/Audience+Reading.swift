internal import HarkWire

extension Audience {
    static func read(_ survey: inout ObjectReader, of id: String?) -> Audience {
        var audience = Audience()
        guard var reader = survey.object("audience") else { return audience }
        defer { reader.finish() }
        for var element in reader.objects("events", most: most) ?? [] {
            defer { element.finish() }
            let frequency = Frequency.read(&element, most: RecentTimes.most)
            guard let pattern = EventPattern.read(&element) else { continue }
            let rule = EventRule(pattern, frequency)
            if let other = audience.events.first(where: { $0.contradicts(rule) }) {
                element.issues.error(
                    element.path,
                    "contradicts another rule, by which \(pattern.words) must have come \(other.frequency.words); "
                        + "leave one of them out")
            }
            audience.events.append(rule)
        }
        for var element in reader.objects("surveys", most: most) ?? [] {
            defer { element.finish() }
            let survey = element.name("id", isRequired: true)
            let was: SurveyRule.What? = element.read("was", .word, isRequired: true)
            if was == .answered, element.has("atLeast") {
                element.issues.error(
                    element.path("atLeast"), "answers are not counted; leave it out, or ask for 'shown'")
            }
            let frequency = Frequency.read(&element, most: RecentTimes.most)
            guard let survey, let was else { continue }
            if frequency.atLeast > 0, survey.hasSameBytes(as: id ?? "") {
                element.issues.error(
                    element.path,
                    "asks that the survey itself was \(was.rawValue) before, so it would never be shown; leave it out")
            }
            audience.surveys.append(SurveyRule(survey, was: was, frequency))
        }
        if audience.events.count + audience.surveys.count > most {
            reader.issues.error(reader.path, "at most \(most) rules")
        }
        audience.session = readCondition("session", on: "the metadata of the session", &reader)
        audience.profile = readCondition("profile", on: "the values of the user's profile", &reader)
        if let names = audience.profile?.names, names.contains(ExactName("answers")) {
            reader.issues.error(
                reader.path("profile"), "'answers' is all answers together; ask for a value that the profile derives")
        }
        audience.firstSeen = Age.read("firstSeen", &reader)
        return audience
    }

    private static func readCondition(_ key: String, on what: String, _ reader: inout ObjectReader) -> Condition? {
        guard let value = reader.value(key) else { return nil }
        let path = reader.path(key)
        guard let condition = Condition.read(value, path: path, issues: reader.issues) else { return nil }
        for name in condition.names.sorted() where name.text.hasPrefix("@") {
            reader.issues.error(path, "asks for '\(name)', and this looks at \(what) only")
        }
        if condition.weight > mostWeight {
            reader.issues.error(
                path,
                "weighs \(condition.weight), where \(mostWeight) is the most: a comparison weighs 1, a search in a text "
                    + "100")
        }
        reader.issues.warnIfImpossible(condition, path)
        return condition
    }
}

extension Audience.Age {
    fileprivate static func read(_ key: String, _ reader: inout ObjectReader) -> Self? {
        guard var object = reader.object(key) else { return nil }
        defer { object.finish() }
        let age = Self(atLeast: object.seconds("atLeastSeconds"), atMost: object.seconds("atMostSeconds"))
        if !object.has("atLeastSeconds"), !object.has("atMostSeconds") {
            object.issues.error(
                object.path("atLeastSeconds"), "is missing: say how long ago at least, or with 'atMostSeconds' at most")
        }
        if let atLeast = age.atLeast, let atMost = age.atMost, atLeast > atMost {
            object.issues.error(
                object.path("atMostSeconds"), "is less than 'atLeastSeconds', so it would never be shown")
        }
        return age
    }
}

extension Audience.EventRule {
    /// Whether both can never hold.
    fileprivate func contradicts(_ other: Self) -> Bool {
        guard rule == other.rule else { return false }
        let (never, often) = frequency.atLeast == 0 ? (self, other) : (other, self)
        guard never.frequency.atLeast == 0, often.frequency.atLeast > 0 else { return false }
        guard let span = never.frequency.within else { return true }
        return often.frequency.within.map { $0 <= span } ?? false
    }
}

extension Audience.Frequency {
    fileprivate static func read(_ reader: inout ObjectReader, most: Int) -> Self {
        let within = reader.span(isRequired: false)
        let atLeast = reader.integer("atLeast", in: 1...most)
        let never = reader.flag("never") ?? false
        if never, atLeast != nil {
            reader.issues.error(reader.path("never"), "contradicts 'atLeast'; give one of them")
        }
        return Self(atLeast: never ? 0 : atLeast ?? 1, within: within)
    }
}
