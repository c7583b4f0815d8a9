/// The shapes of `session.*`.
extension MethodShape {
    package static let sessionStart = MethodShape(
        "session.start", [.optional(.sessionUser), .optional(.app), .optional(.sessionMetadata)],
        result: StartedSession.members)

    package static let sessionEnd = MethodShape(
        "session.end", [.optional(.app), .optional(.sessionToEnd)], result: SessionResult.members)

    package static let sessionCurrent = MethodShape(
        "session.current", [.optional(.app)],
        result: CurrentSession.members)

    package static let sessionGet = MethodShape(
        "session.get", [.required(.session)],
        result: CountedSession.members)

    package static let sessionList = MethodShape(
        "session.list",
        [
            .optional(.onlyUser), .optional(.onlyApp), .optional(.onlyCurrent), .optional(.sessionOrder),
            .optional(.after), .optional(.sessionLimit), .optional(.onlyMachine), .optional(.onlyGroup),
        ],
        result: SessionPage.members)

    package static let sessionImport = MethodShape(
        "session.import", [.required(.exportedSession)],
        result: ImportedSession.members)
}

/// The order of a list.
package enum ListOrder: String, Sendable, CaseIterable {
    case asc, desc
}

extension Parameter<String> {
    package static var sessionUser: Parameter {
        Parameter("userId", .stringOrNull, "the user of the events; without it, anonymous")
    }
    package static var onlyUser: Parameter {
        Parameter("userId", .stringOrNull, "only this user's; null: only anonymous ones")
    }
    package static var onlyApp: Parameter { Parameter("app", .string, "only this application's") }
    package static var onlyMachine: Parameter {
        Parameter(
            "machine", .stringOrNull,
            "on a hub, only records of machines of this name; `*` stands for any characters; null: only the hub's own"
        )
    }
    package static var onlyGroup: Parameter {
        Parameter("group", .string, "on a hub, only records of machines of this group; `*` as in `machine`")
    }
    package static var after: Parameter {
        Parameter("after", .string, "go on after this cursor, the `next` of the page before")
    }
}

extension Parameter<Identifier> {
    package static var session: Parameter { Parameter("sessionId", .identifier, "which one") }
    package static var sessionToEnd: Parameter {
        Parameter("sessionId", .identifier, "end this session, if it is the current one of its app")
    }
}

extension Parameter<Bool> {
    package static var onlyCurrent: Parameter {
        Parameter("current", .bool, "true: only sessions that are the current one of their app")
    }
}

extension Parameter<ListOrder> {
    package static var sessionOrder: Parameter { Parameter("order", .word, "`asc` (default) or `desc`") }
}

extension Parameter<Int> {
    package static var sessionLimit: Parameter { Parameter("limit", .integer(in: 1...1_000), "sessions a page (100)") }
}

extension Parameter<JSONObject> {
    package static var sessionMetadata: Parameter {
        Parameter("metadata", .properties, "strings, numbers and bools to keep with the session; null is left out")
    }
    package static var exportedSession: Parameter {
        Parameter("session", .object, "the content of its `session.json`")
    }
}

extension Shape {
    package static let uid = Shape.integer(in: 0...Int64(UInt32.max))

    package static let session = SessionInfo.shape
}
