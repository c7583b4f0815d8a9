extension StoreFamily {
    static let records = StoreFamily(migrations: [
        1: Schema.blocks, 11: Schema.stretches, 16: Schema.blocksBySession, 17: Schema.newChecksum,
        21: Schema.pageChecksums,
    ])
}

extension Schema {
    /// What is recorded.
    static let blocks = """
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
        """

    /// Which blocks have records of which names (`NameStretch`).
    static let stretches = """
        CREATE TABLE stretch(
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL,
            names BLOB NOT NULL,
            blocks BLOB NOT NULL);
        """

    /// The index by session as a table of its own, which is written for many commits at once (`SessionIndex`). With it goes
    /// the constraint that would look through the log at each session that is deleted, by the way that SQLite's manual
    /// gives for that ("Making Other Kinds Of Table Schema Changes", the shorter one); a session is deleted behind its blocks.
    static let blocksBySession = """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES session(row)', '')
        WHERE type = 'table' AND name = 'block';
        PRAGMA writable_schema = RESET;
        CREATE TABLE session_block(
            session INTEGER NOT NULL,
            first INTEGER NOT NULL,
            events INTEGER NOT NULL,
            PRIMARY KEY(session, first)) WITHOUT ROWID;
        INSERT INTO session_block
        SELECT session, first, events FROM block WHERE first <= 4611686018427387904 ORDER BY session, first;
        INSERT INTO meta(key, value)
        SELECT 'blocksBySession', max(0, coalesce(max(first), 0)) FROM block WHERE first <= 4611686018427387904;
        DROP INDEX block_by_session;
        CREATE VIEW block_of_session AS
        SELECT session, first, events FROM session_block
        UNION ALL
        SELECT session, first, events FROM block
        WHERE first > (SELECT value FROM meta WHERE key = 'blocksBySession');
        """

    /// Blocks have another checksum from here on (`Checksum`), which earlier programs would take for damage. Those that are there
    /// keep theirs.
    static let newChecksum = "-- What is there stays as it is."

    /// Pages have checksums from here on (`CStoreFile`), which earlier programs would not write. A file that is there gets them
    /// when it is made anew (`StoreRebuild`).
    static let pageChecksums = "-- What is there stays as it is."
}
