internal import HarkCore
internal import HarkWire

/// Finds sessions that a removal or a policy covers and that are not marked as removed yet.
final class DoomedSessions {
    private let database: Database
    /// The queries for one user, run at every start of a session.
    private lazy var oldOfUser = DeferredStatement(database, DoomedSessions.old + DoomedSessions.ofUser)
    private lazy var surplusOfUser = DeferredStatement(
        database, DoomedSessions.surplus + DoomedSessions.ofUser + DoomedSessions.newestFirst)

    init(_ database: Database) { self.database = database }

    /// The sessions that may be removed. Excluded are current sessions, today's sessions for entries, sessions of surveys on
    /// screen, and open sessions of machines with recent records.
    private static let removable = """
        removed = 0 AND row NOT IN (SELECT session FROM current)
        AND id NOT IN (SELECT session FROM presentation WHERE state = 2 AND ownsSession)
        AND (implicit < 2 OR started < ?1)
        AND CASE WHEN machineUid IS NULL OR ended IS NOT NULL THEN 1 ELSE ?1 > coalesce(
            (SELECT latest FROM newest WHERE newest.session = session.row),
            (SELECT latest FROM block WHERE first =
                (SELECT max(first) FROM session_block WHERE session_block.session = session.row)), started) END
        """
    /// A session never ends before it starts, so a search by start finds them without a scan.
    private static let old =
        "\(newest) SELECT row FROM session WHERE started < ?4 AND coalesce(ended, started) < ?4 AND \(removable)"
    private static let surplus =
        "\(newest) SELECT row, uid, user, \(removable) FROM session WHERE removed = 0 AND implicit < 2"
    /// The latest record per session among the newest blocks, materialised so that they are scanned once, and only if
    /// needed: SQLite skips an unused branch of CASE, but evaluates both sides of AND in a column.
    private static let newest = """
        WITH newest(session, latest) AS MATERIALIZED
            (SELECT session, max(latest) FROM block WHERE \(SessionIndex.isNewest) GROUP BY session)
        """
    private static let ofUser = " AND uid = ?2 AND user IS ?3"
    /// The index order, descending.
    private static let newestFirst = " ORDER BY uid DESC, user DESC, started DESC, row DESC"

    /// The rows of at most `limit` sessions covered by a selection.
    func rows(of selection: Selection, limit: Int) throws(StoreError) -> [Int64] {
        let statement = SessionWriter.bind(
            selection,
            to: try database.prepare(
                "SELECT row FROM session WHERE \(SessionWriter.condition(selection)) LIMIT \(limit)"))
        return try statement.all { $0.integer(0) }
    }

    struct Found {
        /// The rows by the rule that removes them.
        var rows: [RetentionRule: [Int64]] = [:]
        private(set) var count = 0
        /// The user's number of sessions, if all sessions of one user were counted.
        var live: Int?
        /// How far the store will still exceed its limit once these are removed, in bytes.
        var excess: Int64 = 0

        var all: [Int64] { rows.values.flatMap { $0 } }

        mutating func add(_ row: Int64, _ rule: RetentionRule) {
            rows[rule, default: []].append(row)
            count += 1
        }
    }

    /// The rows of at most `limit` sessions that a policy no longer keeps, the oldest of each rule first.
    ///
    /// - Parameter isCounted: false if no user can have too many sessions.
    func rows(
        beyond policy: RetentionPolicy, of scope: RetentionScope, now: Timestamp, limit: Int, isCounted: Bool = true
    ) throws(StoreError) -> Found {
        let entriesBefore = now.milliseconds - Engine.logSessionGraceMilliseconds
        var found = Found()
        if let cutoff = policy.cutoff(now: now) {
            let statement = try prepare(DoomedSessions.old, oldOfUser, scope).bind(1, entriesBefore)
            defer { statement.reset() }
            statement.bind(4, cutoff.milliseconds)
            while found.count < limit, try statement.step() { found.add(statement.integer(0), .age) }
        }
        if let most = policy.maxSessionsPerUser, isCounted {
            try addSurplus(over: most, of: scope, entriesBefore, limit: limit, to: &found)
        }
        if let cap = policy.maxStoreBytes {
            try addOldest(over: cap, of: scope, entriesBefore, limit: limit, to: &found)
        }
        return found
    }

