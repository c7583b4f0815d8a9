internal import HarkCore
internal import HarkWire

/// Writes forms and their answers. Belongs to the `StoreWriter`.
final class FormWriter: FamilyWriter {
    private let database: Database
    private let putForm: Statement
    private let removeForm: Statement
    private let removeAnswers: Statement
    private let putAnswer: Statement
    private let removeAnswer: Statement

    init(_ database: Database) throws(StoreError) {
        self.database = database
        putForm = try database.prepare(
            "INSERT OR REPLACE INTO form(uid, user, form, started, completed, draft) VALUES (?, ?, ?, ?, ?, ?)")
        removeForm = try database.prepare("DELETE FROM form WHERE uid = ? AND user = ? AND form = ?")
        removeAnswers = try database.prepare("DELETE FROM form_answer WHERE uid = ? AND user = ? AND form = ?")
        putAnswer = try database.prepare(
            """
            INSERT OR REPLACE INTO form_answer(uid, user, form, question, answer, at, state, key, number, attempts, due,
                                               offline, status, problem, submitted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        removeAnswer = try database.prepare(
            "DELETE FROM form_answer WHERE uid = ? AND user = ? AND form = ? AND question = ?")
    }

    func write(_ row: FormRow) throws(StoreError) {
        switch row {
        case .put(let state, let form, let user): try put(state, form, user)
        case .putAnswer(let answer, let place): try put(answer, place)
        case .interruptSubmissions: try interrupt()
        case .hurrySubmissions(let at): try hurry(at)
        case .remove(let selection): try database.clear(["form", "form_answer"], of: selection)
        }
    }

    private func put(_ state: FormState?, _ form: String, _ user: UserKey) throws(StoreError) {
        guard let state else {
            for statement in [removeAnswers, removeForm] {
                try statement.bind(1, Int64(user.uid)).bind(2, user.column).bind(3, form).run()
            }
            return
        }
        try putForm.bind(1, Int64(user.uid)).bind(2, user.column).bind(3, form).bind(4, state.startedAt.milliseconds)
            .bind(5, state.completedAt?.milliseconds).bind(6, state.draft.isEmpty ? nil : state.draft.packed).run()
    }

    private func put(_ answer: FormAnswer?, _ place: SubmissionPlace) throws(StoreError) {
        let statement = answer == nil ? removeAnswer : putAnswer
        statement.bind(1, Int64(place.user.uid)).bind(2, place.user.column).bind(3, place.form).bind(4, place.question)
        guard let answer else { return try statement.run() }
        var packed = Answers()
        packed[place.question] = answer.answer
        let submission = answer.submission
        try statement.bind(5, packed.packed.bytes).bind(6, answer.at.milliseconds)
            .bind(7, submission.map { Int64($0.state.rawValue) }).bind(8, submission?.key.rawBytes)
            .bind(9, submission?.numericId).bind(10, submission.map { Int64($0.attempts) })
            .bind(11, submission?.dueAt.milliseconds).bind(12, submission.map { $0.isOffline ? 1 : 0 })
            .bind(13, submission?.status.map { Int64($0) }).bind(14, submission?.problem)
            .bind(15, submission?.submittedAt?.milliseconds).run()
    }

    /// See `Submission.interrupt`.
    private func interrupt() throws(StoreError) {
        try database.prepare("UPDATE form_answer SET state = ?, problem = ? WHERE state = 1")
            .bind(1, Int64(Submission.State.unconfirmed.rawValue)).bind(2, Submission.interruptedProblem).run()
    }

    /// See `Submission.hurry`.
    private func hurry(_ now: Timestamp) throws(StoreError) {
        try database.prepare("UPDATE form_answer SET due = ?1 WHERE state = 0 AND offline = 1 AND due > ?1")
            .bind(1, now.milliseconds).run()
    }
}
