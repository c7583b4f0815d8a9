internal import HarkCore
internal import HarkWire

/// Writes what the engine decides about surveys. Lives with the `StoreWriter`.
final class SurveyWriter: FamilyWriter {
    let database: Database
    private let putPresentation: Statement
    /// Only the hub of a fleet ever needs it.
    private let takeOver: DeferredStatement
    private let dropOldPrompts: Statement
    private let putGating: Statement
    private let removeGating: Statement
    /// Prepared on first use, as few stores have enrolments.
    private let putEventTimes: DeferredStatement
    private let putEnrolment: DeferredStatement
    let tallies: TallyWriter

    private static let insertion = """
        INSERT INTO presentation(id, survey, uid, user, app, origin, session, state, created, due, expires, presented,
                                 closed, wakes, uncounted, ownsSession, reason, locale, answers, shown, depth, prompt,
                                 definition, times, revises, revisedBy, changeable, trigger, given)
        """

    init(_ database: Database) throws(StoreError) {
        self.database = database
        tallies = TallyWriter(database)
        putPresentation = try database.prepare(
            """
            \(SurveyWriter.insertion)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(id) DO UPDATE SET
                session = excluded.session, state = excluded.state, due = excluded.due, expires = excluded.expires,
                presented = excluded.presented, closed = excluded.closed, wakes = excluded.wakes,
                uncounted = excluded.uncounted, ownsSession = excluded.ownsSession, reason = excluded.reason,
                locale = excluded.locale, answers = excluded.answers, shown = excluded.shown,
                times = excluded.times, revisedBy = excluded.revisedBy, changeable = excluded.changeable
            """)
        takeOver = DeferredStatement(
            database,
            """
            \(SurveyWriter.insertion)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
                ?24, ?25, ?26, ?27, ?28, ?29
            WHERE NOT EXISTS (SELECT 1 FROM presentation WHERE id = ?1)
            AND NOT EXISTS (SELECT 1 FROM presentation WHERE prompt = ?22 AND uid <> ?3)
            """)
        dropOldPrompts = try database.prepare(
            """
            DELETE FROM presentation WHERE prompt IS NOT NULL AND state >= 3 AND uid = ?1 AND row <=
                (SELECT row FROM presentation WHERE prompt IS NOT NULL AND state >= 3 AND uid = ?1
                 ORDER BY row DESC LIMIT 1 OFFSET ?2)
            """)
        putGating = try database.prepare(
            """
            INSERT OR REPLACE INTO gating(uid, user, survey, attempts, presented, completed, sessions, recent, variant)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        putEventTimes = DeferredStatement(
            database, "INSERT OR REPLACE INTO eventTimes(uid, user, rule, times) VALUES (?, ?, ?, ?)")
        putEnrolment = DeferredStatement(
            database,
            """
            INSERT INTO enrolment(id, survey, uid, user, app, wakes, data) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(uid, user, survey) DO UPDATE SET
                id = excluded.id, app = excluded.app, wakes = excluded.wakes, data = excluded.data
            """)
        removeGating = try database.prepare("DELETE FROM gating WHERE uid = ? AND user = ? AND survey = ?")
    }

    func write(_ row: SurveyRow) throws(StoreError) {
        switch row {
        case .putReminders(let count, let id):
            try database.prepare("UPDATE presentation SET reminders = ? WHERE id = ?").bind(1, Int64(count))
                .bind(2, id.rawBytes).run()
        case .putPresentation(let presentation): try put(presentation, with: putPresentation)
        case .takeOver(let presentation):
            try put(presentation, with: takeOver())
            if let revised = presentation.revises { try noteRevision(of: revised, by: presentation) }
        case .putGating(let gating, let survey, let user): try put(gating, of: survey, user)
        case .putEventTimes(let times, let rule, let user):
            try putEventTimes().bind(1, Int64(user.uid)).bind(2, user.column).bind(3, rule.text)
                .bind(4, times.packed).run()
        case .putEventRule(let gaps, let rule):
            try database.prepare("INSERT OR REPLACE INTO eventRule(rule, gaps) VALUES (?, ?)").bind(1, rule.text)
                .bind(2, gaps.packed).run()
        case .putQuota(let count, let survey):
            try database.prepare("DELETE FROM quota WHERE survey = ?").bind(1, survey).run()
            let insertion = try database.prepare("INSERT INTO quota(survey, cell, begins, answers) VALUES (?, ?, ?, ?)")
            for (cell, answers) in count.answers {
                try insertion.bind(1, survey).bind(2, cell).bind(3, count.begins?.milliseconds)
                    .bind(4, Int64(answers)).run()
            }
        case .putCredits(let accounts, let survey): try put(accounts, of: survey)
        case .forgetCredits: try database.execute("DELETE FROM credit")
        case .putEnrolment(let enrolment):
            try putEnrolment().bind(1, enrolment.id.rawBytes).bind(2, enrolment.survey)
                .bind(3, Int64(enrolment.user.uid)).bind(4, enrolment.user.column).bind(5, enrolment.app)
                .bind(6, enrolment.wakesAt?.milliseconds).bind(7, enrolment.properties.bytes).run()
        case .remove(let selection, _): try remove(selection)
        }
    }

    private func put(_ presentation: Presentation, with statement: Statement) throws(StoreError) {
        try statement
            .bind(1, presentation.id.rawBytes).bind(2, presentation.survey).bind(3, Int64(presentation.user.uid))
            .bind(4, presentation.user.column).bind(5, presentation.app).bind(6, presentation.origin.rawBytes)
            .bind(7, presentation.session?.rawBytes).bind(8, Int64(presentation.state.rawValue))
            .bind(9, presentation.createdAt.milliseconds).bind(10, presentation.dueAt.milliseconds)
            .bind(11, presentation.expiresAt?.milliseconds).bind(12, presentation.presentedAt?.milliseconds)
            .bind(13, presentation.closedAt?.milliseconds).bind(14, presentation.wakesAt?.milliseconds)
            .bind(15, presentation.isUncounted ? 1 : 0).bind(16, presentation.ownSession == nil ? 0 : 1)
            .bind(17, presentation.reason).bind(18, presentation.locale)
            .bind(19, presentation.answers.packed.bytes).bind(20, presentation.shown)
            .bind(21, Int64(presentation.depth)).bind(22, presentation.prompt?.id.rawBytes)
            .bind(23, presentation.prompt?.packed).bind(24, presentation.times.properties.bytes)
            .bind(25, presentation.revises?.rawBytes).bind(26, presentation.revisedBy?.rawBytes)
            .bind(27, presentation.changeableUntil?.milliseconds)
            .bind(28, presentation.trigger.isEmpty ? nil : presentation.trigger.bytes)
            .bind(29, presentation.given.isEmpty ? nil : presentation.given.bytes).run()
        guard !presentation.state.isOpen else { return }
        tallies.note(1)
        guard presentation.prompt != nil else { return }
        try dropOldPrompts.bind(1, Int64(presentation.user.uid)).bind(2, Int64(PromptLimits.closedPerUser)).run()
    }

    /// What a machine has told of before is replaced by what it tells now.
    private func noteRevision(of revised: Identifier, by presentation: Presentation) throws(StoreError) {
        try database.prepare("UPDATE presentation SET revisedBy = ? WHERE id = ? AND uid = ? AND revisedBy IS NULL")
            .bind(1, presentation.id.rawBytes).bind(2, revised.rawBytes).bind(3, Int64(presentation.user.uid)).run()
    }

    private func put(_ gating: Gating?, of survey: String, _ user: UserKey) throws(StoreError) {
        guard let gating else {
            try removeGating.bind(1, Int64(user.uid)).bind(2, user.column).bind(3, survey).run()
            return
        }
        let sessions = gating.sessions.sorted { $0.key < $1.key }.map {
            ($0.key.text, PropertyValue.string("\($0.value)"))
        }
        try putGating.bind(1, Int64(user.uid)).bind(2, user.column).bind(3, survey)
            .bind(4, Int64(gating.attempts)).bind(5, gating.lastPresented?.milliseconds)
            .bind(6, gating.completed?.milliseconds).bind(7, Properties(sessions).bytes)
            .bind(8, gating.recent.packed).bind(9, gating.variant).run()
    }

    /// Deletes what `Selection.contains` and `containsEverything` mean.
    private func remove(_ selection: Selection) throws(StoreError) {
        try database.clear(["presentation", "gating", "eventTimes", "enrolment"], of: selection)
        if case .user(let userId?) = selection.target { try removePrompts(selection, userId) }
        guard case .session(let id) = selection.target else { return }
        for change in [
            "DELETE FROM presentation WHERE coalesce(session, origin) = ?2",
            "DELETE FROM presentation WHERE state < 3 AND origin = ?2",
            // What was shown in another session stays, without what the event said that goes.
            """
            UPDATE presentation SET trigger = NULL, given = NULL
            WHERE (trigger IS NOT NULL OR given IS NOT NULL) AND origin = ?2
            """,
        ] {
            let uid = selection.uid == nil ? "" : " AND uid = ?1"
            try database.prepare("\(change)\(uid)")
                .bind(1, selection.uid.map(Int64.init)).bind(2, id.rawBytes).run()
        }
    }

    /// A program asks whoever is there, so its question is the account's: what was answered in a session of the user goes all
    /// the same. One that is open goes on, as it waits for whoever is there next.
    private func removePrompts(_ selection: Selection, _ userId: String) throws(StoreError) {
        let uid = selection.uid == nil ? "" : " AND uid = ?1"
        try database.prepare(
            """
            DELETE FROM presentation WHERE prompt IS NOT NULL AND state >= 3\(uid) AND coalesce(session, origin) IN
                (SELECT id FROM session WHERE user = ?2 AND row <= ?3\(uid))
            """
        ).bind(1, selection.uid.map(Int64.init)).bind(2, userId).bind(3, selection.upToRow).run()
    }

    /// Deletes closed showings. The session they were shown in may be long gone, or stay.
    ///
    /// - Returns: how many there were.
    func removeShowings(_ rows: [Int64]) throws(StoreError) -> Int {
        let delete = try database.prepare("DELETE FROM presentation WHERE row = ? AND state >= 3")
        var count = 0
        for row in rows {
            try delete.bind(1, row).run()
            count += database.changes
        }
        tallies.note(count)
        return count
    }
}

extension UserKey {
    /// The user as the tables have it.
    var column: String { userId ?? "" }

    init(uid: UInt32, column: String) {
        self.init(uid: uid, userId: column.isEmpty ? nil : column)
    }
}
