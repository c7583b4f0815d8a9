/// An unknown column name, taken from SQLite's error message.
struct UnknownColumn {
    /// The possible names of the column: the whole text, or the part after a table's name.
    let names: [String]

    init?(_ error: SQLError) {
        let start = "no such column: "
        guard error.kind == .text, error.message.hasPrefix(start) else { return nil }
        var name = error.message.dropFirst(start.count)
        // Newer versions append a question if the name is in double quotes.
        if name.first == "\"", let end = name.range(of: "\" - should this be") {
            name = name[..<end.lowerBound].dropFirst()
        }
        var names: [String] = []
        var rest = name
        for _ in 0..<3 {
            names.append(String(rest))
            guard let dot = rest.firstIndex(of: ".") else { break }
            rest = rest[rest.index(after: dot)...]
        }
        self.names = names.filter { !$0.isEmpty }
    }
}

extension Substring {
    /// Returns the first range of a text.
    fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
