package import HarkCore
package import HarkWire

extension StoreReader {
    /// A presentation, open or closed; nil if it is unknown.
    package func presentation(_ id: Identifier) throws(StoreError) -> Presentation? { try surveys.presentation(id) }
}

/// A query for a page of presentations, oldest first.
package struct PresentationQuery: Sendable {
    package var survey: String?
    package var uid: UInt32?
    package var user: UserFilter?
    package var app: String?
    package var machines: MachineFilter?
    package var states: Set<Presentation.State> = Set(Presentation.State.allCases)
    package var id: Identifier?
    /// Only presentations after this row.
    package var afterRow: Int64?
    /// Only presentations before this row.
    var beforeRow: Int64?
    package var limit = Int.max
    /// The size in the store at which a page ends, in bytes.
    package var maxBytes = Int.max
    /// The number of rows, matching or not, at which a page ends: for queries without an index.
    package var maxRows: Int?
    /// With `maxRows`: whether to include programs' questions from the user's sessions; these presentations belong to
    /// the account.
    package var includesPrompts = false
    /// Whether to include presentations whose answers were changed or withdrawn.
    package var includesRevised = false

    package init() {}

    /// Whether a row, with these columns from the third on, matches user and app.
    func includes(_ row: Statement) -> Bool {
        if let uid, Int64(uid) != row.integer(2) { return false }
        if case .user(let userId) = user, !(userId ?? "").hasSameBytes(as: row.text(3) ?? "") { return false }
        if let app, !app.hasSameBytes(as: row.text(4) ?? "") { return false }
        return true
    }
}

extension StoreReader {
    /// Calls `body` for the presentations of a query, each with its row, oldest first.
    ///
    /// - Returns: the row after which to continue; nil when there is nothing more.
    package func forEachPresentation(
        _ query: PresentationQuery, _ body: (Presentation, Int64) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64? {
        try forEachShowing(query) { row throws(StoreError) in
            guard let presentation = try surveys.presentation(in: row), query.states.contains(presentation.state)
            else { return false }
            try body(presentation, PresentationTable.number(row))
            return true
        }
    }

    /// - Parameter body: returns whether the row counts towards the limit.
    func forEachShowing(
        _ query: PresentationQuery, _ body: (Statement) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int64? {
        let machines = query.machines.map(MachineCondition.init)
        var conditions = ["true"]
        if query.survey != nil { conditions.append("survey = ?1") }
        // With `maxRows` these are tested below, as rows that SQLite skips are not counted.
        if query.maxRows == nil {
            if query.uid != nil { conditions.append("uid = ?2") }
            if query.user != nil { conditions.append("user = ?3") }
            if query.app != nil { conditions.append("app = ?4") }
            if let machines { conditions.append(machines.sql(on: "uid")) }
        }
        if query.id != nil { conditions.append("id = ?5") }
        if !query.includesRevised { conditions.append("revisedBy IS NULL") }
        if query.afterRow != nil { conditions.append("row > ?6") }
        if query.beforeRow != nil { conditions.append("row < ?7") }
        if query.states.allSatisfy(\.isOpen) { conditions.append("state < 3") }
        let statement = try database.prepare(
            "\(PresentationTable.selection) WHERE \(conditions.joined(separator: " AND ")) ORDER BY row")
        if let survey = query.survey { statement.bind(1, survey) }
        if query.maxRows == nil {
            if let uid = query.uid { statement.bind(2, Int64(uid)) }
            if case .user(let userId) = query.user { statement.bind(3, userId ?? "") }
            if let app = query.app { statement.bind(4, app) }
            machines?.bind(to: statement)
        }
        if let id = query.id { statement.bind(5, id.rawBytes) }
        if let row = query.afterRow { statement.bind(6, row) }
        if let row = query.beforeRow { statement.bind(7, row) }
        var count = 0
        var bytes = 0
        var rows = 0
        var last: Int64 = 0
        while try statement.step() {
            if let maxRows = query.maxRows {
                if rows >= maxRows { return last }
                rows += 1
            }
            last = PresentationTable.number(statement)
            if query.maxRows != nil, !query.includes(statement), try !isPrompt(statement, of: query) { continue }
            if query.maxRows != nil, let filter = query.machines,
                !filter.includes(try self.machines.machine(uid: try statement.uid(2)))
            {
                continue
            }
            guard try body(statement) else { continue }
            count += 1
            bytes +=
                statement.byteCount(17) + statement.byteCount(18) + statement.byteCount(27)
                + statement.byteCount(28)
            if count >= query.limit || bytes > query.maxBytes { return last }
        }
        return nil
    }

    /// Whether a row is a program's question from a session of the query's user.
    private func isPrompt(_ row: Statement, of query: PresentationQuery) throws(StoreError) -> Bool {
        guard query.includesPrompts, case .user(let userId?) = query.user, !row.isNull(20) else { return false }
        if let uid = query.uid, Int64(uid) != row.integer(2) { return false }
        guard let id = row.withBytes(row.isNull(6) ? 5 : 6, { Identifier(raw: $0) }) else { return false }
        let owner = try session(id: id)?.identity.userId
        return owner.hasSameBytes(as: userId)
    }
}
