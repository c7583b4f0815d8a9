internal import HarkCore
internal import HarkWire

/// A chat, or what brings a line to a phone: the words of `preset`.
package enum Chat: String, Sendable, CaseIterable {
    /// And what takes the same: Mattermost, Rocket.Chat.
    case slack
    case discord
    /// The event of a room, by the client-server API.
    case matrix
    case ntfy

    /// A template that has a text where this wants it.
    package func template(_ text: String = "{summary}") -> MessageTemplate {
        switch self {
        case .slack: MessageTemplate(["text": .string(text)])
        // Who is named in a record is not called.
        case .discord: MessageTemplate(["content": .string(text), "allowed_mentions": ["parse": []]])
        case .matrix: MessageTemplate(["msgtype": "m.text", "body": .string(text)])
        case .ntfy: MessageTemplate(.string(text))
        }
    }

    package var method: String { self == .matrix ? "PUT" : "POST" }

    /// What a text is filled with, so that it is shown as it is: Slack would call everybody for `<!channel>`.
    func escaped(_ text: String) -> String {
        guard self == .slack else { return text }
        return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// Matrix knows by the end of the address what it has already.
    func url(for record: Record, at url: String) -> String {
        guard self == .matrix else { return url }
        let end = url.firstIndex { "?#".contains($0) } ?? url.endIndex
        let slash = url[..<end].hasSuffix("/") ? "" : "/"
        return "\(url[..<end])\(slash)\(record.id)\(url[end...])"
    }
}
