internal import HarkCore

extension StoreFamily {
    static let sessions = StoreFamily(
        migrations: [1: Schema.sessions, 5: Schema.sessionsByStart],
        holdings: [.apps: ["count(*), 0 FROM current WHERE uid = ?"]])
}

extension Schema {
    /// The SQL condition for sessions to delete. It has both terms, because SQLite does not infer the first, which enables the
    /// index, from the second.
    static let isRemoved = "removed AND removed = 1"

    /// The tables of sessions, and of the current session per scope.
    static let sessions = """
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
        """

    // `implicit` is 0 for a session that was requested, 1 for one that a first event started, 2 for one made for
    // entries, and 3 for one that no clear covers.

    static let sessionsByStart = """
        CREATE INDEX session_by_start ON session(started);
        """
}
