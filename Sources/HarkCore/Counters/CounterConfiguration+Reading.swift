package import HarkWire

extension CounterConfiguration {
    /// Reads `counters` and `executions` from the settings.
    package static func read(_ settings: inout ObjectReader) -> CounterConfiguration {
        let issues = settings.issues
        var counters = settings.object(
            "counters", expected: "an object such as {\"opens\": {\"initial\": 0, \"scope\": \"app\"}}")
        let declared = counters?.members().compactMap { DeclaredCounter.read($0, $1, path: $2, issues: issues) } ?? []
        return CounterConfiguration(
            counters: declared, executions: readExecutions(&settings, CounterConfiguration(counters: declared)))
    }

    private static func readExecutions(
        _ settings: inout ObjectReader, _ declared: CounterConfiguration
    ) -> [Execution] {
        let issues = settings.issues
        var executions: [Execution] = []
        var ids: Set<ExactName> = []
        var weights: [ExecutionTrigger: Int] = [:]
        for (value, path) in settings.elements("executions", expected: "an array of executions") ?? [] {
            guard let execution = Execution.read(value, path: path, isConfigured: true, issues: issues) else {
                continue
            }
            guard ids.insert(execution.id).inserted else {
                issues.error("\(path).id", "there is another execution '\(execution.id)'")
                continue
            }
            declared.checkKinds(in: execution.condition, of: execution.app, "\(path).when", issues)
            let weight = execution.weight
            for trigger in execution.triggers {
                weights[trigger, default: 0] += weight
                guard weights[trigger, default: 0] > Limits.weightPerCounter else { continue }
                issues.error(
                    "\(path).\(trigger.isEvent ? "on" : "listensTo")",
                    "the executions that listen to '\(trigger.name)' weigh more than \(Limits.weightPerCounter) together; let them "
                        + "listen to \(trigger.isEvent ? "events" : "counters") of their own, or ask less in their conditions"
                )
                return executions
            }
            executions.append(execution)
        }
        return executions
    }
}

extension DeclaredCounter {
    /// Reads `{"initial": 0, "scope": "app", "app": "shop"}`; every member is optional.
    static func read(_ name: String, _ value: JSONValue, path: String, issues: IssueCollector) -> DeclaredCounter? {
        guard var reader = ObjectReader(value, path: path, issues: issues) else { return nil }
        defer { reader.finish() }
        if name.isEmpty || name.utf8.count > Limits.counterNameBytes {
            issues.error(path, "a counter's name has 1 to \(Limits.counterNameBytes) bytes of UTF-8")
        }
        var counter = DeclaredCounter(name: ExactName(name), initial: 0, lifetime: .app)
        counter.initial = reader.value("initial") ?? 0
        do throws(WireError) {
            try Limits.check(counterValue: counter.initial, "initial")
        } catch {
            issues.error(reader.path("initial"), error.message)
        }
        reader.take("scope", .lifetime, into: &counter.lifetime)
        counter.app = reader.app()
        return counter
    }

    /// The declaration in the form that `read` takes.
    package var document: JSONValue {
        var object: JSONObject = ["initial": initial, "scope": .string(lifetime.word)]
        if let app { object["app"] = .string(app) }
        return .object(object)
    }
}
