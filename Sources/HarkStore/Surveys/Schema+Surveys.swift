internal import HarkCore

extension StoreFamily {
    static let surveys = StoreFamily(
        migrations: [
            2: Schema.surveys, 9: Schema.surveyDepth, 12: Schema.prompts, 18: Schema.closedShowings,
            22: Schema.showingTimes, 23: Schema.revisions, 24: Schema.eventsBehind + "\n" + Schema.tallies,
            25: Schema.enrolments, 26: Schema.histories, 27: Schema.quotas,
            28: Schema.givenValues, 29: Schema.credits, 30: Schema.eventRules,
        ],
        holdings: [
            .presentations: [
                """
                count(*), sum(length(answers) + ifnull(length(trigger), 0) + ifnull(length(given), 0))
                FROM presentation WHERE uid = ? AND state < 3
                """,
                "count(*), sum(length(data)) FROM enrolment WHERE uid = ?",
            ],
            .prompts: ["count(*), 0 FROM presentation WHERE uid = ? AND prompt IS NOT NULL AND state < 3"],
            // Under a uid that no account has.
            .allPrompts: ["count(*), 0 FROM presentation WHERE ? >= 0 AND prompt IS NOT NULL AND state < 3"],
        ])
}

extension Schema {
    /// The tables of presentations and gating.
    static let surveys = """
        -- No user id is empty: '' stands for everybody anonymous. Sessions are named by id, as presentations outlive them.
        -- The states below 3 are open; `wakes` is when something happens by itself, NULL for never.
        CREATE TABLE presentation(
            row INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            survey TEXT NOT NULL,
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            app TEXT NOT NULL,
            origin BLOB NOT NULL,
            session BLOB,
            state INTEGER NOT NULL,
            created INTEGER NOT NULL,
            due INTEGER NOT NULL,
            expires INTEGER,
            presented INTEGER,
            closed INTEGER,
            wakes INTEGER,
            uncounted INTEGER NOT NULL,
            ownsSession INTEGER NOT NULL,
            reason TEXT,
            locale TEXT,
            answers BLOB NOT NULL,
            shown BLOB NOT NULL);
        CREATE INDEX presentation_wakes ON presentation(wakes, id, uid, user) WHERE wakes IS NOT NULL;
        CREATE INDEX presentation_open ON presentation(uid, user, survey) WHERE state < 3;
        CREATE INDEX presentation_ready ON presentation(uid, app, due, user) WHERE state = 1;
        CREATE INDEX presentation_shown ON presentation(uid, user) WHERE state = 2;
        CREATE INDEX presentation_by_survey ON presentation(survey);
        CREATE INDEX presentation_by_session ON presentation(coalesce(session, origin));

        CREATE TABLE gating(
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            survey TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            presented INTEGER,
            completed INTEGER,
            sessions BLOB NOT NULL,
            PRIMARY KEY(uid, user, survey)) WITHOUT ROWID;
        """

    static let surveyDepth = """
        -- How many surveys brought each other about before it.
        ALTER TABLE presentation ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
        """

    static let prompts = """
        -- The question of a program that a presentation shows, with all there is to know of it; NULL: a survey.
        ALTER TABLE presentation ADD COLUMN prompt BLOB;
        ALTER TABLE presentation ADD COLUMN definition BLOB;
        CREATE INDEX presentation_by_prompt ON presentation(prompt) WHERE prompt IS NOT NULL;
        CREATE INDEX presentation_open_prompts ON presentation(uid) WHERE prompt IS NOT NULL AND state < 3;
        CREATE INDEX presentation_closed_prompts ON presentation(uid) WHERE prompt IS NOT NULL AND state >= 3;
        """

    static let showingTimes = """
        -- When what happened to it, packed as properties are; NULL: shown by a version that did not know.
        ALTER TABLE presentation ADD COLUMN times BLOB;
        """

    static let revisions = """
        -- The showing whose answers these are in the place of, the one that is in the place of these, and until when they may
        -- be changed.
        ALTER TABLE presentation ADD COLUMN revises BLOB;
        ALTER TABLE presentation ADD COLUMN revisedBy BLOB;
        ALTER TABLE presentation ADD COLUMN changeable INTEGER;
        -- 1: a mark is in the place of its free texts, 2: in that of files as well.
        ALTER TABLE presentation ADD COLUMN redacted INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX presentation_redacted ON presentation(row) WHERE redacted = 1;
        """

