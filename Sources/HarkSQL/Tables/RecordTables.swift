import HarkClient
import HarkWire

extension LiveTable {
    static let events = LiveTable(
        name: "events", meaning: "events, one row each",
        columns: [
            Column("seq", "INTEGER", .member(1), "its number, ascending over the whole store", filter: .number),
            Column("time", "TEXT", .time(3), "when it happened, in UTC", filter: .time),
            Column("name", "TEXT", .member(2), "what happened", filter: .name),
            Column("user", "TEXT", .member(5), "the user it is about; NULL: no particular user", filter: .user),
            Column("app", "TEXT", .appOfSession(4), "which application recorded it", filter: .app),
            Column("session", "TEXT", .member(4), "the id of the session it belongs to", filter: .session),
            Column("properties", "TEXT", .member(6), "its properties, as JSON; each is a column as well"),
            Column("id", "TEXT", .member(0), "its id"),
            Column("uid", "INTEGER", .nested(7, "uid"), "the user of the machine who recorded it"),
            Column("pid", "INTEGER", .nested(7, "pid"), "the process that recorded it"),
            .machine(.nested(8, "machine")), .group(.nested(8, "group")),
        ],
        members: ["id", "seq", "name", "timestamp", "sessionId", "userId", "properties", "source", "origin"],
        properties: 6, identity: [1], number: 0,
        open: records(of: .events))

    static let logs = LiveTable(
        name: "logs", meaning: "log entries, one row each",
        columns: [
            Column("seq", "INTEGER", .member(1), "its number, ascending over the whole store", filter: .number),
            Column("time", "TEXT", .time(2), "when it was, in UTC", filter: .time),
            Column("level", "TEXT", .member(4), "info, warning, error or messages", filter: .level),
            Column("message", "TEXT", .member(5), "what it says"),
            Column("user", "TEXT", .member(6), "the user it is about"),
            Column("app", "TEXT", .appOfSession(3), "the application of its session", filter: .app),
            Column("session", "TEXT", .member(3), "the id of its session", filter: .session),
            Column("metadata", "TEXT", .member(7), "its metadata, as JSON; each member is a column as well"),
            Column("id", "TEXT", .member(0), "its id"),
            Column("uid", "INTEGER", .nested(8, "uid"), "the user of the machine who wrote it"),
            Column("pid", "INTEGER", .nested(8, "pid"), "the process that wrote it"),
            .machine(.nested(9, "machine")), .group(.nested(9, "group")),
        ],
        members: [
            "id", "seq", "timestamp", "sessionId", "level", "message", "userId", "metadata", "source", "origin",
        ],
        properties: 7, identity: [1], number: 0,
        open: records(of: .logs))

    private static func records(
        of kind: RecordListKind
    ) -> @Sendable (Feed, [ColumnCondition], Wanted) throws -> (any RowSource)? {
        { feed, conditions, wanted in
            guard var query = FeedQuery(kind, conditions, descending: wanted.descending) else { return nil }
            if kind == .events { query.members = wanted.members.map { "\(events.members[$0])" } }
            return try FeedPages(feed, query)
        }
    }
}
