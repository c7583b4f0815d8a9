package import HarkCore
internal import HarkWire

/// A filter of machines as an SQL condition on a column of uids.
struct MachineCondition {
    private let filter: MachineFilter

    init(_ filter: MachineFilter) { self.filter = filter }

    // Parameter numbers that no query uses.
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
    /// The operand for SQLite's comparison.
    fileprivate var operand: String {
        guard only == nil else { return text }
        var pattern = ""
        for character in text.unicodeScalars {
            // Special characters of GLOB, but not of our patterns.
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
    /// The greatest number of sessions to look up by index, because each costs a lookup of blocks. With more, all blocks are
    /// scanned.
    private static let mostSessionsByIndex: Int64 = 2_000

    /// The condition on the sessions of a record query if an index should find them; nil if blocks are scanned.
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

    /// At most `limit` machines that match a filter.
    package func machines(_ filter: MachineFilter, limit: Int) throws(StoreError) -> [MachineIdentity] {
        let condition = MachineCondition(filter)
        let statement = condition.bind(
            to: try database.prepare(
                """
                \(MachineTable.selection)
                WHERE \(condition.sql(on: "\(MachineIdentity.firstUID) + row")) ORDER BY row LIMIT ?1
                """)
        ).bind(1, Int64(limit))
        return try MachineTable.all(statement)
    }
}
