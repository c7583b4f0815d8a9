internal import HarkCore

extension StoreFamily {
    static let forms = StoreFamily(
        migrations: [4: Schema.forms, 7: Schema.formDrafts],
        holdings: [
            .forms: [
                """
                count(*), sum(length(CAST(user AS BLOB)) + length(CAST(form AS BLOB)) + coalesce(length(draft), 0))
                FROM form WHERE uid = ?
                """,
                """
                0, sum(length(CAST(user AS BLOB)) + length(CAST(form AS BLOB)) + length(CAST(question AS BLOB))
                       + length(answer))
                FROM form_answer WHERE uid = ?
                """,
            ]
        ]
    ) { FormWriter($0) }
}

extension Schema {
    /// The tables of forms in progress and their answers.
    static let forms = """
        -- As in `presentation`, '' stands for everybody anonymous.
        CREATE TABLE form(
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            form TEXT NOT NULL,
            started INTEGER NOT NULL,
            completed INTEGER,
            PRIMARY KEY(uid, user, form)) WITHOUT ROWID;

        -- The columns from `state` on are NULL for answers that stay here. The state 0 waits to be sent, 1 is being sent.
        CREATE TABLE form_answer(
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            form TEXT NOT NULL,
            question TEXT NOT NULL,
            answer BLOB NOT NULL,
            at INTEGER NOT NULL,
            state INTEGER,
            key BLOB,
            number INTEGER,
            attempts INTEGER,
            due INTEGER,
            offline INTEGER,
            status INTEGER,
            problem TEXT,
            submitted INTEGER,
            PRIMARY KEY(uid, user, form, question)) WITHOUT ROWID;
        CREATE INDEX form_answer_due ON form_answer(due) WHERE state = 0;
        CREATE INDEX form_answer_sending ON form_answer(state) WHERE state = 1;
        """

    static let formDrafts = """
        -- What was begun of a form and not given as an answer, packed; NULL for nothing.
        ALTER TABLE form ADD COLUMN draft BLOB;
        """
}
