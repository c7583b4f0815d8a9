extension Schema {
    static let watches = """
        -- Events that users wait for. The condition is packed JSON, NULL for none; NULL as app and user stands for any. Times
        -- are milliseconds, those of 'since' by the time of watches; 'came' is 1 while it is to be told that it has come again.
        CREATE TABLE watch(
            row INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            id TEXT NOT NULL,
            event TEXT NOT NULL,
            every INTEGER NOT NULL,
            condition BLOB,
            app TEXT,
            user TEXT,
            added INTEGER NOT NULL,
            since INTEGER NOT NULL,
            lastAt INTEGER,
            lastSequence INTEGER,
            missed INTEGER,
            came INTEGER NOT NULL,
            misses INTEGER NOT NULL,
            UNIQUE(uid, id));
        """

    static let watchHours = """
        -- When that is counted, as it was given ('08:00-18:00', 'mon-fri'); NULL: at any time, on any day.
        ALTER TABLE watch ADD COLUMN hours TEXT;
        ALTER TABLE watch ADD COLUMN days TEXT;
        """
}
