import HarkAsking
import HarkClient
import HarkWire

/// A table of destinations with a header.
enum DestinationTable {
    static func text(_ destinations: [JSONText], _ style: TextStyle) -> String {
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

    /// Returns the dropped records by reason, a line for each destination with losses; empty if there are none.
    static func losses(_ destinations: [JSONText]) -> String {
        destinations.compactMap { destination in
            var reasons: [String] = []
            destination.member("dropped")?.forEachMember { key, value in
                reasons.append("\(String(decoding: key, as: UTF8.self)) \(Plural.grouped(value.int ?? 0))")
                return true
            }
            guard !reasons.isEmpty else { return nil }
            let letters = destination.member("deadLetters")?.int ?? 0
            let hint = letters > 0 ? "; \(Plural.count(letters, "dead letter")): 'hark delivery dead' shows them" : ""
            let name = VisibleText.make(destination.member("name")?.string ?? "")
            return "\(name) dropped: \(reasons.joined(separator: ", "))\(hint)"
        }.joined(separator: "\n")
    }
}
