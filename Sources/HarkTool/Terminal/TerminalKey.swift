/// A key, or a pasted text.
enum TerminalKey: Sendable, Equatable {
    /// A typed character. Combining marks and parts of joined emoji arrive separately, and the text joins them.
    case character(Character)
    case paste(String)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right, home, end, pageUp, pageDown
    case wordLeft, wordRight
    /// Control with the lower-case letter.
    case control(Character)
}
