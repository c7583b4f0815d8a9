/// The tables of the store, and their migrations.
///
/// `PRAGMA user_version` is the number of migrations applied; `application_id` marks the file as a Hark store.
enum Schema {
    /// "Hark" in ASCII.
    static let applicationId: Int64 = 0x4861_726b

    /// The migrations in order: each brings a file from the version of its index to the next.
    static func migrations(of families: [StoreFamily]) -> [String] {
        let newest = families.flatMap(\.migrations.keys).max() ?? 0
        return (0..<newest).map { version in
            families.compactMap { $0.migrations[version + 1] }.joined(separator: "\n")
        }
    }

    /// Opens the file for writing; creates or migrates its tables.
    static func open(path: String, families: [StoreFamily] = StoreFamily.all) throws(StoreError) -> Database {
        let migrations = migrations(of: families)
        let database = try Database(path: path, access: .write)
        let version = Int(try database.integer("PRAGMA user_version") ?? 0)
        let application = try database.integer("PRAGMA application_id") ?? 0
        if version == 0, application == 0 {
            let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard tables == 0 else { throw foreign(path) }
            try prepare(database)
        } else if application != applicationId {
            throw foreign(path)
        }
        guard version >= 0 else { throw foreign(path) }
        guard version <= migrations.count else {
            throw StoreError(
                .tooNew,
                "\(path) was written by a newer Hark (store version \(version), this one knows "
                    + "\(migrations.count)); install that version again, or move the file aside to start with an empty store"
            )
        }
        try database.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA cache_size = -1024;
            """)
        for next in version..<migrations.count {
            try database.transaction { () throws(StoreError) in
                try database.execute(migrations[next])
                try database.execute("PRAGMA application_id = \(applicationId); PRAGMA user_version = \(next + 1)")
            }
        }
        // Copies the schema into the file, so that it can be saved (`StoreHead`).
        if version < migrations.count { _ = try database.checkpoint(.passive) }
        return database
    }

    /// Sets options that must be set before the first table exists.
    static func prepare(_ database: Database) throws(StoreError) {
        try database.reserveChecksums()
        // Allows pages freed by a clear to be returned in batches.
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(
            .damaged, "\(path) is not a Hark store; move it aside, or give another state folder with --state")
    }
}
