/// One key as a terminal sends it, or a text that was pasted.
enum TerminalKey: Sendable, Equatable {
    /// What was typed; marks and joined emoji come as characters of their own and are put together by the text.
    case character(Character)
    case paste(String)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right, home, end, pageUp, pageDown
    case wordLeft, wordRight
    /// With the small letter.
    case control(Character)
}
