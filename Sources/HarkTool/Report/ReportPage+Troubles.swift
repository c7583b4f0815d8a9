import HarkAsking
import HarkWire

extension ReportPage {
    /// Programs that failed, and watches that were missed; nothing if all went well.
    var troubles: String {
        let troubles = report.troubles
        guard troubles.failureCount + troubles.missedCount > 0 else { return "" }
        return section(
            "What went wrong",
            [
                list(
                    troubles.failures, troubles.failureCount, "Programs that failed, newest first", "Program",
                    "failure"),
                list(
                    troubles.missed, troubles.missedCount, "Watches that were missed, newest first", "Watch",
                    "missed watch", "missed watches"),
            ])
    }

    private func list(
        _ shown: [Troubles.Trouble], _ count: Int64, _ caption: String, _ what: String, _ one: String,
        _ many: String? = nil
    ) -> String {
        guard count > 0 else { return "" }
        let rows = shown.reversed().map { trouble in
            [time(trouble.at), Markup.recorded(trouble.name), Markup.recorded(trouble.details)]
        }
        let others = count - Int64(shown.count)
        let words = others == 1 ? one : many ?? one + "s"
        let note = others > 0 ? paragraph("and \(Plural.grouped(others)) earlier \(words)") : ""
        return table(caption, ["When", what, "~How"], rows) + note
    }

    /// Log entries by level; nothing without any.
    var logs: String {
        let tally = report.logs
        guard tally.total > 0 else { return "" }
        let known = [LogLevel.error, .warning, .info, .messages].map(\.rawValue)
        let levels = known + tally.levels.keys.filter { !known.contains($0) }.sorted().prefix(8)
        let rows = levels.compactMap { name in
            tally.levels[name].map { level in
                [
                    Markup.recorded(name), Plural.grouped(level.count), share(level.count, of: tally.total),
                    time(level.latest),
                ]
            }
        }
        let note = tally.isCut ? paragraph("These are the newest \(Plural.grouped(tally.total)); there are more.") : ""
        return section("Log", [table("Log entries by level", ["Level", "#Entries", "#Share", "Latest"], rows), note])
    }

    /// The latest texts that people wrote, if they are to be shown.
    var texts: String {
        guard let texts = report.texts else { return "" }
        guard !texts.isEmpty else { return section("What people wrote", [paragraph("There are no texts.")]) }
        let rows = texts.map { text in
            [
                time(text.at), Markup.recorded(text.survey), emojiFirst(text.rating),
                Markup.recorded(text.text, atMost: 1_000),
            ]
        }
        return section(
            "What people wrote", [table("The latest texts, newest first", ["When", "Survey", "Rating", "~Text"], rows)])
    }

    /// The time to the minute; a text that is no time as it is.
    private func time(_ iso: String) -> String {
        "<span class=\"time\">\(Markup.escaped(String(LocalTime.text(iso: iso).prefix(16))))</span>"
    }

    /// A label whose emoji, if it begins with one, is drawn in colour.
    func emojiFirst(_ label: String) -> String {
        guard let first = label.first, TextWidth.of(first) == 2, first.unicodeScalars.first?.properties.isEmoji == true
        else { return Markup.recorded(label) }
        return emoji(String(first)) + " " + Markup.recorded(String(label.dropFirst()).trimmed)
    }

    func emoji(_ text: String) -> String { "<span class=\"emoji\">\(Markup.escaped(text))</span>" }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
