internal import HarkWire

extension EventPattern {
    /// Reads `name`, `properties` and `where` of an object, which has no other members of this kind.
    static func read(_ event: inout ObjectReader) -> EventPattern? {
        let name = event.name("name", isRequired: true)
        if let name, name.utf8.count > Limits.eventNameBytes {
            event.issues.error(event.path("name"), "an event name has at most \(Limits.eventNameBytes) bytes of UTF-8")
        }
        var condition = Condition.always
        if var properties = event.object("properties") {
            condition = Condition.read(properties: &properties)
        }
        if let more = readWhere(&event) { condition = condition == .always ? more : .all([condition, more]) }
        event.issues.warnIfImpossible(condition, event.path(event.has("where") ? "where" : "properties"))
        return name.map { EventPattern($0, condition) }
    }

    /// Reads a condition on the properties of the event.
    static func readWhere(_ event: inout ObjectReader) -> Condition? {
        guard let value = event.value("where") else { return nil }
        let path = event.path("where")
        guard let condition = Condition.read(value, path: path, issues: event.issues) else { return nil }
        for name in condition.names.sorted() where name.text.hasPrefix("@") {
            event.issues.error(path, "asks for '\(name)', and a trigger looks at the properties of its event only")
        }
        return condition
    }
}

extension ObjectReader {
    /// The elements of an array of objects; nil if there is none, or too many.
    mutating func objects(_ key: String, most: Int) -> [ObjectReader]? {
        guard let elements = elements(key) else { return nil }
        guard (1...most).contains(elements.count) else {
            issues.error(path(key), "must hold 1 to \(most) objects")
            return nil
        }
        return elements.compactMap { ObjectReader($0.value, path: $0.path, issues: issues) }
    }

    /// A span greater than zero, in milliseconds.
    mutating func span(isRequired: Bool) -> Int64? {
        let key = "withinSeconds"
        if isRequired, value(key, isRequired: true) == nil { return nil }
        guard let span = seconds(key) else { return nil }
        if span == 0 { issues.error(path(key), "must be greater than 0") }
        return span
    }
}

extension ShowingCap {
    static func read(_ reader: inout ObjectReader, isRequired: Bool = false) -> [ShowingCap] {
        let key = "atMost"
        if isRequired { _ = reader.value(key, isRequired: true) }
        var caps: [ShowingCap] = []
        for var element in reader.objects(key, most: most) ?? [] {
            defer { element.finish() }
            let count: Int? = element.read("count", .integer(in: 1...RecentTimes.most), isRequired: true)
            guard let within = element.span(isRequired: true), let count else { continue }
            let cap = ShowingCap(count: count, within: within)
            if let wider = caps.first(where: { $0.within >= within && $0.count <= count }) {
                element.issues.error(
                    element.path,
                    "never limits, as at most \(wider.count) within \(SurveyGate.seconds(wider.within)) s holds already; "
                        + "leave one of them out")
            } else if let narrower = caps.first(where: { $0.within <= within && $0.count >= count }) {
                element.issues.error(
                    element.path,
                    "makes at most \(narrower.count) within \(SurveyGate.seconds(narrower.within)) s needless; "
                        + "leave one of them out")
            }
            caps.append(cap)
        }
        return caps
    }
}

extension SurveyGroup {
    /// The groups of a file, by their names.
    static func read(_ reader: inout ObjectReader) -> [SurveyGroup] {
        guard var groups = reader.object("groups") else { return [] }
        let members = groups.members()
        if members.count > most {
            groups.issues.error(groups.path, "at most \(most) groups; there are \(members.count)")
        }
        var read: [SurveyGroup] = []
        for (name, value, path) in members.prefix(most) {
            if name.trimmed.isEmpty { groups.issues.error(path, "the name of a group must not be empty") }
            guard var group = ObjectReader(value, path: path, issues: groups.issues) else { continue }
            read.append(SurveyGroup(name: name, atMost: ShowingCap.read(&group, isRequired: true)))
            group.finish()
        }
        return read
    }
}

extension CancelRule {
    static func read(_ survey: inout ObjectReader) -> [CancelRule] {
        var rules: [CancelRule] = []
        for var reader in survey.objects("cancelOn", most: most) ?? [] {
            defer { reader.finish() }
            let same = reader.choices("same") ?? []
            if same.count > Properties.mostKept {
                reader.issues.error(reader.path("same"), "at most \(Properties.mostKept) properties")
            }
            let alsoShown = reader.flag("alsoShown") ?? false
            guard var event = reader.object("event", isRequired: true) else { continue }
            defer { event.finish() }
            guard let pattern = EventPattern.read(&event) else { continue }
            rules.append(CancelRule(pattern, same: same, alsoShown: alsoShown))
        }
        return rules
    }
}