    private func prepare(
        _ sql: String, _ ofUser: DeferredStatement, _ scope: RetentionScope, _ rest: String = ""
    ) throws(StoreError) -> Statement {
        switch scope {
        case .everybody: return try database.prepare(sql + rest)
        case .uid(let uid): return try database.prepare("\(sql) AND uid = ?2\(rest)").bind(2, Int64(uid))
        case .user(let uid, let userId): return try ofUser().bind(2, Int64(uid)).bind(3, userId)
        }
    }

    /// Adds the sessions of each user beyond the newest ones allowed.
    private func addSurplus(
        over most: Int, of scope: RetentionScope, _ entriesBefore: Int64, limit: Int, to found: inout Found
    ) throws(StoreError) {
        let known = Set(found.all)
        let statement = try prepare(DoomedSessions.surplus, surplusOfUser, scope, DoomedSessions.newestFirst)
            .bind(1, entriesBefore)
        defer { statement.reset() }
        var user: (uid: Int64, id: String?)?
        var count = 0
        while found.count < limit, try statement.step() {
            let next = (uid: statement.integer(1), id: statement.text(2))
            if let last = user, last.uid == next.uid, last.id.hasSameBytes(as: next.id) {} else { count = 0 }
            user = next
            let row = statement.integer(0)
            if known.contains(row) { continue }
            count += 1
            if count > most, statement.integer(3) != 0 { found.add(row, .count) }
        }
        // The count is only valid after a complete pass.
        if case .user = scope, found.count < limit { found.live = count + known.count }
    }

    /// Adds the oldest sessions that must go so that the rest fits the size limit.
    private func addOldest(
        over cap: Int64, of scope: RetentionScope, _ entriesBefore: Int64, limit: Int, to found: inout Found
    ) throws(StoreError) {
        let used = try database.integer(
            """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """)
        guard (used ?? 0) > cap else { return }
        let leaving = try database.integer(
            """
            SELECT sum(length(data)) FROM block WHERE first IN
                (SELECT first FROM block_of_session WHERE session IN (SELECT row FROM session WHERE \(Schema.isRemoved)))
            """)
        var excess = (used ?? 0) - (leaving ?? 0) - cap
        guard excess > 0 else { return }
        let sizes = try SessionSums.bytes(database)
        let known = Set(found.all)
        for row in known { excess -= Int64(try sizes.of(row)) }
        let sessions = try database.prepare(
            "\(DoomedSessions.newest) SELECT row, uid, user FROM session WHERE \(DoomedSessions.removable) ORDER BY row"
        ).bind(1, entriesBefore)
        while excess > 0, found.count < limit, try sessions.step() {
            let row = sessions.integer(0)
            if known.contains(row) { continue }
            excess -= Int64(try sizes.of(row))
            // A call for one user's sessions does not remove those of others.
            let isMeant =
                switch scope {
                case .everybody: true
                case .uid(let uid): sessions.integer(1) == Int64(uid)
                case .user(let uid, let userId):
                    sessions.integer(1) == Int64(uid) && sessions.text(2).hasSameBytes(as: userId)
                }
            if isMeant { found.add(row, .size) }
        }
        found.excess = max(0, excess)
    }
}

/// How many more sessions a user may start before a policy's limit is reached: until then nothing needs to be counted.
struct SessionRoom {
    private struct User: Hashable {
        let uid: UInt32
        let userId: ExactName?

        init(_ uid: UInt32, _ userId: String?) {
            self.uid = uid
            self.userId = userId.map(ExactName.init)
        }
    }

    private var room = Cache<User, (most: Int, left: Int)>(capacity: 4_096)

    /// Notes a new session.
    mutating func take(_ identity: SessionIdentity) {
        room.adjust(User(identity.scope.uid, identity.userId)) { $0.left -= 1 }
    }

    mutating func isEnough(for policy: RetentionPolicy, _ scope: RetentionScope) -> Bool {
        guard case .user(let uid, let userId) = scope else { return false }
        let user = User(uid, userId)
        guard room.use(user), let known = room[user] else { return false }
        return known.most == policy.maxSessionsPerUser && known.left >= 0
    }

    mutating func note(_ live: Int?, for policy: RetentionPolicy, _ scope: RetentionScope) {
        guard case .user(let uid, let userId) = scope, let live, let most = policy.maxSessionsPerUser else { return }
        let user = User(uid, userId)
        room.admit(user, (most, most - live))
        room.adjust(user) { $0 = (most, most - live) }
    }
}
