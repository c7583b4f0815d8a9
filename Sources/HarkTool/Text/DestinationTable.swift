import HarkClient

/// Destinations, one a line, with a headline.
enum DestinationTable {
    static func text(_ destinations: [JSONText], _ style: Style) -> String {
        var rows = [["destination", "kind", "state", "delivered", "waiting", "last error"]]
        for destination in destinations {
            let error = destination.member("lastError").flatMap { $0.string ?? $0.member("message")?.string }
            rows.append([
                VisibleText.make(destination.member("name")?.string ?? ""),
                VisibleText.make(destination.member("kind")?.string ?? ""),
                VisibleText.make(destination.member("state")?.string ?? ""),
                destination.member("delivered")?.int.map { Plural.grouped($0) } ?? "-",
                destination.member("pending")?.int.map { Plural.grouped($0) } ?? "-",
                error.map { VisibleText.make($0) } ?? "",
            ])
        }
        return TextTable.text(rows, style)
    }
}
