internal import HarkCore
internal import HarkWire

/// Reads users' answers to forms. Belongs to a `StoreReader`.
final class FormReader {
    private let database: Database
    private lazy var formsOfUser = DeferredStatement(database, "\(FormTable.selection) WHERE uid = ? AND user = ?")
    private lazy var answersOfUser = DeferredStatement(
        database, "\(FormAnswerTable.selection) WHERE uid = ? AND user = ?")
    /// Only forms with a server: answers to others are never sent.
    private static let sendable = "state = 0 AND form IN (SELECT value FROM json_each(?1))"
    private lazy var due = DeferredStatement(
        database,
        """
        SELECT uid, user, form, question FROM form_answer INDEXED BY form_answer_due
        WHERE \(FormReader.sendable) AND (due <= ?2 OR due > ?2 + \(Submission.longestRetryAfter)) ORDER BY due LIMIT ?3
        """)
    private lazy var earliest = DeferredStatement(
        database,
        "SELECT due FROM form_answer INDEXED BY form_answer_due WHERE \(FormReader.sendable) ORDER BY due LIMIT 1")

    private let unreadable: DamageNotes

    init(_ database: Database, _ unreadable: DamageNotes) {
        self.database = database
        self.unreadable = unreadable
    }

    func forms(of user: UserKey) throws(StoreError) -> UserForms {
        var forms: UserForms = [:]
        for row in try FormTable.all(formsOfUser().bind(1, Int64(user.uid)).bind(2, user.column)) {
            forms[row.form] = row.state
        }
        let answers = try answersOfUser().bind(1, Int64(user.uid)).bind(2, user.column).all { row throws(StoreError) in
            try unreadable.passOver(
                .formAnswers,
                [.number(row.integer(0))] + (1...3).map { .text(row.text($0) ?? "") } + [.bytes(row.bytes(4))]
            ) { () throws(StoreError) in try FormAnswerTable.read(row) }
        }
        for (place, answer) in answers { forms[place.form]?.answers[place.question] = answer }
        return forms
    }

    func due(of forms: [String], at now: Timestamp, limit: Int) throws(StoreError) -> [SubmissionPlace] {
        try due().bind(1, FormReader.list(forms)).bind(2, now.milliseconds).bind(3, Int64(limit)).all {
            row throws(StoreError) in
            SubmissionPlace(
                user: UserKey(uid: try row.uid(0), column: row.text(1) ?? ""), form: row.text(2) ?? "",
                question: row.text(3) ?? "")
        }
    }

    func earliestDue(of forms: [String]) throws(StoreError) -> Timestamp? {
        try earliest().bind(1, FormReader.list(forms)).first { $0.time(0) }
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
