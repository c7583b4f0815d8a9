import Glibc
import HarkCore
import HarkWire

/// How a person is told that a survey is ready.
struct NotifySettings: Sendable, Equatable {
    /// False: nobody is told, and a survey stays ready until somebody presents it.
    var isEnabled = true
    /// The hook; nil is a notification with the options as buttons, which `notifier` has shown.
    var command: [String]?
    /// What shows a notification where no hook is set, before the seconds that it may take; nil: nothing does.
    var notifier: [String]?
    var timeoutSeconds = 60
    /// What a click on the notification runs; the presentation's id is added at the end. nil: `hark ask --desktop`.
    var open: [String]?

    /// What somebody chose.
    enum Choice: Equatable {
        case answer(option: String, text: String? = nil)
        case dismiss
        /// Never again.
        case mute
        case open
    }

    static let noNotifySend =
        "there is no session bus that shows notifications, and there is no notify-send; install it (on Debian: libnotify-bin), "
        + "or set notify.command. Until then surveys wait for 'hark ask'"

    /// What is run, with the survey on standard input; nil: nobody is told.
    var arguments: [String]? { isEnabled ? command ?? notifier.map { $0 + [String(timeoutSeconds)] } : nil }

    /// How long that may run. The program of our own sees to its time itself: it does not count what it waits for somebody
    /// to be there.
    var limitMicroseconds: UInt64 { command == nil ? .max : UInt64(timeoutSeconds) * 1_000_000 }

    /// Why nobody can be told; nil: nothing is known against it.
    var problem: String? {
        guard arguments != nil else { return nil }
        guard let program = command?.first else {
            let isShown = NotifySettings.hasSessionBus && !NotifySettings.wantsNotifySend
            return isShown || NotifySettings.isProgram("notify-send") ? nil : NotifySettings.noNotifySend
        }
        if NotifySettings.isProgram(program) { return nil }
        return "there is no program '\(program)' (notify.command); until there is, surveys wait for 'hark ask'"
    }

    /// False where there is neither a session bus nor a display that has one, as on a server.
    var mayHaveDesktop: Bool { command != nil || NotifySettings.hasSessionBus || getenv("DISPLAY") != nil }

    /// Whether there seems to be a session bus.
    private static var hasSessionBus: Bool {
        if getenv("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
        return access(String(cString: folder) + "/bus", F_OK) == 0
    }

    /// Whether notify-send is to show notifications, though there is a session bus (`HARK_NOTIFY_SEND=1`).
    static var wantsNotifySend: Bool {
        getenv("HARK_NOTIFY_SEND").map { !["", "0"].contains(String(cString: $0)) } ?? false
    }

    /// Whether there is such a program: a path, or a name looked up on the PATH.
    static func isProgram(_ name: String) -> Bool {
        if name.contains("/") { return access(name, X_OK) == 0 }
        // As execvp(3) has it where PATH is not set.
        let path = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
        return path.split(separator: ":", omittingEmptySubsequences: false).contains { folder in
            access("\(folder.isEmpty ? "." : folder)/\(name)", X_OK) == 0
        }
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
        for line in lines.reversed() {
            if line == "dismiss" { return .dismiss }
            if line == "mute" { return .mute }
            if line == "open" || line == "default" { return .open }
            if line.hasPrefix("answer ") { return .answer(of: survey, line.dropFirst("answer ".count)) }
            if options.contains(line) { return .answer(option: line) }
        }
        return nil
    }

    func openArguments(for id: Identifier) -> [String] {
        (open ?? [NotifySettings.tool, "ask", "--desktop"]) + [id.description]
    }

    /// The tool's program: beside this one, or else on the PATH.
    private static let tool: String = {
        var bytes = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &bytes, bytes.count)
        guard length > 0 else { return "hark" }
        let path = String(decoding: bytes[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = path.lastIndex(of: "/") else { return "hark" }
        let beside = path[...slash] + "hark"
        return access(String(beside), X_OK) == 0 ? String(beside) : "hark"
    }()

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

    /// The options of a survey that one choice answers, or answers in part.
    private static func options(_ survey: Survey, _ presentation: Presentation) -> [String] {
        survey.content.localized(presentation.locale).optionValues
    }
}

extension NotifySettings.Choice {
    /// A combined survey is answered as `survey_response` has it: `Great||Fast and kind`.
    fileprivate static func answer(of survey: Survey, _ words: Substring) -> Self {
        guard survey.content.responseType == .combined, let bars = words.firstRange(of: "||") else {
            return .answer(option: String(words))
        }
        return .answer(option: String(words[..<bars.lowerBound]), text: String(words[bars.upperBound...]))
    }
}
