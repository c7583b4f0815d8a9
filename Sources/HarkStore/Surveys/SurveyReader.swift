internal import HarkCore
internal import HarkWire

/// Reads stored data of surveys. Lives with a `StoreReader`.
final class SurveyReader {
    private lazy var openOfUser = DeferredStatement(
        database, "\(PresentationTable.selection) WHERE state < 3 AND uid = ? AND user = ? ORDER BY row")
    private lazy var gatingOfUser = DeferredStatement(database, "\(GatingTable.selection) WHERE uid = ? AND user = ?")
    private lazy var enrolmentsOfUser = DeferredStatement(
        database, "\(EnrolmentTable.selection) WHERE uid = ? AND user = ?")
    private lazy var eventTimesOfUser = DeferredStatement(
        database, "\(EventTimesTable.selection) WHERE uid = ? AND user = ?")
    private lazy var firstSession = DeferredStatement(database, SurveyReader.firstSession)
    private lazy var byId = DeferredStatement(database, "\(PresentationTable.selection) WHERE id = ?")
    private lazy var byPrompt = DeferredStatement(
        database, "\(PresentationTable.selection) WHERE prompt = ? ORDER BY row")
    private lazy var page = DeferredStatement(
        database,
        """
        SELECT wakes, id, uid, user FROM presentation WHERE wakes IS NOT NULL AND (wakes, id) > (?1, ?2)
        UNION ALL
        SELECT wakes, id, uid, user FROM enrolment WHERE wakes IS NOT NULL AND (wakes, id) > (?1, ?2)
        ORDER BY wakes, id
        """)
    private lazy var waiting = DeferredStatement(
        database, "SELECT user FROM presentation WHERE state = 1 AND uid = ? AND app = ? ORDER BY due LIMIT ?")
    private lazy var openSession = DeferredStatement(
        database,
        "SELECT \(StoreReader.sessionColumns) FROM session s WHERE s.id = ? AND s.ended IS NULL AND s.removed = 0")

    private let database: Database
    private let unreadable: DamageNotes
    private let machines: MachineReader

    init(_ database: Database, _ unreadable: DamageNotes, _ machines: MachineReader) {
        self.database = database
        self.unreadable = unreadable
        self.machines = machines
    }

    /// The session with this id that has not ended.
    private func openSession(_ id: Identifier) throws(StoreError) -> SessionIdentity? {
        try openSession().bind(1, id.rawBytes).first { row throws(StoreError) in
            try StoreReader.session(in: row, machines, unreadable).identity
        }
    }

    func state(of user: UserKey) throws(StoreError) -> UserSurveys {
        func rows(_ statement: DeferredStatement) throws(StoreError) -> Statement {
            try statement().bind(1, Int64(user.uid)).bind(2, user.column)
        }
        let gating = try GatingTable.all(rows(gatingOfUser)).map { (ExactName($0.survey), $0.gating) }
        let enrolments = try EnrolmentTable.all(rows(enrolmentsOfUser), unreadable).map { (ExactName($0.survey), $0) }
        let times = try EventTimesTable.all(rows(eventTimesOfUser)).map { (ExactName($0.rule), $0.times) }
        return UserSurveys(
            gating: Dictionary(gating) { $1 }, enrolments: Dictionary(enrolments) { $1 },
            eventTimes: Dictionary(times) { $1 }, firstSeen: try firstSeen(of: user),
            presentations: try presentations(in: rows(openOfUser)))
    }

    /// By the index of sessions by user: its first row that is not being removed.
    static let firstSession =
        "SELECT started FROM session WHERE uid = ? AND user IS ? AND removed = 0 ORDER BY started LIMIT 1"

    private func firstSeen(of user: UserKey) throws(StoreError) -> Timestamp? {
        try firstSession().bind(1, Int64(user.uid)).bind(2, user.userId).first { $0.timestamp(0) }
    }

    func presentation(_ id: Identifier) throws(StoreError) -> Presentation? {
        try byId().bind(1, id.rawBytes).first { row throws(StoreError) in try presentation(in: row) }
    }

    func presentations(ofPrompt id: Identifier) throws(StoreError) -> [Presentation] {
        try presentations(in: byPrompt().bind(1, id.rawBytes))
    }

    private func presentations(in statement: Statement) throws(StoreError) -> [Presentation] {
        try statement.all { row throws(StoreError) in try presentation(in: row) }
    }

    func promptsThatAreOpen() throws(StoreError) -> [Identifier] {
        try database.prepare("SELECT DISTINCT prompt FROM presentation WHERE prompt IS NOT NULL AND state < 3")
            .all { $0.withBytes(0) { Identifier(raw: $0) } }
    }

    func schedule(after key: SurveySchedule.Key, limit: Int) throws(StoreError) -> [SurveySchedule.Entry] {
        var entries: [SurveySchedule.Entry] = []
        let page = try page().bind(1, key.at.milliseconds).bind(2, key.id.rawBytes)
        defer { page.reset() }
        while entries.count < limit, try page.step() {
            guard let at = page.time(0), let id = page.withBytes(1, { Identifier(raw: $0) }) else { continue }
            let user = UserKey(uid: try page.uid(2), column: page.text(3) ?? "")
            entries.append(SurveySchedule.Entry(key: SurveySchedule.Key(at: at, id: id), user: user))
        }
        return entries
    }

    func usersWithShown() throws(StoreError) -> [UserKey] {
        try database.prepare("SELECT DISTINCT uid, user FROM presentation WHERE state = 2")
            .all { row throws(StoreError) in UserKey(uid: try row.uid(0), column: row.text(1) ?? "") }
    }

    func usersWaiting(in scope: Scope, limit: Int) throws(StoreError) -> [UserKey] {
        try waiting().bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, Int64(limit))
            .all { UserKey(uid: scope.uid, column: $0.text(0) ?? "") }
    }

    func open(after last: OpenSurvey?, limit: Int) throws(StoreError) -> [OpenSurvey] {
        try database.prepare(
            """
            SELECT DISTINCT uid, user, survey FROM presentation
            WHERE state < 3 AND (uid, user, survey) > (?, ?, ?) ORDER BY uid, user, survey LIMIT ?
            """
        ).bind(1, last.map { Int64($0.user.uid) } ?? -1).bind(2, last?.user.column ?? "").bind(3, last?.survey ?? "")
            .bind(4, Int64(limit)).all { row throws(StoreError) in
                OpenSurvey(
                    user: UserKey(uid: try row.uid(0), column: row.text(1) ?? ""), survey: row.text(2) ?? "")
            }
    }

    /// - Returns: nil when the row cannot be read, which is noted.
    func presentation(in row: Statement) throws(StoreError) -> Presentation? {
        try PresentationTable.read(row, unreadable) { row throws(StoreError) in
            var presentation = try PresentationTable.read(row)
            if row.integer(PresentationTable.ownsSession) != 0, let session = presentation.session {
                presentation.ownSession = try openSession(session)
            }
            return presentation
        }
    }
}
