/// An error of the store.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// No space is left, or the quota is used up.
        case full
        /// The file or its folder cannot be opened or written.
        case inaccessible
        /// The file is not a store, or a row is invalid.
        case damaged
        /// Pages of the file cannot be read, or have wrong content.
        case corrupt
        /// Written by a newer Hark than this one.
        case tooNew
        /// Reading or writing failed below SQLite.
        case inputOutput
        /// No client waits for the answer any more.
        case abandoned
        /// A bug in this program.
        case `internal`
    }

    package let code: Code
    /// The cause and the remedy, without user data.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
