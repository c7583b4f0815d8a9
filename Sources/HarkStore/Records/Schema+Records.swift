extension StoreFamily {
    static let records = StoreFamily(migrations: [
        1: Schema.blocks, 11: Schema.stretches, 16: Schema.blocksBySession, 17: Schema.newChecksum,
        21: Schema.pageChecksums,
    ])
}

extension Schema {
    /// The table of blocks.
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

    /// The table of name indices (`NameStretch`).
    static let stretches = """
        CREATE TABLE stretch(
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            earliest INTEGER NOT NULL,
            latest INTEGER NOT NULL,
            names BLOB NOT NULL,
            blocks BLOB NOT NULL);
        """

    /// Makes the index by session a table of its own, which is written for many commits at once (`SessionIndex`). Also
    /// drops the constraint that would scan the log for each deleted session, in the (shorter) way that SQLite's manual
    /// gives in "Making Other Kinds Of Table Schema Changes"; a session is deleted after its blocks.
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

    /// New blocks have another checksum from this version on (`Checksum`), which earlier programs would take for
    /// damage. Existing blocks keep theirs.
    static let newChecksum = "-- What is there stays as it is."

    /// Pages of new files have checksums from this version on (`CStoreFile`), which earlier programs would not write.
    /// An existing file gets them when it is rebuilt (`StoreRebuild`).
    static let pageChecksums = "-- What is there stays as it is."
}
