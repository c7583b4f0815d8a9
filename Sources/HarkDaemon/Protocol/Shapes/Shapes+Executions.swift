import HarkCore
import HarkWire

/// What executions have in replies.
extension Shape {
    static let action = Shape.named(
        "Action",
        .either([
            .members([.always("exec", .strings), .maybe("timeoutSeconds", .integer(in: 1 ... .max))]),
            .members([.always("survey", .string)]), .members([.always("notify", .bool)]),
        ]))

    /// What was given of an execution.
    static let executionDocument: [Member] = [
        .always("id", .string), .always("listensTo", .strings), .always("when", .object), .always("run", .action),
        .always("keepAlive", .bool), .always("validateImmediately", .bool),
    ]

    static let execution = Shape.named(
        "Execution",
        .members(
            executionDocument + [
                .always("app", .orNull(.string), "null: one of harkd.json that is for all apps"),
                .always("uid", .orNull(.uid), "null: one of harkd.json"),
                .always("configured", .bool, "it stands in harkd.json"), .always("addedAt", .orNull(.time)),
                .always("fired", .count), .always("lastFiredAt", .orNull(.time)),
                .always("pending", .count, "runs that wait or are under way"), .always("dropped", .count),
            ]))

    static let runState = Shape.oneOf(ExecutionRun.State.allCases.map(\.word))

    static let executionRun = Shape.named(
        "ExecutionRun",
        .members([
            .always("runId", .id), .always("executionId", .string), .always("app", .string), .always("uid", .uid),
            .always("counter", .orNull(.string)), .always("value", .any, "what made it fire"),
            .always("firedAt", .time), .always("state", .runState), .maybe("startedAt", .time),
            .maybe("endedAt", .time), .maybe("note", .string),
        ]))
}
