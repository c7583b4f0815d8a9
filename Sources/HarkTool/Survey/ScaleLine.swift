import HarkAsking
import HarkWire

/// A scale as a line of text, with a mark at the position.
struct ScaleLine {
    let field: ScaleField
    let glyphs: Glyphs
    let width: Int

    /// The words at the ends and the position; the mark is missing until the person sets it.
    func lines(isFocused: Bool) -> [StyledLine] {
        let room = max(2, width - 2)
        let place = field.place.map { $0 * (room - 1) / max(field.steps, 1) }
        let (rail, mark) = glyphs.isASCII ? ("-", "O") : ("─", "●")
        var line = StyledLine("  ")
        if let place {
            line.append(String(repeating: rail, count: place), .accent)
            line.append(mark, .selected)
            line.append(String(repeating: rail, count: room - 1 - place), .dim)
        } else {
            line.append(String(repeating: rail, count: room), isFocused ? .accent : .dim)
        }
        let words = field.number.map { field.words(at: $0) } ?? Words.say("No answer yet")
        return [line, StyledLine("  ") + StyledLine(VisibleText.make(words), field.number == nil ? .dim : .selected)]
    }
}
