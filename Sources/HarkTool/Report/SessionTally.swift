import HarkClient
import HarkWire

/// Statistics of sessions by app: how many, how many users, and how long.
struct SessionTally {
    struct App {
        fileprivate(set) var sessions = 0
        fileprivate(set) var open = 0
        fileprivate var known: Set<String> = []
        /// The durations of ended sessions, in milliseconds.
        fileprivate var lengths: [Int64] = []

        var users: Int { known.count }

        /// The given percentile of durations in seconds, by nearest rank; nil if no session has ended.
        func seconds(percent: Int) -> Double? {
            guard !lengths.isEmpty else { return nil }
            let rank = (lengths.count * percent + 99) / 100
            return Double(lengths.sorted()[min(max(rank, 1), lengths.count) - 1]) / 1_000
        }

        fileprivate mutating func add(_ session: JSONText) {
            sessions += 1
            if let user = session.member("userId")?.string { known.insert(user) }
            guard let end = session.member("endedAt")?.string.flatMap({ Timestamp($0) }) else {
                open += 1
                return
            }
            let start = session.member("startedAt")?.string.flatMap { Timestamp($0) }
            if let start { lengths.append(max(0, end.milliseconds - start.milliseconds)) }
        }
    }

    private(set) var all = App()
    private(set) var apps: [String: App] = [:]
    /// Whether there are more sessions than were counted.
    private(set) var isCut = false

    /// The maximum number of sessions to read, newest first.
    static let most = 20_000

    /// Counts the sessions that began within a period.
    init(
        _ query: SessionPages, since: Timestamp?, until: Timestamp?, _ connection: inout Connection
    ) throws {
        var query = query
        query.newestFirst = true
        var tally = SessionTally()
        try query.visit(&connection) { session in
            guard let start = session.member("startedAt")?.string.flatMap({ Timestamp($0) }) else { return true }
            if let until, start >= until { return true }
            if let since, start < since { return false }
            guard tally.all.sessions < Self.most else {
                tally.isCut = true
                return false
            }
            tally.add(session)
            return true
        }
        self = tally
    }

    init() {}

    mutating func add(_ session: JSONText) {
        all.add(session)
        apps[session.member("app")?.string ?? "", default: App()].add(session)
    }
}
