import HarkCore
import HarkDelivery
import HarkWire

/// What stands in several replies and notifications: records.
extension Shape {
    static let source = Shape.members([.always("uid", .uid), .always("pid", .integer)])

    static let event = Shape.named(
        "Event",
        .members([
            .always("id", .id), .always("seq", .count), .always("name", .string), .always("timestamp", .time),
            .always("sessionId", .id), .maybe("userId", .string, "unless anonymous"),
            .always("properties", .properties), .always("source", .source),
        ]))

    static let level = Shape.oneOf(LogEntry.Level.allCases.map(\.rawValue))

    static let logEntry = Shape.named(
        "LogEntry",
        .members([
            .always("id", .id), .always("seq", .count), .always("timestamp", .time), .always("sessionId", .id),
            .always("level", .level), .always("message", .string), .always("userId", .string, "whom it is about"),
            .always("metadata", .properties), .maybe("source", .source, "of log.list and log.subscribe"),
        ]))

    /// A record as a webhook gets it.
    static let record = Shape.named(
        "Record",
        .members([
            .always(
                "kind", .oneOf([.event, .sessionStarted, .sessionEnded, .log, .form, .profile].map(RecordJSON.word))),
            .always("app", .string), .maybe("event", .event), .maybe("seq", .count), .maybe("session", .session),
            .maybe("log", .logEntry), .maybe("form", .object), .maybe("profile", .object),
        ]))
}
