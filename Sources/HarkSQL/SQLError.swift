/// Why a statement was not understood, or could not be carried out.
package struct SQLError: Error, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The text is wrong: no SQL, or about something that is not there.
        case text
        /// It would change something, or reach out of the tables.
        case forbidden
        /// Somebody interrupted it.
        case interrupted
        /// It needs more memory or space than there is.
        case space
        case other
    }

    package let kind: Kind
    /// What SQLite says.
    package let message: String
    /// Where in the text of the statement, in bytes; nil where SQLite does not know.
    package let offset: Int?
    /// What to do next, where that is known.
    package let hint: String?

    package init(_ kind: Kind, _ message: String, offset: Int? = nil, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
        self.hint = hint
    }
}
