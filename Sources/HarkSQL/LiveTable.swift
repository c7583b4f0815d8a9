import HarkClient

/// A table for SQL: its columns, and how its rows are fetched from the daemon.
package struct LiveTable: Sendable {
    package let name: String
    /// One sentence without a full stop.
    package let meaning: String
    package let columns: [Column]
    /// The members to read from an element, in the daemon's order.
    let members: [StaticString]
    /// The index of the member whose own members can be columns; nil for none.
    let properties: Int?
    /// The indices of members that identify a row.
    let identity: [Int]
    /// The column with the row's number, in whose order rows can be fetched.
    let number: Int?
    /// Fetches at least the rows that meet the conditions, with at least the wanted members; nil if there are none.
    let open: @Sendable (Feed, [ColumnCondition], Wanted) throws -> (any RowSource)?

    /// The order and members that a statement wants.
    struct Wanted {
        let descending: Bool
        /// Indices of `members`.
        let members: [Int]
    }

    /// All tables, in the order in which an unqualified property is looked for.
    package static let all: [LiveTable] = [.events, .logs, .sessions, .presentations, .answers, .counters]
}

/// An iterator of rows.
protocol RowSource: AnyObject {
    /// Returns the next row; nil at the end.
    func next() throws -> JSONText?
}

/// A condition on a column that the daemon can filter by.
struct ColumnCondition {
    enum Comparison: Character {
        case equal = "="
        case less = "<"
        case atMost = "l"
        case greater = ">"
        case atLeast = "g"
        case isNull = "0"
        case glob = "*"
    }

    let filter: Column.Filter
    let comparison: Comparison
    let value: SQLValue
}
