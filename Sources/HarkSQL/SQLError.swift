/// Why a statement is not valid, or failed.
package struct SQLError: Error, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The text is not valid SQL, or names an unknown object.
        case text
        /// It would change data, or reach beyond the tables.
        case forbidden
        /// It was interrupted.
        case interrupted
        /// There is not enough memory or disk space.
        case space
        case other
    }

    package let kind: Kind
    /// SQLite's message.
    package let message: String
    /// The position in the statement in bytes; nil if SQLite does not know it.
    package let offset: Int?
    /// What to do next, if that is known.
    package let hint: String?

    package init(_ kind: Kind, _ message: String, offset: Int? = nil, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
        self.hint = hint
    }
}
