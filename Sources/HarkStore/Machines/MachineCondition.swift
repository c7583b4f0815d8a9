package import HarkCore
internal import HarkWire

/// A filter of machines as SQL, asked of a column that holds uids.
struct MachineCondition {
    private let filter: MachineFilter

    init(_ filter: MachineFilter) { self.filter = filter }

    // Beyond what any query binds beside.
    private static let name: Int32 = 21
    private static let group: Int32 = 22

    func sql(on column: String) -> String {
        guard case .of(let name, let group) = filter else { return "\(column) < \(MachineIdentity.firstUID)" }
        var conditions: [String] = []
        if let name { conditions.append("name \(MachineCondition.comparison(name)) ?\(MachineCondition.name)") }
        if let group {
            conditions.append("grp <> '' AND grp \(MachineCondition.comparison(group)) ?\(MachineCondition.group)")
        }
        if conditions.isEmpty { return "\(column) >= \(MachineIdentity.firstUID)" }
        return """
            \(column) IN (SELECT \(MachineIdentity.firstUID) + row FROM machine \
            WHERE \(conditions.joined(separator: " AND ")))
            """
    }

    @discardableResult
    func bind(to statement: Statement) -> Statement {
        guard case .of(let name, let group) = filter else { return statement }
        if let name { statement.bind(MachineCondition.name, name.operand) }
        if let group { statement.bind(MachineCondition.group, group.operand) }
        return statement
    }

    private static func comparison(_ pattern: NamePattern) -> String { pattern.only == nil ? "GLOB" : "=" }
}

extension NamePattern {
    /// What SQLite compares with.
    fileprivate var operand: String {
        guard only == nil else { return text }
        var pattern = ""
        for character in text.unicodeScalars {
            // These mean more to SQLite than to us.
            if character == "?" || character == "[" {
                pattern += "[\(character)]"
            } else {
                pattern.unicodeScalars.append(character)
            }
        }
        return pattern
    }
}

extension StoreReader {
    /// So many sessions are looked up by an index at most: each costs a look into that of blocks. Beyond, each block is looked at.
    private static let mostSessionsByIndex: Int64 = 2_000

    /// The condition on the sessions of a query of records where an index is to find them; nil: their blocks are looked at.
    func condition(on sessions: MachineFilter?) throws(StoreError) -> MachineCondition? {
        guard let filter = sessions else { return nil }
        let condition = MachineCondition(filter)
        let statement = condition.bind(
            to: try database.prepare(
                """
                SELECT count(*) FROM (SELECT 1 FROM session WHERE \(condition.sql(on: "uid"))
                    LIMIT \(StoreReader.mostSessionsByIndex + 1))
                """))
        defer { statement.reset() }
        guard try statement.stepUnlessDamaged() ?? false else { return nil }
        return statement.integer(0) > StoreReader.mostSessionsByIndex ? nil : condition
    }

    /// The machines that a filter means, so many at most.
    package func machines(_ filter: MachineFilter, limit: Int) throws(StoreError) -> [MachineIdentity] {
        let condition = MachineCondition(filter)
        let statement = condition.bind(
            to: try database.prepare(
                """
                SELECT \(MachineReader.columns) FROM machine
                WHERE \(condition.sql(on: "\(MachineIdentity.firstUID) + row")) ORDER BY row LIMIT ?1
                """)
        ).bind(1, Int64(limit))
        defer { statement.reset() }
        var found: [MachineIdentity] = []
        while try statement.step() { found.append(MachineReader.machine(in: statement)) }
        return found
    }
}
