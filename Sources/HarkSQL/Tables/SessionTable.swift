import HarkClient
import HarkWire

extension LiveTable {
    static let sessions = LiveTable(
        name: "sessions", meaning: "sessions, one row each",
        columns: [
            Column("id", "TEXT", .member(0), "its id", filter: .id),
            Column("user", "TEXT", .member(1), "the user it is about; NULL: anonymous", filter: .user),
            Column("app", "TEXT", .member(2), "the application", filter: .app),
            Column("started", "TEXT", .time(4), "when it began, in UTC"),
            Column("ended", "TEXT", .time(5), "when it ended, in UTC; NULL: it is running"),
            Column("events", "INTEGER", .member(7), "how many events it has"),
            Column("metadata", "TEXT", .member(6), "its metadata, as JSON; each member is a column as well"),
            Column("uid", "INTEGER", .member(3), "the user of the machine"),
            .machine(.member(8)), .group(.member(9)),
        ],
        members: [
            "id", "userId", "app", "uid", "startedAt", "endedAt", "metadata", "eventCount", "machine", "group",
        ],
        properties: 6, identity: [0], number: nil,
        open: { feed, conditions, _ in
            guard let filters = ListFilters(conditions) else { return nil }
            if let id = filters.id {
                return SingleRow(try feed.sessions.session(id, feed))
            }
            return ListPages(feed, "sessions", filters.sessions)
        })
}

/// A single row, or none.
final class SingleRow: RowSource {
    private var row: JSONText?

    init(_ row: JSONText?) { self.row = row }

    func next() -> JSONText? {
        defer { row = nil }
        return row
    }
}

/// The filters for lists of sessions and presentations.
struct ListFilters {
    private(set) var id: Identifier?
    private(set) var app: String?
    private var user = UserChoice.unsaid
    private var survey: String?
    private var origin = OriginFilter()

    /// Nil if no row can meet the conditions.
    init?(_ conditions: [ColumnCondition]) {
        for condition in conditions {
            if condition.filter == .machine || condition.filter == .group {
                guard origin.narrow(condition) else { return nil }
                continue
            }
            if condition.comparison == .isNull {
                if condition.filter == .user { user = .anonymous }
                continue
            }
            if condition.value == .null { return nil }
            guard case .text(let text) = condition.value, !text.utf8.contains(0) else { continue }
            // The daemon refuses longer texts. No row has them, which SQLite finds out.
            guard (1...128).contains(text.utf8.count) else {
                if condition.filter == .app { return nil }
                continue
            }
            switch condition.filter {
            case .id:
                guard let identifier = Identifier(text) else { return nil }
                id = identifier
            case .app: app = text
            case .user: user = .named(text)
            case .survey: survey = text
            case .number, .name, .time, .session, .level, .machine, .group: break
            }
        }
    }

    var sessions: SessionList {
        var request = SessionList()
        (request.user, request.app, request.machines) = (user, app, origin.choice)
        request.limit = ListPages.size
        return request
    }

    var presentations: SurveyHistory {
        var request = SurveyHistory()
        (request.user, request.app, request.surveyId, request.machines) = (user, app, survey, origin.choice)
        request.limit = ListPages.size
        return request
    }
}
