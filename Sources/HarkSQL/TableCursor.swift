internal import CSQLite
import HarkClient
import HarkWire

/// A statement's cursor in a table.
final class TableCursor {
    private let module: TableModule
    private let row: Row
    private var source: (any RowSource)?
    private(set) var isAtEnd = true

    init(_ module: TableModule) {
        self.module = module
        row = Row(module.table.members)
    }

    static func of(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> TableCursor? {
        guard let cursor else { return nil }
        let object = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: hark_sqlite_cursor.self).pointee.object
        return object.map { Unmanaged<TableCursor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Restarts with the rows that meet the conditions of a plan.
    func filter(
        _ number: CInt, _ plan: UnsafePointer<CChar>?, _ count: CInt,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> CInt {
        let plan = (plan.map { String(cString: $0) } ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard plan.count == 2, let members = UInt32(plan[0]) else { return SQLITE_MISUSE }
        var letters = Array(plan[1])[...]
        var conditions: [ColumnCondition] = []
        for place in 0..<Int(count) {
            guard let filter = letters.popFirst().flatMap(Column.Filter.init(rawValue:)),
                let comparison = letters.popFirst().flatMap(ColumnCondition.Comparison.init(rawValue:))
            else { return SQLITE_MISUSE }
            let condition = ColumnCondition(filter: filter, comparison: comparison, value: SQLValue(values?[place]))
            // The only wildcard that the daemon knows is the star.
            if comparison == .glob {
                guard case .text(let pattern) = condition.value, !pattern.utf8.contains(where: "?[".utf8.contains)
                else { continue }
            }
            conditions.append(condition)
        }
        source = nil
        do {
            let wanted = module.table.members.indices.filter { members >> UInt32($0) & 1 == 1 }
            source = try module.table.open(
                module.feed, conditions, .init(descending: number != 0, members: wanted))
        } catch {
            return fail(error)
        }
        return advance()
    }

    func advance() -> CInt {
        do {
            if let element = try source?.next() {
                row.take(element)
                isAtEnd = false
                return SQLITE_OK
            }
        } catch {
            return fail(error)
        }
        isAtEnd = true
        source = nil
        return SQLITE_OK
    }

    private func fail(_ error: any Error) -> CInt {
        isAtEnd = true
        source = nil
        module.feed.failure = error
        return (error as? SQLError)?.kind == .interrupted ? SQLITE_INTERRUPT : SQLITE_ERROR
    }

    /// The row number; if the daemon has none, a hash of the members that identify the row.
    var number: Int64 {
        if module.table.number != nil { return row[module.table.identity[0]]?.int ?? 0 }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for member in module.table.identity {
            for byte in row[member]?.bytes ?? [] { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
        }
        return Int64(bitPattern: hash)
    }

    /// Passes the value of a column to SQLite.
    func give(_ column: CInt, to context: OpaquePointer?) -> CInt {
        let columns = module.columns
        guard columns.indices.contains(Int(column)) else {
            sqlite3_result_null(context)
            return SQLITE_OK
        }
        switch columns[Int(column)].source {
        case .member(let member): Result.give(row[member], to: context)
        case .time(let member): Result.give(time: row[member], to: context)
        case .nested(let member, let name): Result.give(row[member]?.member(name), to: context)
        case .nestedTime(let member, let name): Result.give(time: row[member]?.member(name), to: context)
        case .property(let name):
            let value = module.table.properties.flatMap { row[$0] }?.property(name)
            module.note(Int(column), wasFound: value != nil)
            Result.give(value, to: context)
        case .appOfSession(let member):
            do {
                let id = row[member]?.string.flatMap { Identifier($0) }
                let session = try id.flatMap { try module.feed.sessions.session($0, module.feed) }
                Result.give(session?.member("app"), to: context)
            } catch {
                sqlite3_result_error(context, "the session of a record cannot be read", -1)
                return fail(error)
            }
        }
        return SQLITE_OK
    }
}

extension JSONText {
    /// Returns the property of exactly that name, however it is escaped.
    fileprivate func property(_ name: String) -> JSONText? {
        if let plain = member(named: name) { return plain }
        guard name.utf8.contains(where: { $0 < 0x20 || $0 == .quote || $0 == .backslash || $0 >= 0x7F }) else {
            return nil
        }
        var found: JSONText?
        forEachMember { key, value in
            if key.contains(.backslash), JSONText([.quote] + key + [.quote]).string == name { found = value }
            return found == nil
        }
        return found
    }
}
