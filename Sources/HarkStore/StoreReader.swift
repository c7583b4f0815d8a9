package import HarkCore
package import HarkWire

/// Reads committed state. A reader belongs to one thread.
package final class StoreReader {
    let database: Database
    let unreadable: DamageNotes
    private lazy var currentSession = DeferredStatement(
        database,
        """
        SELECT \(StoreReader.sessionColumns) FROM current c JOIN session s ON s.row = c.session
        WHERE c.uid = ? AND c.app = ? AND s.removed = 0
        """)
    private lazy var sessionByRow = DeferredStatement(
        database, "SELECT \(StoreReader.sessionColumns) FROM session s WHERE s.row = ? AND s.removed = 0")
    private lazy var sessionById = DeferredStatement(
        database, "SELECT \(StoreReader.sessionColumns), s.removed FROM session s WHERE s.id = ?")
    let surveys: SurveyReader
    let forms: FormReader
    let counters: CounterReader
    let machines: MachineReader
    let holdings: [Holding: [String]]

    static let sessionColumns =
        "s.row, s.id, s.uid, s.app, s.user, s.started, s.ended, s.implicit, s.metadata, "
        + "s.machineUid, s.machineSession"
    /// The index of the first column after these.
    static let columnsOfSession: Int32 = 11

    /// - Parameter unreadable: collects rows that cannot be read.
    init(
        path: String, unreadable: UnreadableRows = UnreadableRows(), families: [StoreFamily] = StoreFamily.all
    ) throws(StoreError) {
        let unreadable = DamageNotes(unreadable)
        self.unreadable = unreadable
        holdings = Dictionary(families.flatMap(\.holdings)) { $1 }
        database = try Database(path: path, access: .read)
        try database.execute("PRAGMA cache_size = -1024")
        machines = MachineReader(database)
        surveys = SurveyReader(database, unreadable, machines)
        forms = FormReader(database, unreadable)
        counters = CounterReader(database, unreadable)
    }

    /// The last numbers used, by any writer.
    package func watermark() throws(StoreError) -> Engine.Watermark { try database.watermark() }

    package func currentSession(of scope: Scope) throws(StoreError) -> Session? {
        // An unreadable session counts as none: another one begins.
        try currentSession().bind(1, Int64(scope.uid)).bind(2, scope.placeName)
            .first { row throws(StoreError) in try listed(in: row) }
    }

    package func session(row: Int64) throws(StoreError) -> Session? {
        try sessionByRow().bind(1, row).first { row throws(StoreError) in try session(in: row) }
    }

    package func session(id: Identifier) throws(StoreError) -> Session? {
        if case .session(let session) = try holder(ofSessionId: id) { session } else { nil }
    }

    /// The holder of a session id, in one query: the id of a session being removed may be free a moment later.
    package func holder(ofSessionId id: Identifier) throws(StoreError) -> SessionIdHolder {
        let sessionById = try sessionById().bind(1, id.rawBytes)
        defer { sessionById.reset() }
        guard try sessionById.step() else { return .nobody }
        let isThere = sessionById.integer(StoreReader.columnsOfSession) == 0
        return isThere ? .session(try session(in: sessionById)) : .removed
    }

    package enum SessionIdHolder: Sendable {
        case nobody
        case session(Session)
        /// A session that is marked as removed and not deleted yet.
        case removed
    }

    /// The number of events in a session.
    package func eventCount(ofSession row: Int64) throws(StoreError) -> Int {
        try database.prepare("SELECT sum(events) FROM block_of_session WHERE session = ?").bind(1, row)
            .first { $0.tally(0) } ?? 0
    }

    /// A session of a list; nil if it cannot be read, which is noted.
    func listed(in statement: Statement) throws(StoreError) -> Session? {
        let row = statement.integer(0)
        return try unreadable.passOver(.sessions, [.number(row)]) { () throws(StoreError) in try session(in: statement)
        }
    }

    func session(in statement: Statement) throws(StoreError) -> Session {
        try StoreReader.session(in: statement, machines, unreadable)
    }

    static func session(
        in statement: Statement, _ machines: MachineReader, _ notes: DamageNotes
    ) throws(StoreError) -> Session {
        guard let id = statement.withBytes(1, { Identifier(raw: $0) }), (0...3).contains(statement.integer(7)),
            let app = statement.wholeText(3), statement.isNull(4) || statement.wholeText(4) != nil
        else { throw StoreError(.damaged, "a session in the store cannot be read") }
        var metadata = Properties(bytes: statement.bytes(8))
        if !metadata.isWhole {
            // Keeps the rest of the session, which its records need.
            notes.note(.metadata, [.number(statement.integer(0)), .bytes(statement.bytes(8))])
            metadata = .none
        }
        let uid = try statement.uid(2)
        var machine: MachineIdentity?
        var machineUID: UInt32?
        var machineSession: Identifier?
        if !statement.isNull(9) {
            machine = try machines.machine(uid: uid)
            machineUID = try statement.uid(9)
            if !statement.isNull(10) { machineSession = statement.withBytes(10) { Identifier(raw: $0) } }
        }
        let identity = SessionIdentity(
            row: statement.integer(0), id: id, scope: Scope(uid: uid, app: app),
            userId: statement.text(4), startedAt: statement.timestamp(5),
            metadata: metadata, isImplicit: statement.integer(7) != 0,
            isForLogs: statement.integer(7) >= 2, outlastsClears: statement.integer(7) == 3, machine: machine,
            machineUID: machineUID, machineSession: machineSession)
        return Session(identity, endedAt: statement.time(6))
    }

    /// The damage met since the last call.
    package func takeMetDamage() -> MetDamage? { unreadable.take() }

    /// Sessions that are marked as removed and not deleted yet.
    package func removedSessions(limit: Int) throws(StoreError) -> [SessionIdentity] {
        let statement = try database.prepare(
            "SELECT \(StoreReader.sessionColumns) FROM session s WHERE \(Schema.isRemoved) LIMIT ?"
        ).bind(1, Int64(limit))
        return try statement.all { row throws(StoreError) in try listed(in: row)?.identity }
    }

    /// Sizes and totals. Scans the entries of all blocks: a few tens of milliseconds for a million single events.
    package func totals() throws(StoreError) -> Totals {
        Totals(
            events: Int(try database.integer("SELECT sum(events) FROM block_of_session") ?? 0),
            sessions: Int(try database.integer("SELECT count(*) FROM session WHERE removed = 0 AND implicit < 2") ?? 0),
            freePages: Int(try database.integer("PRAGMA freelist_count") ?? 0),
            removedByRule: try RuleRemovals.read(database))
    }

    package struct Totals: Sendable {
        package let events: Int
        package let sessions: Int
        package let freePages: Int
        /// The counts removed by retention since the store was created.
        package let removedByRule: [RetentionRule: CommitReport.Marked]
    }
}

extension ReadTable {
    /// Deletes the metadata alone.
    fileprivate static let metadata = ReadTable(
        kind: "the metadata of a session", deletion: "UPDATE session SET metadata = x'' WHERE row = ? AND metadata = ?")
    /// Keeps a session that has records until they are removed.
    fileprivate static let sessions = ReadTable(
        kind: "a session",
        deletion: """
            DELETE FROM session WHERE row = ?1 AND NOT EXISTS (SELECT 1 FROM block_of_session WHERE session = ?1)
            """)
}
