/// A column of a table: where its values stand in an element of the daemon's list, and which filters are the daemon's.
package struct Column: Sendable {
    /// Where a value stands.
    enum Source: Sendable {
        /// A member of the element, of whatever type it is.
        case member(Int)
        /// A time, which is told as SQLite's own functions tell times.
        case time(Int)
        /// A value in a member that is an object, of whatever type it is.
        case nested(Int, StaticString)
        /// A time there.
        case nestedTime(Int, StaticString)
        /// The app of the session that the record belongs to.
        case appOfSession(Int)
        /// A property, by its exact name.
        case property(String)
    }

    /// What the daemon can look for itself. It may give more than was asked for; SQLite looks at every row again.
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
    /// How SQLite compares its values: `INTEGER`, `TEXT`, or `BLOB` for values that keep the type they have.
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

    /// A column for a property that a statement asks for.
    init(property name: String) {
        self.init(name, "BLOB", .property(name), "")
    }

    /// As it stands in the declaration of the table.
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

/// What all values of a column are, where it says so; NULL aside.
package enum ColumnType: String, Sendable {
    case integer, real, text
    /// A time in UTC, as SQLite's date functions have it.
    case time

    /// A text to SQLite.
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
