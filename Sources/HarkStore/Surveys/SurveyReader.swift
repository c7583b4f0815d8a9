internal import HarkCore
internal import HarkWire

/// Reads what is stored about surveys. Lives with a `StoreReader`.
final class SurveyReader {
    private let openOfUser: Statement
    private let gatingOfUser: Statement
    private let enrolmentsOfUser: Statement
    private let eventTimesOfUser: Statement
    private let firstSession: Statement
    private let byId: Statement
    private let byPrompt: Statement
    private let openPrompts: Statement
    private let page: Statement
    private let shown: Statement
    private let waiting: Statement
    private let open: Statement
    private let openSession: Statement

    static let columns = """
        id, survey, uid, user, app, origin, session, state, created, due, expires, presented, closed, uncounted, \
        ownsSession, reason, locale, answers, shown, depth, row, prompt, definition, times, reminders, \
        revises, revisedBy, changeable, trigger, given
        """

    private let unreadable: DamageNotes
    private let machines: MachineReader

    init(_ database: Database, _ unreadable: DamageNotes, _ machines: MachineReader) throws(StoreError) {
        self.unreadable = unreadable
        self.machines = machines
        openOfUser = try database.prepare(
            "SELECT \(SurveyReader.columns) FROM presentation WHERE state < 3 AND uid = ? AND user = ? ORDER BY row")
        gatingOfUser = try database.prepare(
            "SELECT survey, \(SurveyReader.gatingColumns) FROM gating WHERE uid = ? AND user = ?")
        eventTimesOfUser = try database.prepare("SELECT rule, times FROM eventTimes WHERE uid = ? AND user = ?")
        firstSession = try database.prepare(SurveyReader.firstSession)
        enrolmentsOfUser = try database.prepare(
            "SELECT \(SurveyReader.enrolmentColumns) FROM enrolment WHERE uid = ? AND user = ?")
        byId = try database.prepare("SELECT \(SurveyReader.columns) FROM presentation WHERE id = ?")
        byPrompt = try database.prepare(
            "SELECT \(SurveyReader.columns) FROM presentation WHERE prompt = ? ORDER BY row")
        openPrompts = try database.prepare(
            "SELECT DISTINCT prompt FROM presentation WHERE prompt IS NOT NULL AND state < 3")
        page = try database.prepare(
            """
            SELECT wakes, id, uid, user FROM presentation WHERE wakes IS NOT NULL AND (wakes, id) > (?1, ?2)
            UNION ALL
            SELECT wakes, id, uid, user FROM enrolment WHERE wakes IS NOT NULL AND (wakes, id) > (?1, ?2)
            ORDER BY wakes, id
            """)
        shown = try database.prepare("SELECT DISTINCT uid, user FROM presentation WHERE state = 2")
        waiting = try database.prepare(
            "SELECT user FROM presentation WHERE state = 1 AND uid = ? AND app = ? ORDER BY due LIMIT ?")
        openSession = try database.prepare(
            """
            SELECT \(StoreReader.sessionColumns) FROM session s
            WHERE s.id = ? AND s.ended IS NULL AND s.removed = 0
            """)
        open = try database.prepare(
            """
            SELECT DISTINCT uid, user, survey FROM presentation
            WHERE state < 3 AND (uid, user, survey) > (?, ?, ?) ORDER BY uid, user, survey LIMIT ?
            """)
    }

    /// The session of that id that has not ended.
    private func openSession(_ id: Identifier) throws(StoreError) -> SessionIdentity? {
        defer { openSession.reset() }
        guard try openSession.bind(1, id.rawBytes).step() else { return nil }
        return try StoreReader.session(in: openSession, machines, unreadable).identity
    }

    func state(of user: UserKey) throws(StoreError) -> UserSurveys {
        var presentations: [Presentation] = []
        defer { openOfUser.reset() }
        openOfUser.bind(1, Int64(user.uid)).bind(2, user.column)
        while try openOfUser.step() {
            if let presentation = try presentation(in: openOfUser) { presentations.append(presentation) }
        }
        var gating: [ExactName: Gating] = [:]
        defer { gatingOfUser.reset() }
        gatingOfUser.bind(1, Int64(user.uid)).bind(2, user.column)
        while try gatingOfUser.step() {
            gating[ExactName(gatingOfUser.text(0) ?? "")] = try SurveyReader.gating(in: gatingOfUser, from: 1)
        }
        return UserSurveys(
            gating: gating, enrolments: try enrolments(of: user), eventTimes: try eventTimes(of: user),
            firstSeen: try firstSeen(of: user), presentations: presentations)
    }

