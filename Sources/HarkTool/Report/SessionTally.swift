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

        fileprivate mutating func add(_ session: SessionInfo) {
            sessions += 1
            if let user = session.userId { known.insert(user) }
            guard let end = session.endedAt else {
                open += 1
                return
            }
            lengths.append(max(0, end.milliseconds - session.startedAt.milliseconds))
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
        try query.visit(&connection) { told in
            let session = SessionInfo(told)
            if let until, session.startedAt >= until { return true }
            if let since, session.startedAt < since { return false }
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

    mutating func add(_ session: SessionInfo) {
        all.add(session)
        apps[session.app, default: App()].add(session)
    }
}
