import HarkClient

/// The characters that a terminal can show: all, or ASCII only.
///
/// ASCII is used for locales other than UTF-8, the Linux console and hardware terminals. `HARK_ASCII=1` forces ASCII,
/// and `HARK_ASCII=0` all characters.
struct Glyphs: Sendable, Equatable {
    static let all = Glyphs(isASCII: false)
    static let ascii = Glyphs(isASCII: true)

    let isASCII: Bool

    static func ofTerminal(environment: (String) -> String? = SocketAddress.environment) -> Glyphs {
        func value(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let word = value("HARK_ASCII") { return Glyphs(isASCII: word != "0") }
        let terminal = value("TERM") ?? ""
        let isSimple = ["dumb", "linux", "ansi", "cons25"].contains(terminal) || terminal.hasPrefix("vt")
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "C").lowercased()
        let isUTF8 = locale.contains("utf-8") || locale.contains("utf8")
        return Glyphs(isASCII: isSimple || !isUTF8)
    }

    /// Returns the ASCII spelling of one of the tool's own symbols; nil if it stays as it is.
    ///
    /// Each takes one column, like the symbol, so that frames and columns stay aligned. The exception is the ellipsis,
    /// which is always last.
    func spelling(of scalar: Unicode.Scalar) -> String? {
        guard isASCII, !scalar.isASCII else { return nil }
        return switch scalar {
        case "…": "..."
        default: column(of: Character(scalar)).map(String.init)
        }
    }

    /// Returns the spelling for a screen frame, always one column wide.
    func column(of character: Character) -> Character? {
        guard isASCII, !character.isASCII else { return nil }
        return switch character {
        case "╭", "╮", "╰", "╯": "+"
        case "─": "-"
        case "│", "▏": "|"
        case "▸": ">"
        case "█", "▉", "▊", "▋", "▌": "#"
        case "▍", "▎", "▁", "▂", "▃": "."
        case "▄", "▅", "▆", "▇": ":"
        case "░": "-"
        case "●": "*"
        case "○": "o"
        case "✓": "+"
        case "✗": "x"
        case "·": "-"
        case "⋮": ":"
        case "↑": "^"
        case "↓", "▾": "v"
        case "…": "~"
        default: nil
        }
    }

    func apply(_ line: StyledLine) -> StyledLine {
        guard isASCII else { return line }
        var line = line
        for place in line.spans.indices {
            line.spans[place].text = String(line.spans[place].text.map { column(of: $0) ?? $0 })
        }
        return line
    }
}
