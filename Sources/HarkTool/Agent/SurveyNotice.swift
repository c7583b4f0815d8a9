import HarkWire

/// A survey as a notification of the desktop: the arguments of notify-send, and what its output means.
struct SurveyNotice {
    /// What somebody did with the notification.
    enum Choice: Equatable {
        /// Pressed the button of an option: its value.
        case option(JSONValue)
        /// Wants to answer at leisure.
        case open
    }

    /// More buttons than this, or longer ones, do not fit on a notification.
    private static let mostButtons = 5
    private static let longestLabel = 16

    private let presentation: Presentation
    /// The options that are buttons; none where they do not fit, or where choosing one is not the whole answer.
    private let buttons: [SurveyQuestion.Choice]

    init(_ presentation: Presentation) {
        self.presentation = presentation
        buttons = Self.buttons(presentation)
    }

    private static func buttons(_ presentation: Presentation) -> [SurveyQuestion.Choice] {
        guard presentation.answersAtOnce, case .choices(let choices, false, _)? = presentation.questions.first?.kind,
            choices.count <= mostButtons, choices.allSatisfy({ TextWidth.of($0.label) <= longestLabel })
        else { return [] }
        return choices
    }

    /// - Parameter seconds: how long it stays, where the desktop heeds it.
    func arguments(seconds: Int64) -> [String] {
        let title = presentation.notification?.title ?? presentation.title
        let body = presentation.notification?.body ?? presentation.message
        var arguments = ["notify-send", "--wait", "--app-name=Hark", "--expire-time=\(seconds * 1000)"]
        arguments.append(
            presentation.notification?.sound ?? true
                ? "--hint=string:sound-name:message-new-instant" : "--hint=boolean:suppress-sound:true")
        arguments.append("--action=default=Answer…")
        for (place, button) in buttons.enumerated() {
            let face = button.emoji.map { VisibleText.make($0) + " " } ?? ""
            arguments.append("--action=\(place)=\(face)\(VisibleText.make(button.label))")
        }
        if buttons.isEmpty { arguments.append("--action=open=Answer…") }
        return arguments + ["--", VisibleText.make(title), Self.markup(body)]
    }

    /// What notify-send printed; nil if the notification went without a choice.
    func choice(_ output: String) -> Choice? {
        let word = output.prefix { !$0.isNewline }
        if word == "open" || word == "default" { return .open }
        return Int(word).flatMap { buttons.indices.contains($0) ? .option(buttons[$0].value) : nil }
    }

    /// The body of a notification may have markup, so what looks like some is written otherwise.
    private static func markup(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.map { line in
            VisibleText.make(line).reduce(into: "") { result, character in
                switch character {
                case "&": result += "&amp;"
                case "<": result += "&lt;"
                case ">": result += "&gt;"
                default: result.append(character)
                }
            }
        }.joined(separator: "\n")
    }
}
