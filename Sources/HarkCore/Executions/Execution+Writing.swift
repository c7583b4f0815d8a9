package import HarkWire

extension Execution {
    /// The execution in the form that `Execution.read` reads.
    package var document: JSONValue {
        var object: JSONObject = [
            "id": .string(id.text),
            "listensTo": .array(listensTo.map { .string($0.text) }),
            "when": condition.document,
            "run": action.document,
            "keepAlive": .bool(keepAlive),
            "validateImmediately": .bool(validateImmediately),
        ]
        if let event { object["on"] = ["event": event.document] }
        if let app { object["app"] = .string(app) }
        return .object(object)
    }
}

extension Execution.Action {
    package var document: JSONValue {
        switch self {
        case .exec(let words, let timeout):
            ["exec": .array(words.map(JSONValue.string)), "timeoutSeconds": .int(Int64(timeout))]
        case .survey(let id): ["survey": .string(id)]
        case .notify: ["notify": true]
        }
    }

    /// - Returns: nil when the action is unknown to this version of the program.
    package init?(document: JSONValue) {
        if let words = document["exec"]?.arrayValue {
            let timeout = document["timeoutSeconds"]?.exactInteger ?? Int64(Execution.usualTimeoutSeconds)
            self = .exec(
                words.compactMap(\.stringValue),
                timeoutSeconds: Int(min(max(timeout, 1), Execution.longestTimeoutSeconds)))
        } else if let id = document["survey"]?.stringValue {
            self = .survey(id)
        } else if document["notify"] == true {
            self = .notify
        } else {
            return nil
        }
    }
}

extension EventPattern {
    package var document: JSONValue { ["name": .string(name), "where": condition.document] }
}

extension ExecutionDefinition {
    /// - Parameter showsProgram: Whether the reader is an administrator. Only administrators see the program's
    ///   arguments, because they may come from a file that only administrators can read.
    package init(_ execution: Execution, showsProgram: Bool = true) {
        self.init()
        id = execution.id.text
        listensTo = execution.listensTo.map(\.text)
        when = AnyJSON(execution.condition.document)
        run = ActionInfo(execution.action, showsProgram: showsProgram)
        keepAlive = execution.keepAlive
        validateImmediately = execution.validateImmediately
        on = execution.event.map { pattern in
            var event = ExecutedEvent()
            event.event.name = pattern.name
            event.event.condition = AnyJSON(pattern.condition.document)
            return event
        }
    }
}

extension ActionInfo {
    fileprivate init(_ action: Execution.Action, showsProgram: Bool) {
        self.init()
        switch action {
        case .exec(let words, let timeout):
            exec = showsProgram ? words : ["…"]
            timeoutSeconds = Int64(timeout)
        case .survey(let id): survey = id
        case .notify: notify = true
        }
    }
}

extension ExecutionCause {
    /// - Parameter tellsProperties: Whether the event has its properties, as in the input of the program.
    package init(_ run: ExecutionRun, tellsProperties: Bool = false) {
        self.init()
        counter = run.counter?.text
        if run.event == nil, let told = run.value { value = AnyJSON(told) }
        event = (tellsProperties ? run.event : run.event?.withoutDetails).map { AnyJSON(.object($0.members)) }
    }
}

extension ExecutionRunInfo {
    package init(_ run: ExecutionRun, tellsProperties: Bool = false) {
        self.init()
        runId = run.id
        executionId = run.key.id.text
        app = run.key.scope.app
        uid = Int64(run.key.scope.uid)
        cause = ExecutionCause(run, tellsProperties: tellsProperties)
        firedAt = run.firedAt
        state = run.state.word
        startedAt = run.startedAt
        endedAt = run.endedAt
        note = run.note
    }
}
