/// The tables of the store and how an older file is brought up to date.
///
/// `PRAGMA user_version` is the number of migrations applied; `application_id` marks the file as a Hark store.
enum Schema {
    /// "Hark" in ASCII.
    static let applicationId: Int64 = 0x4861_726b

    /// Each entry brings the file from the version of its index to the next. Entries are only ever added.
    static let migrations: [String] = [
        """
        CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

        CREATE TABLE session(
            row INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            user TEXT,
            started INTEGER NOT NULL,
            ended INTEGER,
            implicit INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0,
            metadata BLOB NOT NULL);
        CREATE INDEX session_by_user ON session(uid, user, started);
        CREATE INDEX session_removed ON session(removed) WHERE removed;

        CREATE TABLE current(
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            session INTEGER NOT NULL REFERENCES session(row),
            PRIMARY KEY(uid, app)) WITHOUT ROWID;
        CREATE INDEX current_by_session ON current(session);

        -- A block is the records of one session out of one commit. Blocks of one commit share `batch` and may overlap
        -- in sequence with each other, never with those of another commit.
        CREATE TABLE block(
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            batch INTEGER NOT NULL,
            session INTEGER NOT NULL REFERENCES session(row),
            events INTEGER NOT NULL,
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            data BLOB NOT NULL);
        CREATE INDEX block_by_session ON block(session, first, events);

        CREATE TABLE destination(name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        -- No user id is empty: '' stands for everybody anonymous. Sessions are named by id, as presentations outlive them.
        -- The states below 3 are open; `wakes` is when something happens by itself, NULL for never.
        CREATE TABLE presentation(
            row INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            survey TEXT NOT NULL,
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            app TEXT NOT NULL,
            origin BLOB NOT NULL,
            session BLOB,
            state INTEGER NOT NULL,
            created INTEGER NOT NULL,
            due INTEGER NOT NULL,
            expires INTEGER,
            presented INTEGER,
            closed INTEGER,
            wakes INTEGER,
            uncounted INTEGER NOT NULL,
            ownsSession INTEGER NOT NULL,
            reason TEXT,
            locale TEXT,
            answers BLOB NOT NULL,
            shown BLOB NOT NULL);
        CREATE INDEX presentation_wakes ON presentation(wakes, id, uid, user) WHERE wakes IS NOT NULL;
        CREATE INDEX presentation_open ON presentation(uid, user, survey) WHERE state < 3;
        CREATE INDEX presentation_ready ON presentation(uid, app, due, user) WHERE state = 1;
        CREATE INDEX presentation_shown ON presentation(uid, user) WHERE state = 2;
        CREATE INDEX presentation_by_survey ON presentation(survey);
        CREATE INDEX presentation_by_session ON presentation(coalesce(session, origin));

        CREATE TABLE gating(
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            survey TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            presented INTEGER,
            completed INTEGER,
            sessions BLOB NOT NULL,
            PRIMARY KEY(uid, user, survey)) WITHOUT ROWID;
        """,
        """
        -- How far each lane of each destination has come, and what is to be remembered of it beside.
        ALTER TABLE destination ADD COLUMN state BLOB;

        -- Records a destination will not take, by number: their content lies in the log.
        CREATE TABLE deadLetter(
            destination TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            lane TEXT NOT NULL,
            session INTEGER NOT NULL,
            at INTEGER NOT NULL,
            cause TEXT NOT NULL,
            status INTEGER,
            reason TEXT NOT NULL,
            replays INTEGER NOT NULL,
            PRIMARY KEY(destination, sequence)) WITHOUT ROWID;
        CREATE INDEX deadLetter_by_session ON deadLetter(session);
        """,
        """
        -- As above, '' stands for everybody anonymous.
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
        """,
        """
        CREATE INDEX session_by_start ON session(started);
        """,
        counters,
        """
        -- What was begun of a form and not given as an answer, packed; NULL for nothing.
        ALTER TABLE form ADD COLUMN draft BLOB;
        """,
        """
        -- The connections and processes whose run a counter follows, packed; NULL where it follows the daemon's.
        ALTER TABLE counter ADD COLUMN holders BLOB;
        CREATE INDEX counter_held ON counter(uid, app) WHERE holders IS NOT NULL;
        """,
        """
        -- How many surveys brought each other about before it.
        ALTER TABLE presentation ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
        """,
        """
        -- How far each producer has come: the number of its newest send, and of the record that was made of it.
        CREATE TABLE producer(
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            number INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY(uid, app, id)) WITHOUT ROWID;
        """,
    ]

    /// Opens the file for writing, creates or migrates its tables.
    static func open(path: String) throws(StoreError) -> Database {
        let database = try Database(path: path, access: .write)
        let version = Int(try database.integer("PRAGMA user_version") ?? 0)
        let application = try database.integer("PRAGMA application_id") ?? 0
        if version == 0, application == 0 {
            let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard tables == 0 else { throw foreign(path) }
            // Only possible before the first table: pages freed by a clear can be given back piece by piece.
            try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        } else if application != applicationId {
            throw foreign(path)
        }
        guard version >= 0 else { throw foreign(path) }
        guard version <= migrations.count else {
            throw StoreError(
                .tooNew,
                "\(path) was written by a newer Hark (store version \(version), this one knows "
                    + "\(migrations.count)); install that version again, or move the file aside to start anew")
        }
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA cache_size = -1024;
            """)
        for next in version..<migrations.count {
            try database.transaction { () throws(StoreError) in
                try database.execute(migrations[next])
                try database.execute("PRAGMA application_id = \(applicationId); PRAGMA user_version = \(next + 1)")
            }
        }
        return database
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(
            .damaged, "\(path) is not a Hark store; move it aside, or give another state folder with --state")
    }
}
