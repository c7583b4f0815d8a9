package import HarkWire

extension Execution {
    /// Reads the members of an execution: `listensTo` or `on`, `when`, `run`, `keepAlive`, `validateImmediately`.
    ///
    /// Without `listensTo` and `on` it listens to the counters that `when` names.
    ///
    /// - Parameter isConfigured: whether it is in the settings, where `app` may name its only app.
    /// - Returns: nil when there are errors.
    package static func read(
        _ value: JSONValue, path: String, isConfigured: Bool = false
    ) -> (execution: Execution?, issues: DocumentIssues) {
        let issues = IssueCollector()
        let execution = read(value, path: path, isConfigured: isConfigured, issues: issues)
        return (issues.issues.errors.isEmpty ? execution : nil, issues.issues)
    }

    static func read(_ value: JSONValue, path: String, isConfigured: Bool, issues: IssueCollector) -> Execution? {
        guard value.description.utf8.count <= Limits.executionBytes else {
            issues.error(path, "an execution has at most \(Limits.executionBytes) bytes as JSON")
            return nil
        }
        let execution = read(value, path: path, isConfigured, issues)
        execution?.checkLimits(path: path, issues)
        return execution
    }

    /// Reads a stored `document` back. It was checked when it was added, by the limits of that time.
    package init?(stored document: JSONValue) {
        let issues = IssueCollector()
        guard let execution = Execution.read(document, path: "$", false, issues), issues.issues.errors.isEmpty else {
            return nil
        }
        self = execution
    }

    /// The stored document is longer than the given one, because it has all defaults.
    private func checkLimits(path: String, _ issues: IssueCollector) {
        let document = document
        let count = document.description.utf8.count
        if count > Limits.executionBytes {
            issues.error(
                path,
                "an execution has at most \(Limits.executionBytes) bytes as JSON with all its members written out, this "
                    + "one has \(count)")
        } else if !document.isStorable {
            issues.error(path, "the condition is nested too deeply; write it with fewer levels of all, any and not")
        }
        if listensTo.count > Limits.executionCounters {
            issues.error(path, "listens to \(listensTo.count) counters; \(Limits.executionCounters) is the most")
        }
        if weight > Limits.weightPerCounter {
            issues.error(
                path, "weighs \(weight), where \(Limits.weightPerCounter) is the most: ask less in its condition")
        }
    }

    private static func read(
        _ value: JSONValue, path: String, _ isConfigured: Bool, _ issues: IssueCollector
    ) -> Execution? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        let id = reader.name("id", isRequired: true)
        if let id, id.utf8.count > Limits.executionIdBytes {
            issues.error(reader.path("id"), "an id has at most \(Limits.executionIdBytes) bytes of UTF-8")
        }
        let app = isConfigured ? reader.app() : nil
        let event = readEvent(&reader)
        let condition = reader.value("when").flatMap {
            Condition.read($0, path: reader.path("when"), issues: issues, seesChange: !reader.has("on"))
        }
        if let condition { issues.warnIfImpossible(condition, reader.path("when")) }
        let listensTo = reader.has("on") ? [] : readListening(&reader, condition)
        let action = readAction(&reader)
        let keepAlive = reader.flag("keepAlive") ?? reader.has("on")
        let validateImmediately = reader.flag("validateImmediately") ?? false
        guard let id, let action, event != nil || !reader.has("on") else { return nil }
        return Execution(
            id: ExactName(id), app: app, listensTo: listensTo, on: event, condition: condition ?? .always,
            action: action,
            keepAlive: keepAlive, validateImmediately: validateImmediately)
    }

    /// Reads the event to listen to. Events differ from each other, so such an execution stays after it has fired unless
    /// `keepAlive` is false.
    private static func readEvent(_ execution: inout ObjectReader) -> EventPattern? {
        guard var reader = execution.object("on") else { return nil }
        defer { reader.finish() }
        // The stored document has both, with these values.
        for (other, nothing) in [("listensTo", [] as JSONValue), ("validateImmediately", false)]
        where execution.has(other) && execution.value(other) != nothing {
            execution.issues.error(execution.path(other), "is for counters; leave it out with 'on'")
        }
        guard var event = reader.object("event", isRequired: true) else { return nil }
        defer { event.finish() }
        return EventPattern.read(&event)
    }

    private static func readListening(_ reader: inout ObjectReader, _ condition: Condition?) -> [ExactName] {
        guard reader.has("listensTo") else {
            let names = (condition?.names ?? []).sorted()
            // The faults of a condition have been reported.
            if names.isEmpty, condition != nil || !reader.has("when") {
                reader.issues.error(
                    reader.path("listensTo"), "is missing: name the counters whose changes it is to look at")
            }
            return names
        }
        let names = reader.choices("listensTo") ?? []
        for name in names where name.utf8.count > Limits.counterNameBytes {
            reader.issues.error(
                reader.path("listensTo"), "a counter's name has at most \(Limits.counterNameBytes) bytes of UTF-8")
        }
        for name in condition?.changes ?? [] where !names.contains(where: { $0.hasSameBytes(as: name) }) {
            reader.issues.warning(
                reader.path("listensTo"), "does not name '\(name)', so it is never a change of that which is looked at")
        }
        return names.map(ExactName.init)
    }

    private static func readAction(_ execution: inout ObjectReader) -> Action? {
        guard var reader = execution.object("run", isRequired: true) else { return nil }
        defer { reader.finish() }
        let command = reader.read("exec", .command)
        let survey = reader.name("survey")
        let isNotice = reader.flag("notify")
        let timeout = reader.integer("timeoutSeconds", in: 1...Int(longestTimeoutSeconds))
        let given = ["exec", "survey", "notify"].filter { reader.has($0) }
        guard given.count == 1 else {
            reader.issues.error(
                reader.path, "must say exactly one of \"exec\": [\"program\", …], \"survey\": \"id\", \"notify\": true")
            return nil
        }
        if timeout != nil, given != ["exec"] {
            reader.issues.error(reader.path("timeoutSeconds"), "goes with 'exec' alone")
        }
        if let command { return .exec(command, timeoutSeconds: timeout ?? usualTimeoutSeconds) }
        if let survey { return .survey(survey) }
        if isNotice == false { reader.issues.error(reader.path("notify"), "must be true") }
        return isNotice == true ? .notify : nil
    }
}

extension ObjectReader {
    /// Reads the only app.
    package mutating func app() -> String? {
        guard let app = name("app") else { return nil }
        if app.utf8.count > Limits.appBytes {
            issues.error(path("app"), "an app name has at most \(Limits.appBytes) bytes of UTF-8")
        }
        return app
    }
}
