package import HarkCore
package import HarkWire

extension StoreReader {
    /// A presentation, open or closed; nil when there is none.
    package func presentation(_ id: Identifier) throws(StoreError) -> Presentation? { try surveys.presentation(id) }
}

/// Which presentations to read, oldest first, a page at a time.
package struct PresentationQuery: Sendable {
    package var survey: String?
    package var uid: UInt32?
    package var user: UserFilter?
    package var app: String?
    package var machines: MachineFilter?
    package var states: Set<Presentation.State> = Set(Presentation.State.allCases)
    package var id: Identifier?
    /// Presentations after this row.
    package var afterRow: Int64?
    /// Presentations before this row.
    var beforeRow: Int64?
    package var limit = Int.max
    /// A page also ends when what it tells takes so much in the store.
    package var maxBytes = Int.max
    /// A page also ends after so many rows, whether they are meant or not: for queries that no index answers.
    package var maxRows: Int?
    /// With `maxRows`: also the questions of programs that came up in the user's sessions, which are the account's own.
    package var includesPrompts = false
    /// Also those whose answers were changed or taken back since.
    package var includesRevised = false

    package init() {}

    /// Whether a row, whose columns from the third on are these, is of the user and the app that are meant.
    func includes(_ row: Statement) -> Bool {
        if let uid, Int64(uid) != row.integer(2) { return false }
        if case .user(let userId) = user, !(userId ?? "").hasSameBytes(as: row.text(3) ?? "") { return false }
        if let app, !app.hasSameBytes(as: row.text(4) ?? "") { return false }
        return true
    }
}

extension StoreReader {
    /// Hands the presentations of a query to `body`, each with its row, oldest first.
    ///
    /// - Returns: the row to go on after; nil when there is nothing more.
    package func forEachPresentation(
        _ query: PresentationQuery, _ body: (Presentation, Int64) throws(StoreError) -> Void
    ) throws(StoreError) -> Int64? {
        try forEachShowing(query) { row throws(StoreError) in
            guard let presentation = try surveys.presentation(in: row), query.states.contains(presentation.state)
            else { return false }
            try body(presentation, row.integer(20))
            return true
        }
    }

    /// - Parameter body: whether a row counts.
    func forEachShowing(
        _ query: PresentationQuery, _ body: (Statement) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int64? {
        let machines = query.machines.map(MachineCondition.init)
        var conditions = ["true"]
        if query.survey != nil { conditions.append("survey = ?1") }
        // Rows that SQLite passes over are not counted.
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
            """
            SELECT \(SurveyReader.columns) FROM presentation WHERE \(conditions.joined(separator: " AND "))
            ORDER BY row
            """)
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
            last = statement.integer(20)
            if query.maxRows != nil, !query.includes(statement), try !isPrompt(statement, of: query) { continue }
            if query.maxRows != nil, let filter = query.machines,
                !filter.includes(try self.machines.machine(uid: try statement.uid(2)))
            {
                continue
            }
            guard try body(statement) else { continue }
            count += 1
            bytes += statement.byteCount(17) + statement.byteCount(18) + statement.byteCount(28)
            if count >= query.limit || bytes > query.maxBytes { return last }
        }
        return nil
    }

    /// Whether a row is a program's question that came up in a session of the user that is meant.
    private func isPrompt(_ row: Statement, of query: PresentationQuery) throws(StoreError) -> Bool {
        guard query.includesPrompts, case .user(let userId?) = query.user, !row.isNull(21) else { return false }
        if let uid = query.uid, Int64(uid) != row.integer(2) { return false }
        guard let id = row.withBytes(row.isNull(6) ? 5 : 6, { Identifier(raw: $0) }) else { return false }
        let owner = try session(id: id)?.identity.userId
        return owner.hasSameBytes(as: userId)
    }
}