    /// By the index of sessions by user: its first row that is not being removed.
    static let firstSession =
        "SELECT started FROM session WHERE uid = ? AND user IS ? AND removed = 0 ORDER BY started LIMIT 1"

    private func firstSeen(of user: UserKey) throws(StoreError) -> Timestamp? {
        defer { firstSession.reset() }
        return try firstSession.bind(1, Int64(user.uid)).bind(2, user.userId).step() ? firstSession.timestamp(0) : nil
    }

    private func eventTimes(of user: UserKey) throws(StoreError) -> [ExactName: RecentTimes] {
        var times: [ExactName: RecentTimes] = [:]
        defer { eventTimesOfUser.reset() }
        eventTimesOfUser.bind(1, Int64(user.uid)).bind(2, user.column)
        while try eventTimesOfUser.step() {
            times[ExactName(eventTimesOfUser.text(0) ?? "")] = RecentTimes(packed: eventTimesOfUser.bytes(1))
        }
        return times
    }

    static let gatingColumns = "attempts, presented, completed, sessions, recent, variant"

    static let enrolmentColumns = "id, survey, uid, user, app, wakes, data, row"

    private func enrolments(of user: UserKey) throws(StoreError) -> [ExactName: Enrolment] {
        var enrolments: [ExactName: Enrolment] = [:]
        defer { enrolmentsOfUser.reset() }
        enrolmentsOfUser.bind(1, Int64(user.uid)).bind(2, user.column)
        while try enrolmentsOfUser.step() {
            guard let enrolment = try SurveyReader.enrolment(in: enrolmentsOfUser) else { continue }
            enrolments[ExactName(enrolment.survey)] = enrolment
        }
        return enrolments
    }

    /// - Returns: nil if the row is damaged.
    static func enrolment(in row: Statement) throws(StoreError) -> Enrolment? {
        guard let id = row.withBytes(0, { Identifier(raw: $0) }) else { return nil }
        return Enrolment(
            id: id, survey: row.text(1) ?? "", user: UserKey(uid: try row.uid(2), column: row.text(3) ?? ""),
            app: row.text(4) ?? "", wakesAt: row.time(5), Properties(bytes: row.bytes(6)))
    }

    /// - Parameter column: the first of `gatingColumns`.
    static func gating(in row: Statement, from column: Int32) throws(StoreError) -> Gating {
        var gating = Gating()
        gating.attempts = try row.count(column)
        gating.lastPresented = row.time(column + 1)
        gating.completed = row.time(column + 2)
        for (app, session) in Properties(bytes: row.bytes(column + 3)).members {
            if case .string(let id) = session { gating.sessions[ExactName(app)] = Identifier(id) }
        }
        gating.recent = RecentTimes(packed: row.bytes(column + 4))
        gating.variant = row.text(column + 5)
        return gating
    }

    func presentation(_ id: Identifier) throws(StoreError) -> Presentation? {
        defer { byId.reset() }
        return try byId.bind(1, id.rawBytes).step() ? try presentation(in: byId) : nil
    }

    func presentations(ofPrompt id: Identifier) throws(StoreError) -> [Presentation] {
        var presentations: [Presentation] = []
        defer { byPrompt.reset() }
        byPrompt.bind(1, id.rawBytes)
        while try byPrompt.step() {
            if let presentation = try presentation(in: byPrompt) { presentations.append(presentation) }
        }
        return presentations
    }

    func promptsThatAreOpen() throws(StoreError) -> [Identifier] {
        var ids: [Identifier] = []
        defer { openPrompts.reset() }
        while try openPrompts.step() {
            if let id = openPrompts.withBytes(0, { Identifier(raw: $0) }) { ids.append(id) }
        }
        return ids
    }

    func schedule(after key: SurveySchedule.Key, limit: Int) throws(StoreError) -> [SurveySchedule.Entry] {
        var entries: [SurveySchedule.Entry] = []
        defer { page.reset() }
        page.bind(1, key.at.milliseconds).bind(2, key.id.rawBytes)
        while entries.count < limit, try page.step() {
            guard let at = page.time(0), let id = page.withBytes(1, { Identifier(raw: $0) }) else { continue }
            let user = UserKey(uid: try page.uid(2), column: page.text(3) ?? "")
            entries.append(SurveySchedule.Entry(key: SurveySchedule.Key(at: at, id: id), user: user))
        }
        return entries
    }

