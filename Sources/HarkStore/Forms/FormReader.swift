internal import HarkCore
internal import HarkWire

/// Reads users' answers to forms. Belongs to a `StoreReader`.
final class FormReader {
    private let formsOfUser: Statement
    private let answersOfUser: Statement
    private let due: Statement
    private let earliest: Statement

    private let unreadable: DamageNotes

    init(_ database: Database, _ unreadable: DamageNotes) throws(StoreError) {
        self.unreadable = unreadable
        formsOfUser = try database.prepare(
            "SELECT form, started, completed, draft FROM form WHERE uid = ? AND user = ?")
        answersOfUser = try database.prepare(
            """
            SELECT form, question, answer, at, state, key, number, attempts, due, offline, status, problem, submitted
            FROM form_answer WHERE uid = ? AND user = ?
            """)
        // Only forms with a server: answers to others are never sent.
        let sendable = "state = 0 AND form IN (SELECT value FROM json_each(?1))"
        due = try database.prepare(
            """
            SELECT uid, user, form, question FROM form_answer INDEXED BY form_answer_due
            WHERE \(sendable) AND (due <= ?2 OR due > ?2 + \(Submission.longestRetryAfter)) ORDER BY due LIMIT ?3
            """)
        earliest = try database.prepare(
            "SELECT due FROM form_answer INDEXED BY form_answer_due WHERE \(sendable) ORDER BY due LIMIT 1")
    }

    func forms(of user: UserKey) throws(StoreError) -> UserForms {
        var forms: UserForms = [:]
        defer { formsOfUser.reset() }
        formsOfUser.bind(1, Int64(user.uid)).bind(2, user.column)
        while try formsOfUser.step() {
            var state = FormState(startedAt: formsOfUser.timestamp(1))
            state.completedAt = formsOfUser.time(2)
            if !formsOfUser.isNull(3) { state.draft = FormDraft(packed: formsOfUser.bytes(3)) ?? FormDraft() }
            forms[formsOfUser.text(0) ?? ""] = state
        }
        defer { answersOfUser.reset() }
        answersOfUser.bind(1, Int64(user.uid)).bind(2, user.column)
        while try answersOfUser.step() {
            let question = answersOfUser.text(1) ?? ""
            let packed = answersOfUser.withBytes(2) { Answers(packed: $0) }
            let form = answersOfUser.text(0) ?? ""
            guard let answer = packed[question] else {
                unreadable.note(
                    .formAnswers,
                    [
                        .number(Int64(user.uid)), .text(user.column), .text(form), .text(question),
                        .bytes(answersOfUser.bytes(2)),
                    ])
                continue
            }
            forms[form]?.answers[question] = FormAnswer(
                answer, at: answersOfUser.timestamp(3), submission: try submission(answersOfUser))
        }
        return forms
    }

    private func submission(_ row: Statement) throws(StoreError) -> Submission? {
        guard !row.isNull(4), let state: Submission.State = row.choice(4),
            let key = row.withBytes(5, { Identifier(raw: $0) })
        else { return nil }
        var submission = Submission(
            key: key, numericId: row.isNull(6) ? nil : row.integer(6), dueAt: row.timestamp(8))
        submission.state = state
        submission.attempts = try row.count(7)
        submission.isOffline = row.integer(9) != 0
        submission.status = row.isNull(10) ? nil : Int(row.integer(10))
        submission.problem = row.text(11)
        submission.submittedAt = row.time(12)
        return submission
    }

    func due(of forms: [String], at now: Timestamp, limit: Int) throws(StoreError) -> [SubmissionPlace] {
        var places: [SubmissionPlace] = []
        defer { due.reset() }
        due.bind(1, FormReader.list(forms)).bind(2, now.milliseconds).bind(3, Int64(limit))
        while try due.step() {
            places.append(
                SubmissionPlace(
                    user: UserKey(uid: try due.uid(0), column: due.text(1) ?? ""), form: due.text(2) ?? "",
                    question: due.text(3) ?? ""))
        }
        return places
    }

    func earliestDue(of forms: [String]) throws(StoreError) -> Timestamp? {
        defer { earliest.reset() }
        return try earliest.bind(1, FormReader.list(forms)).step() ? earliest.time(0) : nil
    }

    private static func list(_ texts: [String]) -> String {
        JSONValue.array(texts.map(JSONValue.string)).description
    }
}

extension ReadTable {
    fileprivate static let formAnswers = ReadTable(
        kind: "an answer to a form",
        deletion: "DELETE FROM form_answer WHERE uid = ? AND user = ? AND form = ? AND question = ? AND answer = ?")
}
