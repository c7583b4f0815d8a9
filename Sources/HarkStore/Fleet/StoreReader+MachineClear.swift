package import HarkCore
package import HarkWire

/// A clear on a machine, as a hub searches for its data.
package struct MachineClear: Sendable {
    /// The hub's name for the machine.
    package let name: String
    package let log: Identifier
    /// The uid on the machine whose sessions were cleared; nil for all users.
    package let uid: UInt32?
    package let target: ClearNotice.Target
    /// The session that holds the machine's notice, by its id there; later sessions are not covered.
    package let told: Identifier

    package init(name: String, log: Identifier, uid: UInt32?, target: ClearNotice.Target, told: Identifier) {
        self.name = name
        self.log = log
        self.uid = uid
        self.target = target
        self.told = told
    }
}

/// A clear on a machine whose data is still on the hub.
package struct WaitingClear: Sendable {
    /// The hub's name for the machine.
    package let machine: String
    package let notice: ClearNotice
    /// The user cleared, if the clear covers one user.
    package let userId: String?
    /// The number of its sessions that are still here, at most a thousand.
    package let sessions: Int
    package let at: Timestamp
}

extension StoreReader {
    /// Recent clears on machines whose data is still here, newest first.
    package func waitingClears(looking most: Int = 200) throws(StoreError) -> [WaitingClear] {
        var query = RecordQuery(limit: most)
        query.kinds = .clear
        query.descending = true
        var waiting: [WaitingClear] = []
        for record in try records(query, maxBytes: 1 << 20).records {
            guard let machine = record.session.machine, let notice = ClearNotice(record) else { continue }
            let clear = MachineClear(
                name: machine.name, log: machine.log, uid: notice.uid, target: notice.target, told: record.session.id)
            let count = try sessions(of: clear, limit: 1_000).count
            guard count > 0 else { continue }
            let user: String? =
                switch notice.target {
                case .all, .session: nil
                case .user(let userId): userId
                case .hashedUser(let hash): try self.user(of: clear, hash)
                }
            waiting.append(
                WaitingClear(machine: machine.name, notice: notice, userId: user, sessions: count, at: record.at))
        }
        return waiting
    }

    /// The rows of at most `limit` sessions covered by a clear on a machine; none if the session with its notice is
    /// gone.
    package func sessions(of clear: MachineClear, limit: Int) throws(StoreError) -> [Int64] {
        var condition = ""
        if case .session = clear.target { condition = "AND s.id = ?5" }
        var user: String?
        switch clear.target {
        case .all, .session: break
        case .user(let userId): (user, condition) = (userId, "AND s.user IS ?5")
        case .hashedUser(let hash):
            guard let known = try self.user(of: clear, hash) else { return [] }
            (user, condition) = (known, "AND s.user IS ?5")
        }
        let statement = try prepare("s.row", clear, condition, limit)
        defer { statement.reset() }
        if case .session(let id) = clear.target {
            statement.bind(5, id.rawBytes)
        } else if !condition.isEmpty {
            statement.bind(5, user)
        }
        return try statement.all { $0.integer(0) }
    }

    /// The rows of at most `limit` closed showings covered by a clear on a machine. Showings outlive their sessions.
    /// Without its session a showing's account is unknown, so a clear of one account leaves it; showings that closed
    /// after the notice are not covered.
    package func showings(of clear: MachineClear, limit: Int) throws(StoreError) -> [Int64] {
        var condition = ""
        var user: String?
        switch clear.target {
        case .all: break
        case .session: condition = "AND s.id = ?5"
        case .user(let userId): (user, condition) = (userId ?? "", "AND p.user = ?5")
        case .hashedUser(let hash):
            guard let known = try self.user(of: clear, hash) else { return [] }
            (user, condition) = (known, "AND p.user = ?5")
        }
        if clear.uid != nil { condition += " AND s.machineUid = ?4" }
        let statement = try database.prepare(
            """
            SELECT p.row FROM machine m JOIN presentation p ON p.uid = m.row + \(MachineIdentity.firstUID)
            JOIN session t ON t.id = ?3
            LEFT JOIN session s ON s.id = coalesce(p.session, p.origin)
            WHERE m.name = ?1 AND m.log = ?2 AND p.state >= 3 AND coalesce(s.row < t.row, p.closed <= t.started)
                \(condition) LIMIT \(limit)
            """
        ).bind(1, clear.name).bind(2, clear.log.rawBytes).bind(3, clear.told.rawBytes)
        if let uid = clear.uid { statement.bind(4, Int64(uid)) }
        if case .session(let id) = clear.target {
            statement.bind(5, id.rawBytes)
        } else if let user {
            statement.bind(5, user)
        }
        return try statement.all { $0.integer(0) }
    }

    /// The user behind the hash in a clear, searched among the users of that machine's sessions and showings here; nil
    /// if there is none.
    package func user(of clear: MachineClear, _ hash: KeyedHash) throws(StoreError) -> String? {
        let ofSessions = try prepare("DISTINCT s.user", clear, "AND s.user IS NOT NULL")
        let ofShowings = try database.prepare(
            """
            SELECT DISTINCT p.user FROM machine m JOIN presentation p ON p.uid = m.row + \(MachineIdentity.firstUID)
            WHERE m.name = ?1 AND m.log = ?2 AND p.user <> ''
            """
        ).bind(1, clear.name).bind(2, clear.log.rawBytes)
        for statement in [ofSessions, ofShowings] {
            defer { statement.reset() }
            while try statement.step() {
                if let user = statement.text(0), KeyedHash(of: user, key: clear.told) == hash { return user }
            }
        }
        return nil
    }

    /// A query for the machine's sessions that existed at the time of the notice.
    private func prepare(
        _ columns: String, _ clear: MachineClear, _ condition: String, _ limit: Int = -1
    ) throws(StoreError) -> Statement {
        let statement = try database.prepare(
            """
            SELECT \(columns) FROM machine m JOIN session s ON s.uid = m.row + \(MachineIdentity.firstUID)
            WHERE s.removed = 0 AND s.implicit < 3 AND m.name = ?1 AND m.log = ?2
                AND s.row < (SELECT t.row FROM session t WHERE t.id = ?3) \(clear.uid == nil ? "" : "AND s.machineUid = ?4")
                \(condition) LIMIT \(limit)
            """
        ).bind(1, clear.name).bind(2, clear.log.rawBytes).bind(3, clear.told.rawBytes)
        if let uid = clear.uid { statement.bind(4, Int64(uid)) }
        return statement
    }
}
