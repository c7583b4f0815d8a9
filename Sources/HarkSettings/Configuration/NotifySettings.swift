import Glibc
package import HarkCore
package import HarkWire

/// How people are notified of surveys that are ready.
package struct NotifySettings: Sendable, Equatable {
    /// If false, there are no notifications, and a survey stays ready until a presenter shows it.
    package var isEnabled = true
    /// The hook; nil means a notification with the options as buttons, shown by `notifier`.
    package var command: [String]?
    /// The program that shows a notification if no hook is set; its timeout in seconds is appended. nil: none.
    package var notifier: [String]?
    package var timeoutSeconds = 60
    /// The command for a click on the notification; the presentation's id is appended. nil: `hark ask --desktop`.
    package var open: [String]?

    package init() {}

    /// A choice of the user.
    package enum Choice: Equatable {
        case answer(option: String, text: String? = nil)
        case dismiss
        /// Mutes the survey for ever.
        case mute
        case open
    }

    static let noNotifySend =
        "there is no session bus that shows notifications, and there is no notify-send; install it (on Debian: libnotify-bin), "
        + "or set notify.command. Until then surveys wait for 'hark ask'"

    /// The command to run with the survey on standard input; nil: no notification is shown.
    package var arguments: [String]? { isEnabled ? command ?? notifier.map { $0 + [String(timeoutSeconds)] } : nil }

    /// The timeout of the command. The daemon's own notifier limits its time itself, because it does not count the time
    /// while no person is present.
    package var limitMicroseconds: UInt64 { command == nil ? .max : UInt64(timeoutSeconds) * 1_000_000 }

    /// Why notifications cannot be shown; nil: no reason is known.
    package var problem: String? {
        guard arguments != nil else { return nil }
        guard let program = command?.first else {
            let isShown =
                DesktopPresence.hasSessionBus(environment: NotifySettings.variable, exists: NotifySettings.exists)
                && !NotifySettings.wantsNotifySend
            return isShown || NotifySettings.isProgram("notify-send") ? nil : NotifySettings.noNotifySend
        }
        if NotifySettings.isProgram(program) { return nil }
        return "there is no program '\(program)' (notify.command); until there is, surveys wait for 'hark ask'"
    }

    /// False without a hook of the user's where nobody sees notifications.
    package var mayHaveDesktop: Bool {
        command != nil
            || DesktopPresence.isPossible(environment: NotifySettings.variable, exists: NotifySettings.exists)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether notify-send is preferred to the session bus (`HARK_NOTIFY_SEND=1`).
    package static var wantsNotifySend: Bool {
        getenv("HARK_NOTIFY_SEND").map { !["", "0"].contains(String(cString: $0)) } ?? false
    }

    /// Whether the program exists: a path, or a name looked up in PATH.
    package static func isProgram(_ name: String) -> Bool {
        if name.contains("/") { return access(name, X_OK) == 0 }
        // The default of execvp(3) without PATH.
        let path = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
        return path.split(separator: ":", omittingEmptySubsequences: false).contains { folder in
            access("\(folder.isEmpty ? "." : folder)/\(name)", X_OK) == 0
        }
    }

    package func environment(for survey: Survey, _ presentation: Presentation) -> [String: String] {
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
        ]
    }

    package static func input(_ survey: Survey, _ presentation: Presentation) -> [UInt8] {
        var json = JSONWriter()
        presentation.notified.write(to: &json, survey: survey)
        json.newline()
        return json.bytes
    }

    /// The choice in the output of a hook; the last valid line counts.
    package func choice(in lines: [String], of survey: Survey?, _ presentation: Presentation?) -> Choice? {
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

    package func openArguments(for id: Identifier) -> [String] {
        (open ?? [NotifySettings.tool, "ask", "--desktop"]) + [id.description]
    }

    /// The path of the tool `hark`: in the folder of this program, or else in PATH.
    private static let tool: String = {
        var bytes = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &bytes, bytes.count)
        guard length > 0 else { return "hark" }
        let path = String(decoding: bytes[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = path.lastIndex(of: "/") else { return "hark" }
        let beside = path[...slash] + "hark"
        return access(String(beside), X_OK) == 0 ? String(beside) : "hark"
    }()

    package func write(to json: inout JSONWriter) {
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
        let content = survey.content(for: presentation.notified)
        return survey.notification(for: presentation)
            ?? SurveyNotification(title: content.title, body: content.message)
    }

    /// The options that a single choice answers, completely or in part.
    private static func options(_ survey: Survey, _ presentation: Presentation) -> [String] {
        survey.content(for: presentation).optionValues
    }
}

extension NotifySettings.Choice {
    /// Parses an answer to a combined survey in the form of `survey_response`: `Great||Fast and kind`.
    fileprivate static func answer(of survey: Survey, _ words: Substring) -> Self {
        guard survey.content.responseType == .combined, let bars = words.firstRange(of: "||") else {
            return .answer(option: String(words))
        }
        return .answer(option: String(words[..<bars.lowerBound]), text: String(words[bars.upperBound...]))
    }
}
