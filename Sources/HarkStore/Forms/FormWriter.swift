internal import HarkCore
internal import HarkWire

/// Writes forms and their answers. Belongs to the `StoreWriter`.
final class FormWriter: FamilyWriter {
    private let database: Database
    private lazy var putForm = DeferredStatement(database, FormTable.upsert)
    private lazy var removeForm = DeferredStatement(
        database, "DELETE FROM form WHERE uid = ? AND user = ? AND form = ?")
    private lazy var removeAnswers = DeferredStatement(
        database, "DELETE FROM form_answer WHERE uid = ? AND user = ? AND form = ?")
    private lazy var putAnswer = DeferredStatement(database, FormAnswerTable.upsert)
    private lazy var removeAnswer = DeferredStatement(
        database, "DELETE FROM form_answer WHERE uid = ? AND user = ? AND form = ? AND question = ?")

    init(_ database: Database) { self.database = database }

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
                try statement().bind(1, Int64(user.uid)).bind(2, user.column).bind(3, form).run()
            }
            return
        }
        try FormTable.bind((user, form, state), to: putForm()).run()
    }

    private func put(_ answer: FormAnswer?, _ place: SubmissionPlace) throws(StoreError) {
        if let answer { return try FormAnswerTable.bind((place, answer), to: putAnswer()).run() }
        try removeAnswer().bind(1, Int64(place.user.uid)).bind(2, place.user.column).bind(3, place.form)
            .bind(4, place.question).run()
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
