import HarkAsking
import HarkClient
import HarkWire

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

    private func row(_ destination: DestinationInfo) -> [String] {
        func number(_ count: Int64?) -> String { count.map { Plural.grouped($0) } ?? "–" }
        return [
            Markup.recorded(destination.name), Markup.recorded(destination.kind), Markup.recorded(destination.state),
            number(destination.delivered), number(destination.pending), dropped(destination),
            number(destination.deadLetters), number(destination.cursor),
            destination.lastError.map { Markup.recorded($0) } ?? "",
        ]
    }

    private func dropped(_ destination: DestinationInfo) -> String {
        guard let reasons = destination.dropped else { return "–" }
        var parts: [String] = []
        reasons.json.forEachMember { key, count in
            let number = count.int ?? 0
            if number > 0 {
                parts.append("\(Plural.grouped(number)) \(Markup.escaped(String(decoding: key, as: UTF8.self)))")
            }
            return parts.count < 20
        }
        return parts.isEmpty ? "0" : parts.joined(separator: ", ")
    }
}
