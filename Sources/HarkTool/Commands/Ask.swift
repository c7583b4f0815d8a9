import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let ask: Command = Command(
        name: "ask",
        summary: "Answer a survey, on the terminal or in a window.",
        usage: ["[SURVEY | PRESENTATION]"],
        about: """
            Shows the survey that waits for an answer, or with a survey's id a showing of that survey, and sends the answers. \
            The last line shows the keys. Esc dismisses the survey, which counts as an attempt; Ctrl-C puts it off, and it comes \
            again; Ctrl-X dismisses it for ever (see 'hark mute'). If the answers to the survey can be changed, the thanks stay \
            for six seconds (HARK_THANKS_SECONDS in the environment sets another number), and Ctrl-E opens the answer again.

            With --window, hark-dialog asks in a window of the desktop. Without a display or without hark-dialog, the terminal \
            is used.

            Without a terminal, or with TERM=dumb, hark prints numbered answers and reads lines, one for each question: a \
            number, a label or a text. If standard input is no terminal, the survey counts as shown only when it is answered \
            completely. At the end of the input, optional questions are passed over; if a required answer is missing, no attempt \
            is used up.

            The exit code is 0 if it was answered, 1 if it was dismissed or put off, and 66 if there was nothing to ask, or \
            the survey ended elsewhere. With HARK_NO_SURVEYS=1 in the environment, hark never asks on the terminal.
            """,
        options: [.surveyApp, wait, .window, desktop],
        examples: [
            .init("hark ask", "Answer the waiting survey."),
            .init("hark ask --window", "The same in a window."),
            .init("hark ask --wait", "Wait until there is something to answer."),
        ],
        operands: 0...1,
        completes: .names(.surveyOrPresentation),
        calls: SurveyPresent.name,
        run: { arguments, console in
            let named = arguments.operands.first
            if arguments.has(wait), let named {
                throw ToolError.usage("'--wait' and '\(named)' contradict each other", hint: "Give one of them.")
            }
            if try isAskedInWindow(named, arguments, console) { return }
            if wantsNoSurveys { throw QuietExit(exit: .noInput) }
            let link = try SurveyLink(app: arguments[.surveyApp], isPresenter: arguments.has(wait), on: .terminal)
            if !console.inputIsTerminal, !arguments.has(wait), let tried = try link.tried(named) {
                return try ask(tried, link, console, isTried: true)
            }
            let presentation =
                if arguments.has(wait) { try link.waitForNext() } else { try choose(named, link) }
            try ask(presentation, link, console)
        })

    /// Whether this terminal must not be used for surveys.
    static var wantsNoSurveys: Bool { !["", "0"].contains(SocketAddress.environment("HARK_NO_SURVEYS") ?? "") }

    private static let wait = Option("wait", "w", "Wait for the next survey instead of giving up when there is none.")

    private static let desktop = Option(
        "desktop", "Ask in a window, or else in a new terminal. A click on a notification does this.")

    /// - Returns: Whether the survey was asked in a window, or opened in a separate terminal.
    private static func isAskedInWindow(_ named: String?, _ arguments: Arguments, _ console: Console) throws -> Bool {
        guard arguments.has(.window) || arguments.has(desktop) else { return false }
        try arguments.atMostOne(of: .window, desktop)
        if arguments.has(wait) {
            throw ToolError.usage(
                "'--wait' is for the terminal", hint: "'hark-dialog --wait' shows each survey in a window as it comes.")
        }
        let names = NameResolution(kind: .surveyOrPresentation, app: arguments[.surveyApp])
        let meant = try named.map { try names.idIfKnown(of: $0, console) }
        let words = (arguments[.surveyApp].map { ["--app", $0] } ?? []) + (meant.map { [$0] } ?? [])
        do {
            try DialogWindow.run(words)
            return true
        } catch let absence as DialogWindow.Absence {
            guard arguments.has(desktop) else {
                console.say("hark: \(absence.why); asking on the terminal")
                return false
            }
            if TerminalWindow.open(["ask"] + words) { return true }
            throw ToolError(
                .unavailable, "\(absence.why), and there is no terminal to open",
                hint: "Set TERMINAL to one, or use 'hark ask' in one.")
        }
    }

    private static func choose(_ named: String?, _ link: SurveyLink) throws -> ShownSurvey {
        do {
            return try link.choose(named)
        } catch let nothing as NothingToAsk {
            if nothing.isOne { throw ToolError(.noInput, nothing.why) }
            let hint =
                if nothing.isShownElsewhere {
                    "One is being shown elsewhere."
                } else if let due = nothing.dueAt {
                    "The next is due at \(LocalTime.secondText(due)); 'hark ask --wait' waits for it."
                } else {
                    "'hark ask --wait' waits for one, 'hark surveys --rules' tells when there would be one."
                }
            let error = ToolError(.noInput, nothing.why, hint: hint)
            if named != nil { throw NothingOfThatName(otherwise: error) }
            throw error
        }
    }

    static func ask(
        _ presentation: ShownSurvey, _ link: SurveyLink, _ console: Console, isTried: Bool = false
    ) throws {
        if presentation.isUnknown || presentation.questions.isEmpty {
            throw ToolError(
                .software, "this survey has questions that hark \(Version.current) does not know",
                hint: "Is the daemon newer? 'hark status' tells its version.")
        }
        let survey = try AskedSurvey(presentation, link, isTried: isTried)
        let ending: AskEnding
        if console.hasScreen {
            var screen = AskOnScreen(survey, console)
            ending = try screen.run()
        } else {
            var lines = AskByLines(survey, console)
            ending = try lines.run()
        }
        try tell(ending, presentation, console)
        if ending == .answered, let (id, until) = link.changeable { sayHowToChange(id, until, console) }
    }

    /// Says how to undo an answer, which may be a slip.
    private static func sayHowToChange(_ id: String, _ until: Timestamp, _ console: Console) {
        let id = VisibleText.make(id)
        console.say(
            "hark: until \(LocalTime.secondText(until)) 'hark answer --take-back \(id)' undoes it, and 'hark answer --change \(id) …' "
                + "changes it")
    }

    private static func tell(_ ending: AskEnding, _ presentation: ShownSurvey, _ console: Console) throws {
        let title = VisibleText.make(presentation.title)
        switch ending {
        case .answered, .held: try console.print("Thank you! (\(title))")
        case .dismissed:
            console.say("hark: dismissed (\(title))")
            throw QuietExit(exit: .declined)
        case .muted:
            console.say(
                "hark: not asked again; 'hark unmute \(VisibleText.value(presentation.surveyId))' undoes that")
            throw QuietExit(exit: .declined)
        case .left, .waiting:
            console.say("hark: put off; it will be asked again (\(title))")
            throw QuietExit(exit: .declined)
        case .gone(let why):
            throw ToolError(.noInput, "the survey is not to be answered any more: \(why)")
        }
    }
}
