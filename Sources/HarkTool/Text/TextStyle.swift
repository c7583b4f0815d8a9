/// Colours and weights for a terminal; no effect without one.
struct TextStyle: Sendable {
    let coloured: Bool

    /// Styles for bytes.
    enum Span {
        case dim, name

        fileprivate var code: String { self == .dim ? "2" : "36" }
    }

    func begin(_ span: Span, in line: inout [UInt8]) {
        if coloured { line += "\u{1B}[\(span.code)m".utf8 }
    }

    func end(in line: inout [UInt8]) {
        if coloured { line += "\u{1B}[0m".utf8 }
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, Span.dim.code) }
    func good(_ text: String) -> String { wrap(text, "32") }
    func warning(_ text: String) -> String { wrap(text, "33") }
    func bad(_ text: String) -> String { wrap(text, "31") }
    func name(_ text: String) -> String { wrap(text, Span.name.code) }

    /// The colour of a series of a chart. There are five; the sixth has the first again.
    ///
    /// - Parameter number: The number of the series, from 0.
    func series(_ text: String, _ number: Int, isDim: Bool = false) -> String {
        let codes = ["36", "33", "35", "32", "34"]
        return wrap(text, (isDim ? "2;" : "") + codes[number % codes.count])
    }

    private func wrap(_ text: String, _ code: String) -> String {
        coloured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
