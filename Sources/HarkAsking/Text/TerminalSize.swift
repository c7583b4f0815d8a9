/// The size of a terminal in characters.
package struct TerminalSize: Sendable, Equatable {
    package var rows: Int
    package var columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}
