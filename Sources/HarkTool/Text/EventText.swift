import HarkClient
import HarkWire

/// Events as people read them: `2026-11-21 12:08:00.123  ada  backup.done  host=nas gigabytes=12.5`.
struct EventText {
    /// Names longer than this push their properties to the right by themselves.
    private static let widestName = 32

    private let style: Style
    /// The column of the user is left out where all events are one user's.
    private let showsUser: Bool
    private var nameWidth = 12
    private var userWidth = 4

    init(_ style: Style, showsUser: Bool) {
        self.style = style
        self.showsUser = showsUser
    }

    /// The line of one event. Columns widen as they meet longer names and stay so.
    mutating func line(_ event: JSONText) -> String {
        let name = VisibleText.make(event.member("name")?.string ?? "")
        nameWidth = max(nameWidth, min(TextWidth.of(name), Self.widestName))
        var columns = head(event)
        let properties = Self.properties(event.member("properties"), style)
        columns.append(style.name(properties.isEmpty ? name : TextWidth.padded(name, nameWidth)))
        if !properties.isEmpty { columns.append(properties) }
        return columns.joined(separator: "  ")
    }

    /// The line of one log entry: `2026-11-21 12:08:00.123  ada  error    Payment failed  code=card_declined`.
    mutating func line(entry: JSONText) -> String {
        let level = entry.member("level")?.string ?? ""
        let message = VisibleText.make(entry.member("message")?.string ?? "")
        let shown = TextWidth.padded(VisibleText.make(level), 8)
        var columns = head(entry)
        columns.append(level == "error" ? style.bad(shown) : level == "warning" ? style.warning(shown) : shown)
        columns.append(message)
        let metadata = Self.properties(entry.member("metadata"), style)
        if !metadata.isEmpty { columns.append(metadata) }
        return columns.joined(separator: "  ")
    }

    /// Time and user.
    private mutating func head(_ record: JSONText) -> [String] {
        let time = style.dim(LocalTime.text(iso: record.member("timestamp")?.string ?? ""))
        guard showsUser else { return [time] }
        let user = (record.member("userId")?.string).map { VisibleText.value($0) } ?? "-"
        userWidth = max(userWidth, min(TextWidth.of(user), 20))
        return [time, TextWidth.padded(user, userWidth)]
    }

    static func properties(_ object: JSONText?, _ style: Style) -> String {
        var parts: [String] = []
        object?.forEachMember { key, value in
            let name = JSONText("\"\(String(decoding: key, as: UTF8.self))\"").string ?? ""
            let text = value.string.map { VisibleText.value($0) } ?? VisibleText.make(value.text)
            parts.append(style.dim(VisibleText.value(name) + "=") + text)
            return true
        }
        return parts.joined(separator: " ")
    }
}
