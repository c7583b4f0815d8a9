import HarkCore
import HarkWire

/// `counters` and `executions`.
extension ConfigurationReader {
    mutating func readCounters(_ root: JSONObject) {
        let counters = root["counters"].map { readDeclarations($0, "$.counters") } ?? []
        let executions = root["executions"].map { readExecutions($0, "$.executions") } ?? []
        configuration.counters = CounterConfiguration(counters: counters, executions: executions)
    }

    private mutating func readDeclarations(_ value: JSONValue, _ path: String) -> [DeclaredCounter] {
        guard let object = value.objectValue else {
            mistyped(path, "an object such as {\"opens\": {\"initial\": 0, \"scope\": \"app\"}}")
            return []
        }
        return object.compactMap { readDeclaration($0.key, $0.value, "\(path).\($0.key)") }
    }

    private mutating func readDeclaration(
        _ name: String, _ value: JSONValue, _ path: String
    ) -> DeclaredCounter? {
        let (counter, issues) = DeclaredCounter.read(name, value, path: path)
        note(issues)
        return counter
    }

    private mutating func readExecutions(_ value: JSONValue, _ path: String) -> [Execution] {
        guard let elements = value.arrayValue else {
            mistyped(path, "an array of executions")
            return []
        }
        var executions: [Execution] = []
        var ids: Set<ExactName> = []
        var weights: [ExactName: Int] = [:]
        for (index, element) in elements.enumerated() {
            let (execution, issues) = Execution.read(element, path: "\(path)[\(index)]", isConfigured: true)
            note(issues)
            guard let execution else { continue }
            if !ids.insert(execution.id).inserted {
                errors.append(
                    DocumentIssue(
                        path: "\(path)[\(index)].id", message: "there is another execution '\(execution.id)'"))
                continue
            }
            let weight = execution.weight
            for name in execution.listensTo {
                weights[name, default: 0] += weight
                guard weights[name, default: 0] > Limits.weightPerCounter else { continue }
                errors.append(
                    DocumentIssue(
                        path: "\(path)[\(index)].listensTo",
                        message:
                            "the executions that listen to '\(name)' weigh more than \(Limits.weightPerCounter) together; "
                            + "let them listen to counters of their own, or ask less in their conditions"))
                return executions
            }
            executions.append(execution)
        }
        return executions
    }

    private mutating func note(_ issues: DocumentIssues) {
        errors += issues.errors.map { DocumentIssue(path: $0.path, message: $0.message) }
        warnings += issues.warnings.map { DocumentIssue(path: $0.path, message: $0.message) }
    }
}

extension CounterConfiguration {
    /// Writes `counters` and `executions` as the file has them.
    func writeMembers(to json: inout JSONWriter) {
        json.key("counters")
        json.beginObject()
        for counter in counters {
            json.key(counter.name.text)
            json.value(counter.document)
        }
        json.endObject()
        json.key("executions")
        json.beginArray()
        for execution in executions { json.value(execution.document) }
        json.endArray()
    }
}
