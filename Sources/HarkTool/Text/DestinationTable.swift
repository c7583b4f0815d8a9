import HarkAsking
import HarkClient
import HarkWire

/// A table of destinations with a header.
enum DestinationTable {
    /// - Parameter columns: The width of the terminal, where a table that is wider becomes a list; nil in a pipe.
    static func text(_ destinations: [DestinationInfo], _ style: TextStyle, columns: Int? = nil) -> String {
        var rows = [["destination", "kind", "state", "delivered", "waiting", "last error"]]
        for destination in destinations {
            rows.append([
                VisibleText.make(destination.name), VisibleText.make(destination.kind),
                VisibleText.make(destination.state),
                destination.delivered.map { Plural.grouped($0) } ?? "-",
                destination.pending.map { Plural.grouped($0) } ?? "-",
                destination.lastError.map { VisibleText.make($0) } ?? "",
            ])
        }
        let table = TextTable.text(rows, style)
        guard let columns, table.split(separator: "\n").contains(where: { StyledText(String($0)).width > columns })
        else {
            return table
        }
        return rows.dropFirst().flatMap { list($0, style, columns) }.joined(separator: "\n")
    }

    private static func list(_ row: [String], _ style: TextStyle, _ columns: Int) -> [String] {
        let counts = "\(row[3]) delivered, \(row[4]) waiting"
        let lines = WordWrap.hanging("", "\(row[0]): \(row[1]), \(row[2]), \(counts)", indent: 4, columns: columns)
        return row[5].isEmpty ? lines : lines + WordWrap.hanging("    ", style.warning(row[5]), columns: columns)
    }

    /// Returns the dropped records by reason, a line for each destination with losses; empty if there are none.
    static func losses(_ destinations: [DestinationInfo]) -> String {
        destinations.compactMap { destination in
            var reasons: [String] = []
            destination.dropped?.json.forEachMember { key, value in
                reasons.append("\(String(decoding: key, as: UTF8.self)) \(Plural.grouped(value.int ?? 0))")
                return true
            }
            guard !reasons.isEmpty else { return nil }
            let letters = destination.deadLetters ?? 0
            let hint = letters > 0 ? "; \(Plural.count(letters, "dead letter")): 'hark delivery dead' shows them" : ""
            let name = VisibleText.make(destination.name)
            return "\(name) dropped: \(reasons.joined(separator: ", "))\(hint)"
        }.joined(separator: "\n")
    }
}
