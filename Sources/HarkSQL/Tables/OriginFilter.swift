import HarkClient
import HarkWire

extension Column {
    /// The machine that a row comes from, on a hub.
    static func machine(_ source: Source) -> Column {
        Column("machine", "TEXT", source, "on a hub, the machine; NULL: the hub's own", filter: .machine)
    }

    static func group(_ source: Source) -> Column {
        Column("group", "TEXT", source, "the group of that machine; write \"group\"", filter: .group)
    }
}

/// The conditions on the machine and group of rows.
struct OriginFilter {
    private var machine: SQLValue?
    private var group: String?

    /// The daemon's limit; a longer name does not exist.
    private static let nameBytes = 1...256

    /// - Returns: False if no row can meet the conditions.
    mutating func narrow(_ condition: ColumnCondition) -> Bool {
        if condition.comparison == .isNull {
            if condition.filter == .machine { machine = .null }
            // The hub's own records have no group.
            return group == nil || machine != .null
        }
        if condition.value == .null { return false }
        guard case .text(let text) = condition.value, !text.utf8.contains(0) else { return true }
        guard Self.nameBytes.contains(text.utf8.count) else { return false }
        if condition.filter == .group {
            group = text
        } else if machine == .null {
            return false
        } else {
            machine = condition.value
        }
        return group == nil || machine != .null
    }

    var choice: MachineChoice {
        var choice = MachineChoice()
        if machine == .null { choice.machine = AnyJSON(.null) }
        if case .text(let name) = machine { choice.machine = AnyJSON(.string(name)) }
        choice.group = group
        return choice
    }
}
