internal import HarkCore

/// A family's part of the store: its tables, and who writes them.
package struct StoreFamily: Sendable {
    /// The statements that bring a file to a version of the store from the one before. Only ever added to.
    let migrations: [Int: String]
    /// How much a user keeps: after SELECT, the count and the bytes of what a uid has. Costs a walk over what that is, not over
    /// its content: all of it has bounds. Of several queries, what they tell is added up.
    let holdings: [Holding: [String]]
    let makeWriter: @Sendable (Database) throws(StoreError) -> (any FamilyWriter)?

    /// - Parameter makeWriter: nil where the rows have a case of their own in `Changes.Row`, as the `StoreWriter` makes that
    ///   writer itself.
    init(
        migrations: [Int: String] = [:], holdings: [Holding: [String]] = [:],
        makeWriter: @escaping @Sendable (Database) throws(StoreError) -> (any FamilyWriter)? = { _ in nil }
    ) {
        self.migrations = migrations
        self.holdings = holdings
        self.makeWriter = makeWriter
    }

    /// Those that every store has.
    package static let all: [StoreFamily] = [
        .meta, .sessions, .records, .delivery, .surveys, .forms, .counters, .producers, .watches, .wishes,
        .machines, .fleet, .unreadable,
    ]

    private static let meta = StoreFamily(
        migrations: [1: "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"])
}

/// Writes what a family keeps. Lives with the `StoreWriter`.
protocol FamilyWriter: AnyObject {
    associatedtype Row

    func write(_ row: Row) throws(StoreError)

    /// A transaction with these rows, of all families, begins.
    func begin(_ rows: [Changes.Row])

    /// All its rows are written.
    func end() throws(StoreError)

    /// Deletes what goes with a session, which is still there itself. By a clear, or as retention does not keep it.
    func sweep(sessionRow: Int64) throws(StoreError)
}

extension FamilyWriter {
    func begin(_ rows: [Changes.Row]) {}
    func end() throws(StoreError) {}
    func sweep(sessionRow: Int64) throws(StoreError) {}

    /// What `Changes.Row.other` is looked up by.
    var rowType: ObjectIdentifier { ObjectIdentifier(Row.self) }

    func take(_ row: any FamilyRow) throws(StoreError) {
        if let row = row as? Row { try write(row) }
    }
}

extension Database {
    /// Deletes the rows of users of whom everything goes (`Selection.containsEverything`), from tables with the columns `uid`
    /// and `user`.
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
