internal import CSQLite
import Glibc

/// Chooses the conditions that the daemon filters by, and estimates their cost.
extension TableModule {
    /// Costs in rows: the size of an unfiltered list, and the share that each filter leaves.
    private static let rows = 1e6

    static func plan(
        _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ plan: UnsafeMutablePointer<sqlite3_index_info>?
    ) -> CInt {
        guard let module = of(table), let plan else { return SQLITE_MISUSE }
        var taken = ""
        var rows = rows
        var isOneRow = false
        for place in 0..<Int(plan.pointee.nConstraint) {
            let constraint = plan.pointee.aConstraint[place]
            guard constraint.usable != 0, let filter = module.filter(of: constraint.iColumn),
                let comparison = comparison(constraint.op, of: filter),
                isInOrder(of: filter, String(cString: sqlite3_vtab_collation(plan, CInt(place)))),
                module.looksUpLists || filter == .number || !mayBeList(plan, place)
            else { continue }
            // SQLite checks each row again, so the daemon may return more.
            taken.append(filter.rawValue)
            taken.append(comparison.rawValue)
            plan.pointee.aConstraintUsage[place].argvIndex = CInt(taken.utf8.count / 2)
            rows *= share(of: filter, comparison)
            if comparison == .equal, filter == .number || filter == .id { isOneRow = true }
        }
        let descending = module.order(asked: plan.pointee)
        if let descending {
            plan.pointee.orderByConsumed = 1
            plan.pointee.idxNum = descending ? 1 : 0
        }
        let wanted = module.members(used: plan.pointee.colUsed)
        guard let text = hark_sqlite_text("\(wanted) \(taken)") else { return SQLITE_NOMEM }
        plan.pointee.idxStr = text
        plan.pointee.needToFreeIdxStr = 1
        // A request costs as much as a hundred rows. A session is cached after its first look-up.
        plan.pointee.estimatedCost = isOneRow ? 2 : rows + 100
        plan.pointee.estimatedRows = isOneRow ? 1 : max(Int64(rows), 1)
        if isOneRow { plan.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE }
        return SQLITE_OK
    }

    /// Returns the members for SQLite's mask of columns, as bits. The last bit of the mask stands for all columns from
    /// the 64th on.
    private func members(used: UInt64) -> UInt32 {
        columns.indices.reduce(into: 0) { members, place in
            guard used >> UInt64(min(place, 63)) & 1 == 1 else { return }
            let member =
                switch columns[place].source {
                case .member(let member), .time(let member), .nested(let member, _), .nestedTime(let member, _),
                    .appOfSession(let member):
                    member
                case .property: table.properties
                }
            if let member { members |= 1 << UInt32(member) }
        }
    }

    private func filter(of column: CInt) -> Column.Filter? {
        if column < 0 { return table.number == nil ? nil : .number }
        guard Int(column) < table.columns.count else { return nil }
        return table.columns[Int(column)].filter
    }

    private static func comparison(_ code: UInt8, of filter: Column.Filter) -> ColumnCondition.Comparison? {
        let comparison: ColumnCondition.Comparison
        switch CInt(code) {
        case SQLITE_INDEX_CONSTRAINT_EQ: comparison = .equal
        case SQLITE_INDEX_CONSTRAINT_LT: comparison = .less
        case SQLITE_INDEX_CONSTRAINT_LE: comparison = .atMost
        case SQLITE_INDEX_CONSTRAINT_GT: comparison = .greater
        case SQLITE_INDEX_CONSTRAINT_GE: comparison = .atLeast
        case SQLITE_INDEX_CONSTRAINT_ISNULL: comparison = .isNull
        case SQLITE_INDEX_CONSTRAINT_GLOB: comparison = .glob
        default: return nil
        }
        switch comparison {
        case .equal: return comparison
        case .less, .atMost, .greater, .atLeast: return filter == .number || filter == .time ? comparison : nil
        case .isNull: return filter == .user || filter == .machine ? comparison : nil
        case .glob: return filter == .name ? comparison : nil
        }
    }

    /// Whether a condition is, or may be, a list (`sqlite3_vtab_in` covers only the first 32).
    private static func mayBeList(_ plan: UnsafeMutablePointer<sqlite3_index_info>, _ place: Int) -> Bool {
        place >= 32 || sqlite3_vtab_in(plan, CInt(place), -1) != 0
    }

    /// Whether a text is compared as the daemon does, which knows no other collation.
    private static func isInOrder(of filter: Column.Filter, _ collation: String) -> Bool {
        switch filter {
        case .number: true
        case .time: collation == TimeText.collation
        default: collation == "BINARY"
        }
    }

    private static func share(of filter: Column.Filter, _ comparison: ColumnCondition.Comparison) -> Double {
        switch filter {
        case .number, .id: comparison == .equal ? 1e-6 : 0.3
        case .session: 1e-3
        case .user: 1e-2
        case .name, .survey: comparison == .glob ? 0.2 : 0.05
        case .time: 0.3
        case .level: 0.2
        case .machine: 1e-2
        case .group: 0.1
        case .app: 0.5
        }
    }

    /// Whether rows are wanted in descending order of their numbers; nil if SQLite has to sort.
    private func order(asked plan: sqlite3_index_info) -> Bool? {
        guard let number = table.number, plan.nOrderBy > 0, let first = plan.aOrderBy?[0] else { return nil }
        // Numbers are unique, so further sort keys have no effect.
        return first.iColumn == CInt(number) || first.iColumn == -1 ? first.desc != 0 : nil
    }
}
