import HarkClient
import HarkWire

/// The daemon's parameters for a list of records.
struct FeedQuery {
    let kind: RecordListKind
    let descending: Bool
    /// The exclusive bounds of record numbers.
    var after: Int64 = 0
    var before: Int64 = .max
    /// The members wanted of each record; nil for all.
    var members: [String]?
    private var since: Timestamp?
    private var until: Timestamp?
    private var name: String?
    private var level: String?
    private var app: String?
    private var session: String?
    private var user = UserChoice.unsaid
    private var origin = OriginFilter()

    /// The daemon's limit for names; a longer name does not exist.
    private static let nameBytes = 1...256

    /// Nil if no row can meet the conditions.
    init?(_ kind: RecordListKind, _ conditions: [ColumnCondition], descending: Bool) {
        self.kind = kind
        self.descending = descending
        for condition in conditions {
            if condition.value == .null, condition.comparison != .isNull { return nil }
            switch condition.filter {
            case .number: narrow(condition)
            case .time: if case .text(let text) = condition.value { narrow(condition.comparison, text) }
            case .machine, .group: guard origin.narrow(condition) else { return nil }
            default: guard narrowText(condition) else { return nil }
            }
        }
        if after >= before - 1 { return nil }
    }

    private mutating func narrow(_ condition: ColumnCondition) {
        let given: Int64
        switch condition.value {
        case .integer(let value): given = value
        // SQLite itself checks fractions.
        case .real(let value) where abs(value) < 1e15: given = Int64(value.rounded(.down))
        default: return
        }
        // Record numbers start at 1.
        let number = max(given, -1)
        let isExact = if case .integer = condition.value { true } else { false }
        switch condition.comparison {
        case .equal:
            after = max(after, number - 1)
            before = min(before, number == .max ? number : number + 1)
        case .greater: after = max(after, number)
        case .atLeast: after = max(after, number - 1)
        case .less: before = min(before, isExact || number == .max ? number : number + 1)
        case .atMost: before = min(before, number == .max ? number : number + 1)
        case .isNull, .glob: return
        }
    }

    private mutating func narrow(_ comparison: ColumnCondition.Comparison, _ text: String) {
        guard let time = TimeText.moment(text) else { return }
        switch comparison {
        case .equal:
            since = max(since ?? time, time)
            until = min(until ?? .latest, time.adding(milliseconds: 1))
        case .greater, .atLeast: since = max(since ?? time, time)
        case .less, .atMost: until = min(until ?? .latest, time.adding(milliseconds: 1))
        case .isNull, .glob: return
        }
        // The daemon's `until` is exclusive, and there is no time after the latest.
        if until == .latest { until = nil }
    }

    /// Returns false if no record can have this value.
    private mutating func narrowText(_ condition: ColumnCondition) -> Bool {
        if condition.filter == .user, condition.comparison == .isNull {
            user = .anonymous
            return true
        }
        guard case .text(let text) = condition.value else { return true }
        let isName = Self.nameBytes.contains(text.utf8.count)
        // SQLite takes a NUL for the end of a text, which the daemon does not.
        guard !text.utf8.contains(0) else { return true }
        switch condition.filter {
        case .name: if isName { name = text } else { return condition.comparison == .glob }
        case .user: if isName { user = .named(text) } else { return text.utf8.count > Self.nameBytes.upperBound }
        case .app: if isName { app = text } else { return text.utf8.count > Self.nameBytes.upperBound }
        case .session: if Identifier(text) != nil { session = text } else { return false }
        case .level: if LogLevel(rawValue: text) != nil { level = text } else { return false }
        case .number, .time, .survey, .id, .machine, .group: return true
        }
        return true
    }

    /// Returns the request for a page.
    func request(from place: Int64?, limit: Int64) -> any WireMethod {
        var page = descending ? RecordPaging.newest(limit, before: place) : .oldest(limit, after: place)
        (page.since, page.until) = (since, until)
        switch kind {
        case .events:
            var request = EventList(page)
            (request.filter.session, request.filter.user) = (session, user)
            (request.filter.app, request.filter.name) = (app, name)
            (request.machines, request.members) = (origin.choice, members)
            return request
        case .logs:
            var request = LogList(page)
            (request.filter.session, request.filter.user) = (session, user)
            (request.filter.app, request.filter.level) = (app, level)
            request.filter.machines = origin.choice
            return request
        }
    }
}
