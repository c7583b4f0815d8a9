internal import HarkCore
internal import HarkWire

/// Writes the engine's decisions about surveys. Lives with the `StoreWriter`.
final class SurveyWriter: FamilyWriter {
    let database: Database
    private lazy var putPresentation = DeferredStatement(database, PresentationTable.upsert)
    /// Only the hub of a fleet needs it.
    private lazy var takeOver = DeferredStatement(
        database,
        """
        INSERT INTO presentation(\(PresentationTable.columns(.written))) SELECT \(PresentationTable.columns(.places))
        WHERE NOT EXISTS (SELECT 1 FROM presentation WHERE id = :id)
        AND NOT EXISTS (SELECT 1 FROM presentation WHERE prompt = :prompt AND uid <> :uid)
        """)
    private lazy var dropOldPrompts = DeferredStatement(
        database,
        """
        DELETE FROM presentation WHERE prompt IS NOT NULL AND state >= 3 AND uid = ?1 AND row <=
            (SELECT row FROM presentation WHERE prompt IS NOT NULL AND state >= 3 AND uid = ?1
             ORDER BY row DESC LIMIT 1 OFFSET ?2)
        """)
    private lazy var putGating = DeferredStatement(database, GatingTable.upsert)
    private lazy var removeGating = DeferredStatement(
        database, "DELETE FROM gating WHERE uid = ? AND user = ? AND survey = ?")
    private lazy var putEventTimes = DeferredStatement(database, EventTimesTable.upsert)
    private lazy var putEnrolment = DeferredStatement(database, EnrolmentTable.upsert)
    let tallies: TallyWriter

    init(_ database: Database) {
        self.database = database
        tallies = TallyWriter(database)
    }

    func write(_ row: SurveyRow) throws(StoreError) {
        switch row {
        case .putReminders(let count, let id):
            try database.prepare("UPDATE presentation SET reminders = ? WHERE id = ?").bind(1, Int64(count))
                .bind(2, id.rawBytes).run()
        case .putPresentation(let presentation): try put(presentation, with: putPresentation())
        case .takeOver(let presentation):
            try put(presentation, with: takeOver())
            if let revised = presentation.revises { try noteRevision(of: revised, by: presentation) }
        case .putGating(let gating, let survey, let user): try put(gating, of: survey, user)
        case .putEventTimes(let times, let rule, let user):
            try EventTimesTable.bind((user, rule.text, times), to: putEventTimes()).run()
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
        case .putEnrolment(let enrolment): try EnrolmentTable.bind(enrolment, to: putEnrolment()).run()
        case .remove(let selection, _): try remove(selection)
        }
    }

    private func put(_ presentation: Presentation, with statement: Statement) throws(StoreError) {
        try PresentationTable.bind(presentation, to: statement).run()
        guard !presentation.state.isOpen else { return }
        tallies.note(1)
        guard presentation.prompt != nil else { return }
        try dropOldPrompts().bind(1, Int64(presentation.user.uid)).bind(2, Int64(PromptLimits.closedPerUser)).run()
    }

    /// Marks the earlier version of a machine's showing as replaced by the new one.
    private func noteRevision(of revised: Identifier, by presentation: Presentation) throws(StoreError) {
        try database.prepare("UPDATE presentation SET revisedBy = ? WHERE id = ? AND uid = ? AND revisedBy IS NULL")
            .bind(1, presentation.id.rawBytes).bind(2, revised.rawBytes).bind(3, Int64(presentation.user.uid)).run()
    }

    private func put(_ gating: Gating?, of survey: String, _ user: UserKey) throws(StoreError) {
        guard let gating else {
            try removeGating().bind(1, Int64(user.uid)).bind(2, user.column).bind(3, survey).run()
            return
        }
        try GatingTable.bind((user, survey, gating), to: putGating()).run()
    }

    /// Deletes the rows that `Selection.contains` and `containsEverything` select.
    private func remove(_ selection: Selection) throws(StoreError) {
        try database.clear(["presentation", "gating", "eventTimes", "enrolment"], of: selection)
        if case .user(let userId?) = selection.target { try removePrompts(selection, userId) }
        guard case .session(let id) = selection.target else { return }
        for change in [
            "DELETE FROM presentation WHERE coalesce(session, origin) = ?2",
            "DELETE FROM presentation WHERE state < 3 AND origin = ?2",
            // A showing in another session stays, without the properties of the deleted event.
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

    /// Deletes closed prompts of the user's sessions. A prompt is addressed to the person present, so it belongs to the account,
    /// and is deleted all the same. An open prompt stays, because it waits for the next person.
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
    /// - Returns: The number of deleted rows.
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
