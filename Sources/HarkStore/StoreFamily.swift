internal import HarkCore

/// A family's part of the store: its tables and their writer.
package struct StoreFamily: Sendable {
    /// The statements that migrate a file to a version of the store from the one before. Only ever added to.
    let migrations: [Int: String]
    /// The queries for a user's holdings: after SELECT, the count and the bytes of a uid. The results of several
    /// queries are summed. They scan the rows but not their content; all of it is bounded.
    let holdings: [Holding: [String]]
    let makeWriter: @Sendable (Database) -> (any FamilyWriter)?

    /// - Parameter makeWriter: returns nil for rows with a case of their own in `Changes.Row`, whose writer the
    ///   `StoreWriter` creates itself.
    init(
        migrations: [Int: String] = [:], holdings: [Holding: [String]] = [:],
        makeWriter: @escaping @Sendable (Database) -> (any FamilyWriter)? = { _ in nil }
    ) {
        self.migrations = migrations
        self.holdings = holdings
        self.makeWriter = makeWriter
    }

    /// The families of every store.
    package static let all: [StoreFamily] = [
        .meta, .sessions, .records, .delivery, .surveys, .forms, .counters, .producers, .watches, .wishes,
        .machines, .fleet, .fleetCredits, .unreadable,
    ]

    private static let meta = StoreFamily(
        migrations: [1: "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"])
}

/// Writes the rows of a family. Belongs to the `StoreWriter`.
protocol FamilyWriter: AnyObject {
    associatedtype Row

    func write(_ row: Row) throws(StoreError)

    /// Called at the start of a transaction, with its rows of all families.
    func begin(_ rows: [Changes.Row])

    /// Called when all rows of the transaction are written.
    func end() throws(StoreError)

    /// Deletes data that belongs to a session, which still exists. Called for clears and retention.
    func sweep(sessionRow: Int64) throws(StoreError)
}

extension FamilyWriter {
    func begin(_ rows: [Changes.Row]) {}
    func end() throws(StoreError) {}
    func sweep(sessionRow: Int64) throws(StoreError) {}

    /// The key by which the writer for `Changes.Row.other` is found.
    var rowType: ObjectIdentifier { ObjectIdentifier(Row.self) }

    func take(_ row: any FamilyRow) throws(StoreError) {
        if let row = row as? Row { try write(row) }
    }
}

extension Database {
    /// Deletes the rows of users whose data is removed entirely (`Selection.containsEverything`), from tables with the
    /// columns `uid` and `user`.
    func clear(_ tables: [String], of selection: Selection) throws(StoreError) {
        var (condition, user) = ("true", "")
        switch selection.target {
        case .all: break
        case .user(let userId): (condition, user) = ("user = ?2", userId ?? "")
        case .session: return
        }
        if selection.uid != nil { condition += " AND uid = ?1" }
        for table in tables {
            let statement = try prepare("DELETE FROM \(table) WHERE \(condition)")
            if let uid = selection.uid { statement.bind(1, Int64(uid)) }
            if case .user = selection.target { statement.bind(2, user) }
            try statement.run()
        }
    }
}
