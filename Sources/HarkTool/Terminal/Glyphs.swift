import HarkClient

/// Which signs beside letters a terminal is trusted to show: all, or those of ASCII.
///
/// A locale that is not UTF-8, the console of Linux and hardware terminals stand for ASCII; `HARK_ASCII=1` asks for it
/// wherever that is needed, and `HARK_ASCII=0` for the signs.
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

    /// How a sign of the tool's is written where there is ASCII only; nil for what stays as it is.
    ///
    /// Each takes one column, as the sign does, so that frames and columns hold; but for the ellipsis, which ends what
    /// it stands in.
    func spelling(of scalar: Unicode.Scalar) -> String? {
        guard isASCII, !scalar.isASCII else { return nil }
        return switch scalar {
        case "…": "..."
        default: column(of: Character(scalar)).map(String.init)
        }
    }

    /// The same for a frame of the screen, one column for one.
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
