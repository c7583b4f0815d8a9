import HarkClient

/// A table that SQL may ask: what its columns are, and how the daemon is asked for its rows.
package struct LiveTable: Sendable {
    package let name: String
    /// One sentence without its end.
    package let meaning: String
    package let columns: [Column]
    /// The members that are looked for in an element, in the order in which the daemon writes them.
    let members: [StaticString]
    /// Which of them is an object whose members can be columns; nil: none.
    let properties: Int?
    /// Which of them tell one row from another.
    let identity: [Int]
    /// The column that is the row's number, by which rows can be had in order.
    let number: Int?
    /// Brings the rows that pass the conditions, and maybe more, of each at least what is wanted of it; nil where there
    /// are none.
    let open: @Sendable (Feed, [ColumnCondition], Wanted) throws -> (any RowSource)?

    /// How rows are wanted.
    struct Wanted {
        let descending: Bool
        /// Places in `members`.
        let members: [Int]
    }

    /// All of them, those first whose properties a column without a table's name is looked for in first.
    package static let all: [LiveTable] = [.events, .logs, .sessions, .presentations, .answers, .counters]
}

/// Rows, one after the other.
protocol RowSource: AnyObject {
    /// The next row; nil at the end.
    func next() throws -> JSONText?
}

/// What a statement asks of a column, so far as the daemon can look for it.
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
