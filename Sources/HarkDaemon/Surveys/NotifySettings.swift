import Glibc
import HarkCore
import HarkWire

/// How a person is told that a survey is ready.
struct NotifySettings: Sendable, Equatable {
    /// False: nobody is told, and a survey stays ready until somebody presents it.
    var isEnabled = true
    /// The hook; nil is notify-send with the options as buttons.
    var command: [String]?
    var timeoutSeconds = 60
    /// What a click on the notification runs; the presentation's id is added at the end. nil: `hark ask` in a terminal.
    var open: [String]?

    /// What somebody chose.
    enum Choice: Equatable {
        case answer(String)
        case dismiss
        case open
    }

    /// Buttons that most notification daemons have room for.
    private static let maxButtons = 5
    private static let maxButtonCharacters = 20

    /// notify-send ends without taking its notification away when it is told to end (SIGTERM, which goes to the whole
    /// group and so must be ignored in it); told to stop (SIGINT), it closes it first.
    private static let script = """
        (trap '' TERM; exec notify-send "$@") & child=$!
        trap 'kill -INT $child' TERM
        wait $child; status=$?
        [ $status -lt 128 ] || wait $child
        exit 0
        """

    func arguments(for survey: Survey, _ presentation: Presentation) -> [String] {
        if let command { return command }
        let text = NotifySettings.text(survey, presentation)
        var arguments = ["sh", "-c", NotifySettings.script, "notify-send", "--app-name=Hark", "--wait"]
        arguments.append("--action=default=Open")
        for (index, option) in NotifySettings.buttons(survey, presentation).enumerated() {
            arguments.append("--action=o\(index)=\(option)")
        }
        if !text.sound { arguments.append("--hint=boolean:suppress-sound:true") }
        return arguments + ["--", text.title, text.body]
    }

    func environment(for survey: Survey, _ presentation: Presentation) -> [String: String] {
        let text = NotifySettings.text(survey, presentation)
        return [
            "HARK_PRESENTATION_ID": presentation.id.description,
            "HARK_SURVEY_ID": survey.id,
            "HARK_TITLE": text.title,
            "HARK_BODY": text.body,
            "HARK_SOUND": text.sound ? "1" : "0",
            "HARK_OPTIONS": NotifySettings.options(survey, presentation).joined(separator: "\n"),
            "HARK_USER_ID": presentation.user.userId ?? "",
            "HARK_SESSION_ID": (presentation.session ?? presentation.origin).description,
            "HARK_APP": presentation.app,
        ].mapValues { $0.replacing("\0", with: "\u{FFFD}") }
    }

    static func input(_ survey: Survey, _ presentation: Presentation) -> [UInt8] {
        var json = JSONWriter()
        presentation.write(to: &json, survey: survey)
        json.newline()
        return json.bytes
    }

    /// What the lines a hook printed mean; the last one that means anything counts.
    func choice(in lines: [String], of survey: Survey?, _ presentation: Presentation?) -> Choice? {
        guard let survey, let presentation else { return nil }
        let options = NotifySettings.options(survey, presentation)
        let buttons = NotifySettings.buttons(survey, presentation)
        for line in lines.reversed() {
            if line == "dismiss" { return .dismiss }
            if line == "open" || line == "default" { return .open }
            if line.hasPrefix("answer ") { return .answer(String(line.dropFirst("answer ".count))) }
            if command == nil, line.hasPrefix("o"), let index = Int(line.dropFirst()), buttons.indices.contains(index) {
                return .answer(buttons[index])
            }
            if options.contains(line) { return .answer(line) }
        }
        return nil
    }

    func openArguments(for id: Identifier) -> [String] {
        (open ?? ["x-terminal-emulator", "-e", "hark", "ask"]) + [id.description]
    }

    func write(to json: inout JSONWriter) {
        guard isEnabled else { return json.null() }
        func write(_ name: StaticString, _ words: [String]?) {
            json.key(name)
            json.value(words.map { .array($0.map(JSONValue.string)) } ?? .null)
        }
        json.beginObject()
        write("command", command)
        json.key("timeoutSeconds")
        json.int(timeoutSeconds)
        write("open", open)
        json.endObject()
    }

    private static func text(_ survey: Survey, _ presentation: Presentation) -> SurveyNotification {
        let content = survey.content.localized(presentation.locale)
        return survey.notification(in: presentation.locale)
            ?? SurveyNotification(title: content.title, body: content.message)
    }

    /// The options of a survey that one choice answers.
    private static func options(_ survey: Survey, _ presentation: Presentation) -> [String] {
        let content = survey.content.localized(presentation.locale)
        return content.responseType == .options ? content.optionValues : []
    }

    private static func buttons(_ survey: Survey, _ presentation: Presentation) -> [String] {
        let options = options(survey, presentation)
        let fit = options.count <= maxButtons && options.allSatisfy { $0.count <= maxButtonCharacters }
        return fit ? options : []
    }
}
