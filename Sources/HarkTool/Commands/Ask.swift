import HarkClient
import HarkWire

extension Command {
    static let ask: Command = Command(
        name: "ask",
        summary: "Answer a survey on the terminal.",
        usage: ["[SURVEY | PRESENTATION]"],
        about: """
            Shows the survey that waits for an answer, or with a survey's id one of that survey, and sends what is chosen \
            and written. The keys that do something are on the last line. Esc dismisses the survey, which counts as an attempt; \
            Ctrl-C puts it off, and it comes again.

            Without a terminal, or with TERM=dumb, hark prints numbered answers and reads lines.

            The exit code is 0 if it was answered, 1 if it was dismissed or put off, and 66 if there was nothing to ask, or \
            the survey ended elsewhere.
            """,
        options: [.surveyApp, wait],
        examples: [
            .init("hark ask", "Answer what waits."),
            .init("hark ask --wait", "Wait until there is something to answer."),
        ],
        operands: 0...1,
        run: { arguments, console in
            let named = arguments.operands.first
            if arguments.has(wait), let named {
                throw ToolError.usage("'--wait' and '\(named)' contradict each other", hint: "Give one of them.")
            }
            let link = try SurveyLink(app: arguments[.surveyApp], isPresenter: arguments.has(wait))
            let presentation =
                if arguments.has(wait) {
                    try next(link)
                } else if let named, Identifier(named) != nil {
                    try shown(named, link)
                } else {
                    try ready(named, link)
                }
            try ask(presentation, link, console)
        })

    private static let wait = Option("wait", "w", "Wait for the next survey instead of giving up when there is none.")

    /// That one; that it has ended, or is not due, is nothing to ask.
    private static func shown(_ presentationId: String, _ link: SurveyLink) throws -> ShownSurvey {
        do throws(ClientError) {
            return try link.present(presentationId)
        } catch {
            guard ["alreadyClosed", "conflict"].contains(error.reason) else { throw error }
            throw ToolError(.noInput, error.message)
        }
    }

    /// The one that is ready and was so first, of all that can be shown now.
    private static func ready(_ survey: String?, _ link: SurveyLink) throws -> ShownSurvey {
        let pending = try link.pending(of: survey)
        var conflict: ClientError?
        for ready in pending where ready.state == "ready" {
            do throws(ClientError) {
                return try link.present(ready.id)
            } catch {
                // Another user's session is open, say; one of another app may do.
                guard error.reason == "conflict" else { throw error }
                conflict = conflict ?? error
            }
        }
        if let conflict { throw ToolError(.noInput, conflict.message) }
        let scheduled = pending.filter { $0.state == "scheduled" }.compactMap(\.triggerAt).min()
        let hint =
            if pending.contains(where: { $0.state == "presented" }) {
                "One is being shown elsewhere."
            } else if let scheduled {
                "The next is due at \(LocalTime.secondText(scheduled)); 'hark ask --wait' waits for it."
            } else {
                "'hark ask --wait' waits for one, 'hark surveys --rules' tells when there would be one."
            }
        let name = survey.map { "nothing of the survey '\($0)'" } ?? "no survey"
        throw ToolError(.noInput, "\(name) waits for an answer", hint: hint)
    }

    /// The next one that the daemon brings.
    private static func next(_ link: SurveyLink) throws -> ShownSurvey {
        while true {
            guard let (method, params) = try link.hear() else { continue }
            guard method == NotificationShape.surveyPresent.name else { continue }
            if let presentation = params.member("survey").flatMap({ ShownSurvey($0) }) { return presentation }
        }
    }

    private static func ask(_ presentation: ShownSurvey, _ link: SurveyLink, _ console: Console) throws {
        if presentation.isUnknown || presentation.questions.isEmpty {
            throw ToolError(
                .software, "this survey has questions that hark \(Version.current) does not know",
                hint: "Is the daemon newer? 'hark status' tells its version.")
        }
        let survey = try AskedSurvey(presentation, link)
        let ending: AskEnding
        if console.hasScreen {
            var screen = AskOnScreen(survey, console)
            ending = try screen.run()
        } else {
            var lines = AskByLines(survey, console)
            ending = try lines.run()
        }
        try tell(ending, presentation, console)
    }

    private static func tell(_ ending: AskEnding, _ presentation: ShownSurvey, _ console: Console) throws {
        let title = VisibleText.make(presentation.title)
        switch ending {
        case .answered: try console.print("Thank you! (\(title))")
        case .dismissed:
            console.say("hark: dismissed (\(title))")
            throw QuietExit(exit: .declined)
        case .left, .waiting:
            console.say("hark: put off; it will be asked again (\(title))")
            throw QuietExit(exit: .declined)
        case .gone(let why):
            throw ToolError(.noInput, "the survey is not to be answered any more: \(why)")
        }
    }
}
