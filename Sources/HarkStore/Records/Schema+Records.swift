extension StoreFamily {
    static let records = StoreFamily(migrations: [1: Schema.blocks, 11: Schema.stretches])
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
}
