/// The tables. Hark makes and updates them, or prints them for an administrator.
package struct PostgresSchema: Sendable, Equatable {
    /// Whether records lie in a table for each month; that is decided when the tables are made.
    package var isByMonth = false
    /// Whether sessions that are removed here are removed there.
    package var followsRemovals = false

    package init() {}

    /// The number of steps that a database of this version has had.
    package static let version = 1

    /// The whole SQL, for an administrator to read and run.
    package var script: String {
        """
        -- Tables of Hark, version \(Self.version). Run it as the role that will own them: psql -1 -f FILE DATABASE
        \(create)
        \(options)
        \(Self.stamp)
        """
    }

    /// What brings a database from a version to this one, in one transaction.
    package func statements(from version: Int) -> String {
        let steps = version < 1 ? create + "\n" + options : options
        return version < Self.version ? steps + "\n" + Self.stamp : steps
    }

    private static let stamp = """
        INSERT INTO hark.meta (key, value) VALUES ('version', '\(version)')
            ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value;
        """

    /// What may be asked for later as well.
    private var options: String {
        followsRemovals ? "CREATE INDEX IF NOT EXISTS record_session ON hark.record (session);\n" : ""
    }

    /// The lock of a change of tables, so that only one runs at a time: "Hark" in ASCII.
    package static let lock = 0x4861_726b

    private var record: String {
        """
        -- Every record once, by the id of its log and its number there. Properties are as they were recorded, byte for byte.
        CREATE TABLE hark.record (
            log uuid NOT NULL, seq bigint NOT NULL, id uuid NOT NULL, kind text NOT NULL, name text NOT NULL,
            at timestamptz NOT NULL, session uuid NOT NULL, user_id text, app text NOT NULL, uid bigint NOT NULL,
            machine text, machine_group text, source_uid bigint NOT NULL, source_pid integer NOT NULL,
            properties json NOT NULL, PRIMARY KEY (log, seq\(isByMonth ? ", at)) PARTITION BY RANGE (at" : ")"));
        CREATE INDEX record_at ON hark.record USING brin (at);
        """ + (isByMonth ? "\n" + Self.months : "")
    }

    /// Tables of months are made as records come, also by those who may only write.
    private static let months = """
        CREATE TABLE hark.record_other PARTITION OF hark.record DEFAULT;
        CREATE FUNCTION hark.month(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
            SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            name text := 'record_' || to_char(day, 'YYYY_MM');
        BEGIN
            PERFORM pg_advisory_xact_lock(\(lock));
            IF to_regclass('hark.' || name) IS NULL THEN
                EXECUTE format('CREATE TABLE hark.%I (LIKE hark.record INCLUDING DEFAULTS)', name);
                EXECUTE format('ALTER TABLE hark.record ATTACH PARTITION hark.%I FOR VALUES FROM (%L) TO (%L)', name,
                    day::timestamp AT TIME ZONE 'UTC', (day + interval '1 month') AT TIME ZONE 'UTC');
            END IF;
        END $$;
        """

    private var create: String {
        """
        CREATE SCHEMA IF NOT EXISTS hark;

        CREATE TABLE hark.meta (key text PRIMARY KEY, value text NOT NULL);
        -- Up to which record each store has handed over all that it wants kept here.
        CREATE TABLE hark.position (
            log uuid PRIMARY KEY, seq bigint NOT NULL, id uuid NOT NULL, at timestamptz NOT NULL);
        \(record)

        -- jsonb has no character U+0000, and json has: in its place comes U+FFFD.
        CREATE FUNCTION hark.jsonb(text json) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN strpos(text::text, '\\u0000') = 0 THEN text::jsonb
                ELSE regexp_replace(text::text, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000', '\\1\\\\ufffd', 'g')::jsonb END $$;

        CREATE VIEW hark.events AS
            SELECT log, seq, id, name, at AS timestamp, user_id, session AS session_id, app, machine,
                machine_group AS "group", hark.jsonb(properties) AS properties
            FROM hark.record WHERE kind = 'event';
        CREATE VIEW hark.logs AS
            SELECT log, seq, id, name AS level, at AS timestamp, user_id, session AS session_id, app, machine,
                machine_group AS "group", hark.jsonb(properties)->>'message' AS message,
                hark.jsonb(properties)->'metadata' AS metadata
            FROM hark.record WHERE kind = 'log';
        CREATE VIEW hark.sessions AS
            SELECT s.log, s.session AS id, s.user_id, s.app, s.uid, s.at AS started_at, e.at AS ended_at, s.machine,
                s.machine_group AS "group", hark.jsonb(s.properties) AS metadata
            FROM hark.record s
            LEFT JOIN hark.record e ON e.log = s.log AND e.session = s.session AND e.kind = 'session.ended'
            WHERE s.kind = 'session.started';
        -- An answer a row: of surveys with several questions each of them, of the others the one there is.
        CREATE VIEW hark.answers AS
            SELECT r.log, r.seq, r.id, r.at AS timestamp, r.user_id, r.session AS session_id, r.app, r.machine,
                r.machine_group AS "group", 'survey' AS source, r.p->>'id' AS survey, q.question, q.answer,
                r.p->>'comment' AS comment, r.p->>'presentationId' AS presentation_id, r.p->>'revises' AS revises
            FROM (SELECT *, hark.jsonb(properties) AS p FROM hark.record
                WHERE kind = 'event' AND name = 'survey_response') r
            CROSS JOIN LATERAL (
                SELECT substr(key, 8) AS question, value AS answer FROM jsonb_each(r.p) WHERE starts_with(key, 'answer.')
                UNION ALL
                SELECT NULL, coalesce(r.p->'option', r.p->'text')
                WHERE NOT EXISTS (SELECT FROM jsonb_object_keys(r.p) k WHERE starts_with(k, 'answer.'))) q
            UNION ALL
            SELECT r.log, r.seq, r.id, r.at, r.user_id, r.session, r.app, r.machine, r.machine_group, 'form', r.name,
                r.p->>'question', r.p->'answer', NULL, NULL, NULL
            FROM (SELECT *, hark.jsonb(properties) AS p FROM hark.record WHERE kind = 'form') r
            WHERE r.p ? 'question';
        -- Events as `hark export` writes them, byte for byte.
        CREATE VIEW hark.lines AS
            SELECT log, seq, session AS session_id,
                '{"id":"' || id || '","seq":' || seq || ',"name":' || to_json(name) || ',"timestamp":"'
                || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","sessionId":"' || session || '"'
                || coalesce(',"userId":' || to_json(user_id), '') || ',"properties":' || properties
                || ',"source":{"uid":' || source_uid || ',"pid":' || source_pid || '}}' AS line
            FROM hark.record WHERE kind = 'event';
        """
    }
}
