import HarkClient
import HarkWire

/// A table of dead letters.
enum DeadLetterText {
    static func text(_ letters: [DeadLetterInfo], _ style: TextStyle) -> String {
        var rows = [["destination", "seq", "what", "why"]]
        for letter in letters {
            rows.append([
                VisibleText.make(letter.destination), String(letter.seq), what(letter.record?.json),
                VisibleText.make(letter.reason),
            ])
        }
        return TextTable.text(rows, style)
    }

    private static func what(_ record: JSONText?) -> String {
        guard let record, let kind = record.member("kind")?.string else { return "-" }
        let content = ["event", "log", "form", "profile"].lazy.compactMap { record.member($0) }.first
        let text = content?.member("message")?.string ?? content?.member("name")?.string
        guard let text else { return kind }
        let visible = VisibleText.make(text)
        return "\(kind) \(visible.count > 40 ? visible.prefix(39) + "…" : visible)"
    }
}
