import HarkWire

/// The text and buttons of a survey's notification.
struct NotificationContent: Sendable, Equatable {
    struct Button: Sendable, Equatable {
        let label: String
        /// The answer that the button gives.
        let value: String
    }

    /// The maximum number of buttons: GNOME shows three, and others have no room for more in a line.
    private static let maxButtons = 3
    private static let maxButtonCharacters = 20

    /// The name of Hark's icon and of its desktop file.
    static let icon = "org.hark.Dialog"

    let title: String
    let body: String
    let sound: Bool
    let surveyId: String
    /// The options of a survey as buttons: either all or none.
    let buttons: [Button]
    /// Whether there is room for a mute button. Prompts of programs are muted elsewhere.
    private let offersMuting: Bool

    /// The maximum number of answer buttons next to a mute button.
    private static let mostBesideMuting = maxButtons - 1

    /// - Parameter survey: A presentation as the notify hook gets it; the result is nil for anything else.
    init?(_ survey: JSONValue) {
        guard survey["presentationId"]?.stringValue != nil, let id = survey["surveyId"]?.stringValue else { return nil }
        surveyId = id
        let notification = survey["notification"]
        title = notification?["title"]?.stringValue ?? survey["title"]?.stringValue ?? id
        body = notification?["body"]?.stringValue ?? survey["message"]?.stringValue ?? ""
        sound = notification?["sound"]?.boolValue ?? true
        buttons = NotificationContent.buttons(of: survey)
        offersMuting = survey["promptId"] == nil && buttons.count <= NotificationContent.mostBesideMuting
    }

    private static func buttons(of survey: JSONValue) -> [Button] {
        guard survey["responseType"]?.stringValue == ResponseType.options.rawValue else { return [] }
        let buttons = (survey["questions"]?[0]?["options"]?.arrayValue ?? []).compactMap { option -> Button? in
            guard let value = option["value"]?.stringValue else { return nil }
            let label = option["label"]?.stringValue ?? value
            guard !value.isEmpty, !value.contains(where: \.isNewline), label.count <= maxButtonCharacters else {
                return nil
            }
            let beginsWithEmoji = label.unicodeScalars.first?.properties.isEmojiPresentation ?? false
            guard let emoji = option["emoji"]?.stringValue, !beginsWithEmoji else {
                return Button(label: label, value: value)
            }
            return Button(label: "\(emoji) \(label)", value: value)
        }
        let all = survey["questions"]?[0]?["options"]?.arrayValue?.count ?? 0
        return buttons.count == all && all <= maxButtons ? buttons : []
    }

    /// The notification as sent to a server.
    struct Look: Sendable, Equatable {
        struct Action: Sendable, Equatable {
            let key: String
            let label: String
        }

        let title: String
        let body: String
        let actions: [Action]
        let sound: Bool
    }

    /// Not a capability of the standard: the server shows buttons only in a menu, as dunst and mako do.
    static let hiddenActions = "x-hark-hidden-actions"

    /// - Parameter capabilities: The server's capabilities, by their standard names, and `hiddenActions`.
    func look(_ capabilities: Set<String>) -> Look {
        var actions: [Look.Action] = []
        var body = body
        if capabilities.contains("actions") {
            // A click on the notification. It has no name, as some servers would make a second button of it.
            actions.append(.init(key: "default", label: ""))
            for (index, button) in buttons.enumerated() {
                actions.append(.init(key: "o\(index)", label: NotificationContent.visible(button.label)))
            }
            if buttons.isEmpty { actions.append(.init(key: "open", label: "Answer…")) }
            if offersMuting { actions.append(.init(key: "mute", label: "Don't ask again")) }
        }
        let options = buttons.map(\.label).joined(separator: " · ")
        if actions.isEmpty {
            body = lines(body, options, "To answer: hark ask \(NotificationContent.word(surveyId))")
        } else if capabilities.contains(Self.hiddenActions) {
            body = lines(body, options)
        }
        body = NotificationContent.visible(body)
        if capabilities.contains("body-markup") { body = NotificationContent.markup(body) }
        return Look(title: NotificationContent.visible(title), body: body, actions: actions, sound: sound)
    }

    private func lines(_ texts: String...) -> String {
        texts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The line that a hook prints for the key of an action; nil: nothing was chosen.
    func choice(_ key: String) -> String? {
        if key == "default" || key == "open" { return "open" }
        if key == "mute" { return offersMuting ? "mute" : nil }
        guard key.hasPrefix("o"), let index = Int(key.dropFirst()), buttons.indices.contains(index) else { return nil }
        return "answer \(buttons[index].value)"
    }

    /// Escapes a body, which may contain markup.
    private static func markup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// Replaces control characters, which have no meaning here; NUL would end an argument.
    private static func visible(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    scalar.properties.generalCategory == .control && scalar != "\n" ? "\u{FFFD}" : scalar
                }))
    }

    /// Quotes a word for a shell.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
