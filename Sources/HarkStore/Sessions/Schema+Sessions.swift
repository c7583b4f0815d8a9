internal import HarkCore

extension StoreFamily {
    static let sessions = StoreFamily(
        migrations: [1: Schema.sessions, 5: Schema.sessionsByStart],
        holdings: [.apps: ["count(*), 0 FROM current WHERE uid = ?"]])
}

extension Schema {
    /// As SQL, which sessions are to be swept away: both, as SQLite does not see that the one, by which they have an index, follows
    /// from the other.
    static let isRemoved = "removed AND removed = 1"

    /// Sessions, and which is the current one of a scope.
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

    // `implicit` is 0 for what was asked for, 1 for what began by itself, 2 for what was made for entries, and 3 for what no
    // clear means.

    static let sessionsByStart = """
        CREATE INDEX session_by_start ON session(started);
        """
}
