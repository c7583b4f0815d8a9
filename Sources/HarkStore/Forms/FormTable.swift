internal import HarkCore
internal import HarkWire

enum FormTable: StoredTable {
    typealias Row = (user: UserKey, form: String, state: FormState)

    static let name = "form"
    static let mendsTexts = true

    static func map(_ column: inout Columns<Row>) -> Row {
        let (user, form) = (column.user { $0.user }, column("form", .key) { $0.form })
        var state = FormState(startedAt: column("started") { $0.state.startedAt })
        state.completedAt = column("completed") { $0.state.completedAt }
        state.draft = column("draft") { $0.state.draft.isEmpty ? nil : $0.state.draft } ?? FormDraft()
        return (user, form, state)
    }
}

enum FormAnswerTable: StoredTable {
    typealias Row = (place: SubmissionPlace, answer: FormAnswer)

    static let name = "form_answer"

    static func map(_ column: inout Columns<Row>) throws(StoreError) -> Row {
        let place = SubmissionPlace(
            user: column.user { $0.place.user }, form: column("form", .key) { $0.place.form },
            question: column("question", .key) { $0.place.question })
        let answers = column("answer") { row in
            var answers = Answers()
            answers[row.place.question] = row.answer.answer
            return answers
        }
        let (at, state) = (column("at") { $0.answer.at }, column("state") { $0.answer.submission?.state })
        let key = column("key") { $0.answer.submission?.key }
        let number = column("number") { $0.answer.submission?.numericId }
        let attempts = column("attempts") { $0.answer.submission?.attempts }
        let due = column("due") { $0.answer.submission?.dueAt }
        let offline = column("offline") { $0.answer.submission?.isOffline }
        let status = column("status") { $0.answer.submission?.status }
        let problem = column("problem") { $0.answer.submission?.problem }
        let submitted = column("submitted") { $0.answer.submission?.submittedAt }
        if let written = column.written { return written }
        guard let answer = answers[place.question] else {
            throw StoreError(.damaged, "an answer to a form in the store cannot be read")
        }
        guard let state, let key, let due else { return (place, FormAnswer(answer, at: at)) }
        var submission = Submission(key: key, numericId: number, dueAt: due)
        (submission.state, submission.attempts, submission.isOffline) = (state, attempts ?? 0, offline ?? false)
        (submission.status, submission.problem, submission.submittedAt) = (status, problem, submitted)
        return (place, FormAnswer(answer, at: at, submission: submission))
    }
}

extension SubmissionState: StoredChoice {}

extension FormDraft: StoredBytes {
    static func unpacked(_ bytes: [UInt8]) -> FormDraft? { FormDraft(packed: bytes) ?? FormDraft() }
}
