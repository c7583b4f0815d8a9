internal import HarkCore
internal import HarkWire

/// A chat or notification service: the values of `preset`.
package enum Chat: String, Sendable, CaseIterable {
    /// Also for compatible services: Mattermost, Rocket.Chat.
    case slack
    case discord
    /// A room event of the client-server API.
    case matrix
    case ntfy

    /// A template with the text at the service's place.
    package func template(_ text: String = "{summary}") -> MessageTemplate {
        switch self {
        case .slack: MessageTemplate(["text": .string(text)])
        // A mention in a record must notify no person.
        case .discord: MessageTemplate(["content": .string(text), "allowed_mentions": ["parse": []]])
        case .matrix: MessageTemplate(["msgtype": "m.text", "body": .string(text)])
        case .ntfy: MessageTemplate(.string(text))
        }
    }

    package var method: String { self == .matrix ? "PUT" : "POST" }

    /// Escapes a text so that it is shown literally: Slack would notify a whole channel for `<!channel>`.
    func escaped(_ text: String) -> String {
        guard self == .slack else { return text }
        return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// The URL for a record; Matrix recognizes repetitions by its end.
    func url(for record: Record, at url: String) -> String {
        guard self == .matrix else { return url }
        let end = url.firstIndex { "?#".contains($0) } ?? url.endIndex
        let slash = url[..<end].hasSuffix("/") ? "" : "/"
        return "\(url[..<end])\(slash)\(record.id)\(url[end...])"
    }
}
