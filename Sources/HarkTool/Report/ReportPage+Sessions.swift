import HarkAsking

extension ReportPage {
    private static let mostApps = 12

    /// The number, users and duration of sessions.
    var sessions: String {
        let tally = report.sessions
        guard tally.all.sessions > 0 else {
            return section("Sessions", [paragraph("No session began in this time.")])
        }
        let sorted = tally.apps.sorted { ($0.value.sessions, $1.key) > ($1.value.sessions, $0.key) }
        let shown = sorted.prefix(Self.mostApps)
        var rows = shown.map { row(Markup.recorded($0.key), $0.value) }
        if tally.apps.count > 1 { rows.append(row("<strong>all</strong>", tally.all)) }
        var notes: [String] = []
        let others = sorted.dropFirst(Self.mostApps)
        if !others.isEmpty {
            let sessions = others.reduce(0) { $0 + $1.value.sessions }
            notes.append("and \(Plural.count(others.count, "other app")) with \(Plural.count(sessions, "session"))")
        }
        if tally.isCut { notes.append("These are the newest \(Plural.grouped(SessionTally.most)); there are more.") }
        if report.filters.contains(where: { $0.0 == "where" }) {
            notes.append("The condition is about events, not sessions: all that began in this time are counted.")
        }
        let columns = ["App", "#Sessions", "#Still open", "#Users", "#Median length", "#90 % within"]
        return section(
            "Sessions", [table("Sessions that began in this time, by app", columns, rows)] + notes.map(paragraph))
    }

    private func row(_ name: String, _ app: SessionTally.App) -> [String] {
        func length(_ percent: Int) -> String { app.seconds(percent: percent).map(DurationText.make) ?? "–" }
        return [
            name, Plural.grouped(app.sessions), Plural.grouped(app.open), Plural.grouped(app.users), length(50),
            length(90),
        ]
    }
}