    static let enrolments = """
        -- Who takes part in surveys with a schedule, or did; `wakes` is when the next prompt is due, or the next day is planned.
        CREATE TABLE enrolment(
            row INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            survey TEXT NOT NULL,
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            app TEXT NOT NULL,
            wakes INTEGER,
            data BLOB NOT NULL);
        CREATE UNIQUE INDEX enrolment_of_user ON enrolment(uid, user, survey);
        CREATE INDEX enrolment_wakes ON enrolment(wakes, id, uid, user) WHERE wakes IS NOT NULL;
        """

    static let eventsBehind = """
        -- What is kept of the properties of the event that brought it about, packed; NULL: nothing.
        ALTER TABLE presentation ADD COLUMN trigger BLOB;
        CREATE INDEX presentation_by_origin ON presentation(origin) WHERE trigger IS NOT NULL;
        """

    static let tallies = """
        -- What results need of some hundred showings of a survey, from row to row: it follows from these (`ShowingTally`), and goes
        -- with the first change of one of them.
        CREATE TABLE tally(
            row INTEGER PRIMARY KEY,
            survey TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            data BLOB NOT NULL);
        CREATE UNIQUE INDEX tally_by_last ON tally(survey, last);
        CREATE TRIGGER tally_of_changed AFTER UPDATE ON presentation BEGIN
            DELETE FROM tally WHERE first <= old.row AND row =
                (SELECT row FROM tally WHERE survey = old.survey AND last >= old.row ORDER BY last LIMIT 1);
        END;
        CREATE TRIGGER tally_of_deleted AFTER DELETE ON presentation BEGIN
            DELETE FROM tally WHERE first <= old.row AND row =
                (SELECT row FROM tally WHERE survey = old.survey AND last >= old.row ORDER BY last LIMIT 1);
        END;
        """

    static let quotas = """
        -- How many answers a survey with a quota has in the period that began at `begins`, in milliseconds; NULL: it has no
        -- periods. The cell '' is all of them.
        CREATE TABLE quota(
            survey TEXT NOT NULL,
            cell TEXT NOT NULL,
            begins INTEGER,
            answers INTEGER NOT NULL,
            PRIMARY KEY(survey, cell)) WITHOUT ROWID;
        """

    static let givenValues = """
        -- The values that texts and conditions of its survey ask for, as they were when it was scheduled, packed; NULL: none.
        ALTER TABLE presentation ADD COLUMN given BLOB;
        DROP INDEX presentation_by_origin;
        CREATE INDEX presentation_by_origin ON presentation(origin) WHERE trigger IS NOT NULL OR given IS NOT NULL;
        -- The wording that was drawn for the user, by the id of its variant; NULL: none.
        ALTER TABLE gating ADD COLUMN variant TEXT;
        -- Tallies of before have no variants, and are made anew.
        DELETE FROM tally;
        """

    static let credits = """
        -- What the hub has dealt this machine of a survey's quota, in the period that began at `begins`; -1: it has no periods.
        CREATE TABLE credit(
            survey TEXT NOT NULL,
            begins INTEGER NOT NULL,
            cell TEXT NOT NULL,
            dealt INTEGER NOT NULL,
            returned INTEGER NOT NULL,
            spent INTEGER NOT NULL,
            freed INTEGER NOT NULL,
            PRIMARY KEY(survey, begins, cell)) WITHOUT ROWID;
        """

    static let histories = """
        -- When a survey was lately shown to a user, packed; NULL: only `presented` is known.
        ALTER TABLE gating ADD COLUMN recent BLOB;
        -- When events came that rules about a user's history ask for (`EventPattern.rule`), packed.
        CREATE TABLE eventTimes(
            uid INTEGER NOT NULL,
            user TEXT NOT NULL,
            rule TEXT NOT NULL,
            times BLOB NOT NULL,
            PRIMARY KEY(uid, user, rule)) WITHOUT ROWID;
        """

    static let eventRules = """
        -- What of the log the times of a rule (`EventPattern.rule`) do not count yet, packed. Those of before count no record that
        -- came before they did, and are not read again.
        CREATE TABLE eventRule(
            rule TEXT PRIMARY KEY,
            gaps BLOB NOT NULL) WITHOUT ROWID;
        INSERT INTO eventRule(rule, gaps) SELECT DISTINCT rule, x'' FROM eventTimes;
        """

    static let closedShowings = """
        -- A closed showing outlasts its session, and goes by its own age.
        CREATE INDEX presentation_closed ON presentation(closed, row) WHERE state >= 3;
        """
}
