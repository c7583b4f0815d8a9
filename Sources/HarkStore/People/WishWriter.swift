internal import HarkCore
internal import HarkWire

extension StoreFamily {
    static let wishes = StoreFamily(migrations: [23: Schema.wishes]) { WishWriter($0) }
}

extension Schema {
    static let wishes = """
        -- What accounts have said of being asked by a survey, or by all ('' as survey), and when they last were. Times and spans
        -- are milliseconds. 'muted' is until when, the highest number for ever; 'prompts' 1 where programs' questions are
        -- muted as well; 'every' at most once in so long; 'afar' when a survey of a hub or a URL was last shown.
        CREATE TABLE wish(
            row INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            survey TEXT NOT NULL,
            muted INTEGER,
            prompts INTEGER NOT NULL,
            every INTEGER,
            asked INTEGER,
            afar INTEGER,
            UNIQUE(uid, survey));
        -- The hours at which accounts are not asked, as they were given ('22:00-07:00 sat,sun', several parted by ';'), NULL for
        -- none; 'alarms' is 1 where surveys that are alarms may ask all the same.
        CREATE TABLE quiet(uid INTEGER PRIMARY KEY, hours TEXT, alarms INTEGER NOT NULL);
        -- How often a survey that is ready was told of again.
        ALTER TABLE presentation ADD COLUMN reminders INTEGER NOT NULL DEFAULT 0;
        """
}

/// Writes the tables of preferences on being asked. Belongs to the `StoreWriter`.
final class WishWriter: FamilyWriter {
    private let database: Database
    private lazy var put = DeferredStatement(database, WishTable.upsert)

    init(_ database: Database) { self.database = database }

    func write(_ row: WishRow) throws(StoreError) {
        switch row {
        case .put(let wish, let key) where wish == Wish():
            try database.prepare("DELETE FROM wish WHERE uid = ? AND survey = ?").bind(1, Int64(key.uid))
                .bind(2, key.survey?.text ?? "").run()
        case .put(let wish, let key): try WishTable.bind((key, wish), to: put()).run()
        case .putQuiet(let quiet, let uid) where quiet == PersonalQuiet():
            try database.prepare("DELETE FROM quiet WHERE uid = ?").bind(1, Int64(uid)).run()
        case .putQuiet(let quiet, let uid):
            try database.prepare("INSERT OR REPLACE INTO quiet(uid, hours, alarms) VALUES (?, ?, ?)")
                .bind(1, Int64(uid)).bind(2, quiet.hours?.text).bind(3, quiet.allowsAlarms ? 1 : 0).run()
        case .forgetAsking(let uid):
            try database.prepare("UPDATE wish SET asked = NULL, afar = NULL WHERE ?1 IS NULL OR uid = ?1")
                .bind(1, uid.map(Int64.init)).run()
            try database.execute("DELETE FROM wish WHERE muted IS NULL AND every IS NULL AND asked IS NULL")
        }
    }
}
