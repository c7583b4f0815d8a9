internal import HarkCore

extension StoreFamily {
    static let producers = StoreFamily(
        migrations: [10: Schema.producers],
        holdings: [.producers: ["count(*), 0 FROM producer WHERE uid = ?"]])
}

extension Schema {
    static let producers = """
        -- How far each producer has come: the number of its newest send, and of the record that was made of it.
        CREATE TABLE producer(
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            number INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY(uid, app, id)) WITHOUT ROWID;
        """
}
