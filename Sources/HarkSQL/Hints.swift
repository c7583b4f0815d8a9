import HarkWire

/// Hints for SQLite's errors.
enum Hints {
    static func hint(for message: String) -> String? {
        if let table = rest(of: message, after: "no such table: ") {
            let names = LiveTable.all.map(\.name)
            let nearest = Suggestion.nearest(to: table, among: names)
            return (nearest.map { "Did you mean '\($0)'? " } ?? "") + "There are \(names.joined(separator: ", "))."
        }
        if let column = rest(of: message, after: "no such column: ") {
            let columns = LiveTable.all.flatMap { $0.columns.map(\.name) }
            let nearest = Suggestion.nearest(
                to: column.split(separator: ".").last.map(String.init) ?? column, among: columns)
            return (nearest.map { "Did you mean '\($0)'? " } ?? "")
                + "Texts are written in single quotes; a property with other signs than letters in its name in double ones."
        }
        if message.hasPrefix("ambiguous column name: ") {
            return "Write the table's name and a dot before it."
        }
        return nil
    }

    private static func rest(of message: String, after start: String) -> String? {
        message.hasPrefix(start) ? String(message.dropFirst(start.count)) : nil
    }
}
