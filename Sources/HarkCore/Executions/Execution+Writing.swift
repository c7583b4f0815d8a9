package import HarkWire

extension Execution {
    /// The execution as `Execution.read` reads it.
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

    /// The execution as replies show it. Only administrators see the program's arguments, as they may come from a file
    /// that only administrators can read.
    ///
    /// - Parameter showsProgram: whether the reader is an administrator.
    package func document(showsProgram: Bool) -> JSONObject {
        var document = document.objectValue ?? JSONObject()
        if case .exec = action, !showsProgram, var run = document["run"]?.objectValue {
            run["exec"] = ["…"]
            document["run"] = .object(run)
        }
        return document
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

extension ExecutionRun {
    /// Writes what made the execution fire: `counter` and `value`, and the `event`, without its properties unless they are
    /// asked for.
    package func writeCause(withProperties: Bool = false, to json: inout JSONWriter) {
        json.key("counter")
        json.value(counter.map { .string($0.text) } ?? .null)
        json.key("value")
        json.value(event == nil ? value ?? .null : .null)
        if let event = withProperties ? event : event?.withoutDetails {
            json.key("event")
            json.object(event.members)
        }
    }

    /// Writes the run as in replies.
    ///
    /// - Parameter tellsProperties: whether to write the properties of its event, as the program is told of it.
    package func write(tellsProperties: Bool = false, to json: inout JSONWriter) {
        json.beginObject()
        json.key("runId")
        json.identifier(id)
        json.key("executionId")
        json.string(key.id.text)
        json.key("app")
        json.string(key.scope.app)
        json.key("uid")
        json.int(Int(key.scope.uid))
        writeCause(withProperties: tellsProperties, to: &json)
        json.key("firedAt")
        json.timestamp(firedAt)
        json.key("state")
        json.string(state.word)
        if let startedAt {
            json.key("startedAt")
            json.timestamp(startedAt)
        }
        if let endedAt {
            json.key("endedAt")
            json.timestamp(endedAt)
        }
        if let note {
            json.key("note")
            json.string(note)
        }
        json.endObject()
    }
}
