/// A column of a table: the place of its values in the daemon's lists, and the daemon's filter for it.
package struct Column: Sendable {
    /// The place of a value.
    enum Source: Sendable {
        /// A member of the element, of any type.
        case member(Int)
        /// A time, in the format of SQLite's own functions.
        case time(Int)
        /// A value in a member that is an object, of any type.
        case nested(Int, StaticString)
        /// A time in such a member.
        case nestedTime(Int, StaticString)
        /// The app of the session that the record belongs to.
        case appOfSession(Int)
        /// A property, by its exact name.
        case property(String)
    }

    /// A filter of the daemon. It may return more rows than were asked for; SQLite checks every row again.
    enum Filter: Character, Sendable {
        case number = "n"
        case name = "e"
        case time = "t"
        case session = "s"
        case user = "u"
        case app = "a"
        case level = "l"
        case survey = "v"
        case machine = "m"
        case group = "g"
        /// The row's own id.
        case id = "i"
    }

    package let name: String
    /// The type for SQLite's comparisons: `INTEGER`, `TEXT`, or `BLOB` for values that keep their type.
    package let type: String
    package let meaning: String
    let source: Source
    let filter: Filter?

    init(_ name: String, _ type: String, _ source: Source, _ meaning: String, filter: Filter? = nil) {
        self.name = name
        self.type = type
        self.meaning = meaning
        self.source = source
        self.filter = filter
    }

    /// A column for a property in a statement.
    init(property name: String) {
        self.init(name, "BLOB", .property(name), "")
    }

    /// The column in the declaration of the table.
    var declaration: String {
        let name = "\"" + name.replacing("\"", with: "\"\"") + "\""
        switch source {
        case .property: return "\(name) \(type) HIDDEN"
        case .time: return "\(name) \(ColumnType.declaredTime) COLLATE \(TimeText.collation)"
        case .nestedTime: return "\(name) \(ColumnType.declaredTime)"
        default: return "\(name) \(type)"
        }
    }
}

/// The type of all values of a column other than NULL, if there is one.
package enum ColumnType: String, Sendable {
    case integer, real, text
    /// A time in UTC, in the format of SQLite's date functions.
    case time

    /// The declared type of a time, which SQLite treats as a text.
    static let declaredTime = "TIME TEXT"

    init?(declared type: String) {
        switch type {
        case Self.declaredTime: self = .time
        case "INTEGER": self = .integer
        case "REAL": self = .real
        case "TEXT": self = .text
        default: return nil
        }
    }
}
