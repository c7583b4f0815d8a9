package import HarkCore
package import HarkWire

/// What was cleared on a machine, as a hub looks for it.
package struct MachineClear: Sendable {
    /// As the hub calls the log of the machine.
    package let name: String
    package let log: Identifier
    /// Whose sessions there; nil: everybody's.
    package let uid: UInt32?
    package let target: Selection.Target
    /// The session in which the machine told of it, by the id that it has there: what came later is not meant.
    package let told: Identifier

    package init(name: String, log: Identifier, uid: UInt32?, target: Selection.Target, told: Identifier) {
        self.name = name
        self.log = log
        self.uid = uid
        self.target = target
        self.told = told
    }
}

extension StoreReader {
    /// The rows of the sessions that a clear on a machine means, so many of them at most; none where it is not known any more
    /// when it was told.
    package func sessions(of clear: MachineClear, limit: Int) throws(StoreError) -> [Int64] {
        var conditions = [
            "s.removed = 0", "s.implicit < 3", "m.name = ?1", "m.log = ?2",
            "s.row < (SELECT t.row FROM session t WHERE t.id = ?3)",
        ]
        if clear.uid != nil { conditions.append("s.machineUid = ?4") }
        switch clear.target {
        case .all: break
        case .user: conditions.append("s.user IS ?5")
        case .session: conditions.append("s.id = ?6")
        }
        let statement = try database.prepare(
            """
            SELECT s.row FROM machine m JOIN session s ON s.uid = m.row + \(MachineIdentity.firstUID)
            WHERE \(conditions.joined(separator: " AND ")) LIMIT \(limit)
            """
        ).bind(1, clear.name).bind(2, clear.log.rawBytes).bind(3, clear.told.rawBytes)
        defer { statement.reset() }
        if let uid = clear.uid { statement.bind(4, Int64(uid)) }
        switch clear.target {
        case .all: break
        case .user(let userId): statement.bind(5, userId)
        case .session(let id): statement.bind(6, id.rawBytes)
        }
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.integer(0)) }
        return rows
    }
}
