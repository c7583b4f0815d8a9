package import HarkWire

extension SurveyConfiguration {
    /// Reads a document of surveys.
    ///
    /// - Parameters:
    ///   - counters: the counters of the settings, if they are known.
    ///   - hasZone: whether this machine has a time zone of a name.
    /// - Returns: no configuration when there are errors: the one in force stays.
    package static func read(
        _ document: JSONValue, _ counters: CounterConfiguration = .none, hasZone: (String) -> Bool = { _ in true }
    ) -> (configuration: SurveyConfiguration?, issues: DocumentIssues) {
        let issues = IssueCollector()
        let configuration = read(document, counters, hasZone, issues)
        return (issues.issues.errors.isEmpty ? configuration : nil, issues.issues)
    }

    private static func read(
        _ document: JSONValue, _ counters: CounterConfiguration, _ hasZone: (String) -> Bool, _ issues: IssueCollector
    ) -> SurveyConfiguration? {
        guard var reader = ObjectReader(document, path: "$", issues: issues) else { return nil }
        defer { reader.finish() }
        _ = reader.text("$schema")
        let globalCooldown = reader.seconds("globalCooldownSeconds")
        let atMost = ShowingCap.read(&reader)
        let groups = SurveyGroup.read(&reader)
        let quiet = SurveyQuiet.read(&reader)
        let events = readRegistry(&reader)
        var surveys: [Survey] = []
        var ids: Set<ExactName> = []
        var work: [ExactName: Int] = [:]
        var followUps: [(survey: Survey, path: String)] = []
        for (value, path) in reader.elements("surveys", isRequired: true) ?? [] {
            guard let survey = Survey.read(value, path: path, quiet: quiet, issues: issues) else { continue }
            if let zone = survey.trigger.schedule?.timeZone, !hasZone(zone) {
                issues.error("\(path).trigger.schedule.timeZone", "this machine's tzdata has no zone '\(zone)'")
            }
            if let condition = survey.trigger.counters {
                counters.checkKinds(in: condition, of: nil, "\(path).trigger.counters", issues)
            }
            guard ids.insert(ExactName(survey.id)).inserted else {
                issues.error("\(path).id", "there is another survey '\(survey.id)'")
                continue
            }
            if let events, let event = survey.trigger.event, event != StudyEvents.joined,
                !events.contains(ExactName(event))
            {
                issues.warning("\(path).trigger.event.name", "'\(event)' is not among the names in 'events'")
            }
            for group in survey.groups where !groups.contains(where: { $0.name.hasSameBytes(as: group) }) {
                issues.error("\(path).groups", "there is no group '\(group)'; name it in 'groups' of the file")
            }
            if let event = survey.trigger.event {
                let before = work[ExactName(event), default: 0]
                let sum = before + TriggerWork(survey.trigger).comparisons
                work[ExactName(event)] = sum
                if sum > TriggerWork.most, before <= TriggerWork.most {
                    issues.warning(
                        "\(path).trigger.event",
                        "the surveys for '\(event)' make more than \(TriggerWork.most) comparisons; this one and those after "
                            + "it are passed over: remove some, or give them events of their own")
                }
            }
            if survey.trigger.event == SurveyEvents.response { followUps.append((survey, path)) }
            surveys.append(survey)
        }
        for (place, survey) in surveys.enumerated() {
            for rule in survey.audience.surveys where !ids.contains(ExactName(rule.survey)) {
                issues.warning(
                    "$.surveys[\(place)].audience.surveys",
                    "there is no survey '\(rule.survey)' in this file; only what an earlier file had of it counts")
            }
        }
        for (survey, path) in followUps { survey.checkFollowed(surveys, "\(path).trigger.event", issues) }
        return SurveyConfiguration(surveys, globalCooldown: globalCooldown, atMost: atMost, groups: groups)
    }

    /// The names of the events an application knows: the members of an object, or an array of names or of objects with names.
    /// Other members of events are for people and editors.
    private static func readRegistry(_ reader: inout ObjectReader) -> Set<ExactName>? {
        switch reader.value("events") {
        case nil: return nil
        case .object(let events): return Set(events.keys.map(ExactName.init))
        case .array(let events):
            let names = events.map { $0.stringValue ?? $0["name"]?.stringValue }
            for (index, name) in names.enumerated() where name == nil {
                reader.issues.error("\(reader.path("events"))[\(index)]", "must be a name or an object with a 'name'")
            }
            return Set(names.compactMap(\.self).map(ExactName.init))
        default:
            reader.issues.error(reader.path("events"), "must be an object or an array")
            return nil
        }
    }
}

extension Survey {
    /// Warns if the condition requires an answer that the named survey does not offer.
    fileprivate func checkFollowed(_ surveys: [Survey], _ path: String, _ issues: IssueCollector) {
        func demanded(_ name: String) -> String? {
            trigger.condition.demands.first { $0.name == name && $0.matcher.op == .eq }?.matcher.operand.stringValue
        }
        // An id that is in no file may be the name of a prompt.
        guard let id = demanded("id"), let option = demanded(SurveyContent.optionId),
            let followed = surveys.first(where: { $0.id.hasSameBytes(as: id) })
        else { return }
        let options = followed.content.optionValues
        guard !options.contains(where: { $0.hasSameBytes(as: option) }) else { return }
        let words = options.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
        issues.warning(
            path,
            "the survey '\(id)' has no option '\(option)'"
                + (options.isEmpty ? ", as one of its type records none" : "; it has \(words)"))
    }
}
