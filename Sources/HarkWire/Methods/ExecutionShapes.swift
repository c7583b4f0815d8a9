/// The shapes of `execution.*`.
extension MethodShape {
    package static let executionAdd = MethodShape(
        "execution.add",
        [
            .required(.newExecution), .optional(.listensTo), .optional(.executedEvent), .optional(.condition),
            .required(.action),
            .optional(.keepAlive), .optional(.validateImmediately), .optional(.counterApp),
        ],
        result: [
            .always(
                "execution", .execution,
                "what was given, and `app`, `uid`, `configured` (it stands in harkd.json), `addedAt`, `fired` (how "
                    + "often), `lastFiredAt`, `pending` (runs that wait or are under way), `dropped`"),
            .always("replaced", .bool, "whether there was one with this id"),
            .always("fired", .bool, "whether it was validated immediately and fired"),
        ])

    package static let executionRemove = MethodShape(
        "execution.remove", [.required(.execution), .optional(.counterApp)],
        result: [.always("removed", .bool, "true")])

    package static let executionList = MethodShape(
        "execution.list", [.optional(.onlyApp), .optional(.after), .optional(.executionLimit)],
        result: [
            .always("executions", .array(.execution), "each as in [execution.add](#executionadd)"),
            .always(
                "runs", .array(.executionRun),
                "each with `runId`, `executionId`, `app`, `uid`, `counter` and `value` or `event` (what made it fire), "
                    + "`firedAt`, `state`, `startedAt`, `endedAt`, `note`"),
            .next,
        ])

    package static let executionSubscribe = MethodShape(
        "execution.subscribe", [.optional(.onlyApp)], result: [.subscription], notifications: [.executionFired])
}

extension NotificationShape {
    package static let executionFired = NotificationShape(
        "execution.fired", "An execution fired",
        params: [
            .always("execution", .members(Shape.executionDocument + [.maybe("app", .string)])),
            .always("app", .string), .always("uid", .uid),
            .always("counter", .orNull(.string), "null: an event, or it was validated immediately"),
            .always("value", .any), .firedBy,
            .always("at", .time), .always("runId", .id), .always("state", .runState),
        ])
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
    package static var action: Parameter { Parameter("run", .object(.action), "what to do") }
    package static var executedEvent: Parameter {
        Parameter("on", .object(.executedEvent), "an event to listen to, in place of counters")
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

extension Shape.Member {
    fileprivate static let firedBy = maybe(
        "event", .members([.always("name", .string), .always("seq", .count)]), "the event that made it fire")
}

extension Shape {
    fileprivate static let action = Shape.named(
        "Action",
        .either([
            .members([.always("exec", .strings), .maybe("timeoutSeconds", .integer(in: 1 ... .max))]),
            .members([.always("survey", .string)]), .members([.always("notify", .bool)]),
        ]))

    /// An execution as it was defined.
    fileprivate static let executionDocument: [Member] = [
        .always("id", .string), .always("listensTo", .strings), .always("when", .object), .always("run", .action),
        .always("keepAlive", .bool), .always("validateImmediately", .bool), .maybe("on", .executedEvent),
    ]

    fileprivate static let executedEvent = Shape.members([
        .always(
            "event",
            .members([
                .always("name", .string), .maybe("properties", .object), .maybe("where", .either([.string, .object])),
            ]))
    ])

    fileprivate static let execution = Shape.named(
        "Execution",
        .members(
            executionDocument + [
                .always("app", .orNull(.string), "null: one of harkd.json that is for all apps"),
                .always("uid", .orNull(.uid), "null: one of harkd.json"),
                .always("configured", .bool, "it stands in harkd.json"), .always("addedAt", .orNull(.time)),
                .always("fired", .count), .always("lastFiredAt", .orNull(.time)),
                .always("pending", .count, "runs that wait or are under way"), .always("dropped", .count),
            ]))

    fileprivate static let runState = Shape.oneOf(ExecutionRunState.allCases.map(\.word))

    fileprivate static let executionRun = Shape.named(
        "ExecutionRun",
        .members([
            .always("runId", .id), .always("executionId", .string), .always("app", .string), .always("uid", .uid),
            .always("counter", .orNull(.string)), .always("value", .any, "what made it fire"), .firedBy,
            .always("firedAt", .time), .always("state", .runState), .maybe("startedAt", .time),
            .maybe("endedAt", .time), .maybe("note", .string),
        ]))
}
