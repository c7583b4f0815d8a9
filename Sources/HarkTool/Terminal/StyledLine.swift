/// The style of a span. Its meaning is also in the text, for terminals that show no styles.
enum Look: Sendable, Equatable {
    case plain, bold, dim, accent, selected, bad, good, warning
    /// Fills the whole width: success or failure.
    case goodBanner, warningBanner
    /// A bar across the screen, such as that of the keys, and the row that keys are about.
    case bar

    /// The SGR parameters.
    var code: String {
        switch self {
        case .plain: "0"
        case .bold: "1"
        case .dim: "2"
        case .accent: "36"
        case .selected: "1;36"
        case .bad: "31"
        case .good: "32"
        // Orange, on terminals with 256 colours.
        case .warning: "38;5;208"
        case .goodBanner: "30;42"
        case .warningBanner: "30;48;5;208"
        case .bar: "7"
        }
    }
}

/// A row of a screen.
struct StyledLine: Sendable, Equatable {
    struct Span: Sendable, Equatable {
        var text: String
        var look: Look
    }

    var spans: [Span] = []

    init(_ text: String = "", _ look: Look = .plain) {
        if !text.isEmpty { spans = [Span(text: text, look: look)] }
    }

    var width: Int { spans.reduce(0) { $0 + TextWidth.of($1.text) } }
    /// The text without styles.
    var text: String { spans.map(\.text).joined() }

    mutating func append(_ text: String, _ look: Look = .plain) {
        if !text.isEmpty { spans.append(Span(text: text, look: look)) }
    }

    static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var line = left
        line.spans += right.spans
        return line
    }

    /// Returns the line cut to the width of the screen.
    func clipped(to columns: Int) -> StyledLine {
        guard width > columns else { return self }
        var line = StyledLine()
        var room = columns
        for span in spans {
            var text = ""
            for character in span.text {
                room -= TextWidth.of(character)
                if room < 0 { break }
                text.append(character)
            }
            line.append(text, span.look)
            if room < 0 { break }
        }
        return line
    }
}
