/// Colours and weights for a terminal; does nothing where there is none.
struct Style: Sendable {
    let coloured: Bool

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func good(_ text: String) -> String { wrap(text, "32") }
    func warning(_ text: String) -> String { wrap(text, "33") }
    func bad(_ text: String) -> String { wrap(text, "31") }
    func name(_ text: String) -> String { wrap(text, "36") }

    private func wrap(_ text: String, _ code: String) -> String {
        coloured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
