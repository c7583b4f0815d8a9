import HarkAsking
import HarkClient

extension ReportPage {
    private static let mostDestinations = 50

    /// The state of each destination.
    var deliveries: String {
        let shown = report.destinations.prefix(Self.mostDestinations)
        guard !shown.isEmpty else { return section("Deliveries", [paragraph("Nothing leaves this machine.")]) }
        let columns = [
            "Destination", "Kind", "State", "#Delivered", "#Waiting", "#Dropped", "#Dead letters", "#Up to record",
            "~Last error",
        ]
        var parts = [table("Destinations, as they stood when this was made", columns, shown.map(row))]
        let others = report.destinations.count - shown.count
        if others > 0 { parts.append(paragraph("and \(Plural.count(others, "other destination"))")) }
        return section("Deliveries", parts)
    }

    private func row(_ destination: JSONText) -> [String] {
        func text(_ name: StaticString) -> String { Markup.recorded(destination.member(name)?.string ?? "") }
        func number(_ name: StaticString) -> String { destination.member(name)?.int.map { Plural.grouped($0) } ?? "–" }
        let error = destination.member("lastError").flatMap { $0.string ?? $0.member("message")?.string }
        return [
            text("name"), text("kind"), text("state"), number("delivered"), number("pending"), dropped(destination),
            number("deadLetters"), number("cursor"), error.map { Markup.recorded($0) } ?? "",
        ]
    }

    private func dropped(_ destination: JSONText) -> String {
        guard let reasons = destination.member("dropped") else { return "–" }
        var parts: [String] = []
        reasons.forEachMember { key, count in
            let number = count.int ?? 0
            if number > 0 {
                parts.append("\(Plural.grouped(number)) \(Markup.escaped(String(decoding: key, as: UTF8.self)))")
            }
            return parts.count < 20
        }
        return parts.isEmpty ? "0" : parts.joined(separator: ", ")
    }
}
