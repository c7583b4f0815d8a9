/// The size of a terminal in characters.
struct TerminalSize: Equatable {
    var rows: Int
    var columns: Int
}
