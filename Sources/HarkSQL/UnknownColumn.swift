/// A name that SQLite knows no column for, out of its message.
struct UnknownColumn {
    /// What the column may be called: all of it, or what is behind a table's name.
    let names: [String]

    init?(_ error: SQLError) {
        let start = "no such column: "
        guard error.kind == .text, error.message.hasPrefix(start) else { return nil }
        var name = error.message.dropFirst(start.count)
        // Newer versions add a question where it stands in double quotes.
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
    /// Where a text stands first.
    fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
