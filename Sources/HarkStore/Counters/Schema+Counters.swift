internal import HarkCore

extension StoreFamily {
    static let counters = StoreFamily(
        migrations: [6: Schema.counters, 8: Schema.counterHolders, 27: Schema.executedEvents],
        holdings: [
            .counters: [
                """
                count(*), sum(length(CAST(name AS BLOB)) + length(initial) + coalesce(length(changed), 0))
                FROM counter WHERE uid = ?
                """
            ],
            .executions: [
                "count(*), sum(length(CAST(id AS BLOB)) + length(definition)) FROM execution WHERE uid = ?"
            ],
            .runs: [
                """
                count(*), sum(length(action) + length(counters) + coalesce(length(value), 0))
                FROM run WHERE uid = ? AND state = 0
                """
            ],
        ])
}

extension Schema {
    /// The tables of counters and executions. Values are packed JSON; `changed` is NULL while a counter has its initial
    /// value. `changedIn` and `registeredIn` are runs of the daemon; the table `run` holds the runs of executions.
    static let counters = """
        CREATE TABLE counter(
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            name TEXT NOT NULL,
            lifetime INTEGER NOT NULL,
            initial BLOB NOT NULL,
            changed BLOB,
            changedIn INTEGER NOT NULL,
            registeredIn INTEGER NOT NULL,
            PRIMARY KEY(uid, app, name)) WITHOUT ROWID;
        CREATE INDEX counter_instance ON counter(uid, app) WHERE lifetime = 0 AND changed IS NOT NULL;

        CREATE TABLE execution(
            row INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            added INTEGER NOT NULL,
            definition BLOB NOT NULL,
            fired INTEGER NOT NULL,
            lastFired INTEGER,
            pending INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            UNIQUE(uid, app, id));

        CREATE TABLE listening(
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            counter TEXT NOT NULL,
            execution INTEGER NOT NULL REFERENCES execution(row) ON DELETE CASCADE,
            PRIMARY KEY(uid, app, counter, execution)) WITHOUT ROWID;
        CREATE INDEX listening_by_execution ON listening(execution);

        -- How far a scope has come with the executions of the settings.
        CREATE TABLE configured(
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            id TEXT NOT NULL,
            fired INTEGER NOT NULL,
            lastFired INTEGER,
            pending INTEGER NOT NULL,
            dropped INTEGER NOT NULL,
            PRIMARY KEY(uid, app, id)) WITHOUT ROWID;

        -- The states 0 and 1 are open.
        CREATE TABLE run(
            row INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            uid INTEGER NOT NULL,
            app TEXT NOT NULL,
            execution TEXT NOT NULL,
            configured INTEGER NOT NULL,
            action BLOB NOT NULL,
            counter TEXT,
            value BLOB,
            counters BLOB NOT NULL,
            fired INTEGER NOT NULL,
            state INTEGER NOT NULL,
            started INTEGER,
            ended INTEGER,
            note TEXT);
        CREATE INDEX run_due ON run(fired, id) WHERE state = 0;
        CREATE INDEX run_of_execution ON run(uid, app, execution) WHERE state = 0;
        CREATE INDEX run_started ON run(row) WHERE state = 1;
        CREATE INDEX run_by_end ON run(uid, app, state, row) WHERE state > 1;
        """

    static let executedEvents = """
        -- Where `isEvent` is 1, `counter` is the name of an event.
        ALTER TABLE listening ADD COLUMN isEvent INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX listening_event ON listening(counter) WHERE isEvent = 1;
        -- The session of the event that a run was fired by; its value is what is told of the event.
        ALTER TABLE run ADD COLUMN session INTEGER;
        """

    static let counterHolders = """
        -- The connections and processes whose run a counter follows, packed; NULL where it follows the daemon's.
        ALTER TABLE counter ADD COLUMN holders BLOB;
        CREATE INDEX counter_held ON counter(uid, app) WHERE holders IS NOT NULL;
        """
}
