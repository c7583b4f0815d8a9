extension StoreFamily {
    static let delivery = StoreFamily(migrations: [1: Schema.destinations, 3: Schema.deadLetters]) {
        DeliveryWriter($0)
    }
}

extension Schema {
    /// The table of destinations with their cursors.
    static let destinations = """
        CREATE TABLE destination(name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;
        """

    static let deadLetters = """
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
        """
}
