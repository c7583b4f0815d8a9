/// The shapes of `execution.*`.
extension MethodShape {
    package static let executionAdd = MethodShape(
        "execution.add",
        [
            .required(.newExecution), .optional(.listensTo), .optional(.executedEvent), .optional(.condition),
            .required(.action),
            .optional(.keepAlive), .optional(.validateImmediately), .optional(.counterApp),
        ],
        result: AddedExecutionInfo.members)

    package static let executionRemove = MethodShape(
        "execution.remove", [.required(.execution), .optional(.counterApp)],
        result: [.always("removed", .bool, "true")])

    package static let executionList = MethodShape(
        "execution.list", [.optional(.onlyApp), .optional(.after), .optional(.executionLimit)],
        result: ExecutionPage.members)

    package static let executionSubscribe = MethodShape(
        "execution.subscribe", [.optional(.onlyApp)], result: [.subscription], notifications: [.executionFired])
}

extension NotificationShape {
    package static let executionFired = NotificationShape(
        "execution.fired", "An execution fired", params: ExecutionFired.members)
}

extension Parameter<String> {
    package static var newExecution: Parameter { Parameter("id", .string, "its name, 1 to 256 bytes") }
    package static var execution: Parameter { Parameter("id", .string, "which one") }
}

extension Parameter<[String]> {
    package static var listensTo: Parameter {
        Parameter("listensTo", .strings, "counters; without it, those that `when` names")
    }
}

extension Parameter<JSONValue> {
    package static var condition: Parameter {
        Parameter("when", .condition, "the condition; without it, it always holds")
    }
}

extension Parameter<JSONObject> {
    package static var action: Parameter { Parameter("run", .object(ActionInfo.shape), "what to do") }
    package static var executedEvent: Parameter {
        Parameter("on", .object(ExecutedEvent.shape), "an event to listen to, in place of counters")
    }
}

extension Parameter<Bool> {
    package static var keepAlive: Parameter { Parameter("keepAlive", .bool, "true: stays, to fire again") }
    package static var validateImmediately: Parameter {
        Parameter("validateImmediately", .bool, "true: look at once, too")
    }
}

extension Parameter<Int> {
    package static var executionLimit: Parameter {
        Parameter("limit", .integer(in: 1...1_000), "executions a page, and runs (100)")
    }
}