    func usersWithShown() throws(StoreError) -> [UserKey] {
        var users: [UserKey] = []
        defer { shown.reset() }
        while try shown.step() {
            users.append(UserKey(uid: try shown.uid(0), column: shown.text(1) ?? ""))
        }
        return users
    }

    func usersWaiting(in scope: Scope, limit: Int) throws(StoreError) -> [UserKey] {
        var users: [UserKey] = []
        defer { waiting.reset() }
        waiting.bind(1, Int64(scope.uid)).bind(2, scope.app).bind(3, Int64(limit))
        while try waiting.step() {
            users.append(UserKey(uid: scope.uid, column: waiting.text(0) ?? ""))
        }
        return users
    }

    func open(after last: OpenSurvey?, limit: Int) throws(StoreError) -> [OpenSurvey] {
        var found: [OpenSurvey] = []
        defer { open.reset() }
        open.bind(1, last.map { Int64($0.user.uid) } ?? -1).bind(2, last?.user.column ?? "")
            .bind(3, last?.survey ?? "").bind(4, Int64(limit))
        while try open.step() {
            let user = UserKey(uid: try open.uid(0), column: open.text(1) ?? "")
            found.append(OpenSurvey(user: user, survey: open.text(2) ?? ""))
        }
        return found
    }

    /// - Returns: nil when the row cannot be read, which is noted.
    func presentation(in row: Statement) throws(StoreError) -> Presentation? {
        try unreadable.passOver(.presentations, [.number(row.integer(20))]) { () throws(StoreError) in try read(row) }
    }

    private func read(_ row: Statement) throws(StoreError) -> Presentation {
        guard let id = row.withBytes(0, { Identifier(raw: $0) }),
            let origin = row.withBytes(5, { Identifier(raw: $0) }),
            let state: Presentation.State = row.choice(7),
            let survey = row.wholeText(1), let user = row.wholeText(3), let app = row.wholeText(4),
            case (let reason, let locale) = (row.wholeText(15), row.wholeText(16)),
            row.isNull(15) == (reason == nil), row.isNull(16) == (locale == nil)
        else { throw StoreError(.damaged, "a presentation in the store cannot be read") }
        var presentation = Presentation(
            id: id, survey: survey, user: UserKey(uid: try row.uid(2), column: user), app: app, origin: origin,
            createdAt: row.timestamp(8), state: state, dueAt: row.timestamp(9))
        presentation.session = row.isNull(6) ? nil : row.withBytes(6) { Identifier(raw: $0) }
        presentation.expiresAt = row.time(10)
        presentation.presentedAt = row.time(11)
        presentation.closedAt = row.time(12)
        presentation.isUncounted = row.integer(13) != 0
        if row.integer(14) != 0, let session = presentation.session {
            presentation.ownSession = try openSession(session)
        }
        presentation.reason = reason
        presentation.locale = locale
        presentation.answers = row.withBytes(17) { Answers(packed: $0) }
        presentation.shown = row.bytes(18)
        presentation.depth = Int(row.integer(19))
        presentation.reminders = row.tally(24)
        presentation.revises = row.isNull(25) ? nil : row.withBytes(25) { Identifier(raw: $0) }
        presentation.revisedBy = row.isNull(26) ? nil : row.withBytes(26) { Identifier(raw: $0) }
        presentation.changeableUntil = row.time(27)
        presentation.trigger = Properties(bytes: row.bytes(28))
        presentation.given = Properties(bytes: row.bytes(29))
        guard let times = row.withBytes(23, { ShowingTimes(packed: $0) }) else {
            throw StoreError(.damaged, "the times of a presentation in the store cannot be read")
        }
        presentation.times = times
        if !row.isNull(21) {
            guard
                let prompt = row.withBytes(21, { Identifier(raw: $0) }).flatMap({
                    Prompt(id: $0, packed: row.bytes(22))
                })
            else { throw StoreError(.damaged, "a prompt in the store cannot be read") }
            presentation.prompt = prompt
        }
        return presentation
    }
}

extension ReadTable {
    fileprivate static let presentations = ReadTable(
        kind: "a presentation of a survey", deletion: "DELETE FROM presentation WHERE row = ?")
}
