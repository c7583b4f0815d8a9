import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let surveys: Command = Command(
        name: "surveys",
        summary: "Show the surveys that wait for an answer, and their rules.",
        about: """
            Shows scheduled, ready and shown surveys: when each is or became due, state, survey, user, app, title and the \
            presentation's id, which 'hark answer', 'hark dismiss' and 'hark snooze' take.

            With --rules it shows the surveys of the configuration: the event that triggers each, the delay after it, the kind \
            of answer, and the title.
            """,
        options: [.surveyApp, .surveyUser, rules, .json],
        examples: [
            .init("hark surveys", "Waiting surveys."),
            .init("hark surveys --rules", "The configured surveys and their events."),
        ],
        calls: SurveyPending.name,
        run: { arguments, console in
            for option in [Option.surveyApp, .surveyUser] { try arguments.atMostOne(of: rules, option) }
            if arguments.has(rules) { return try showRules(arguments, console) }
            var connection = try Connection()
            var request = SurveyPending()
            request.app = arguments[.surveyApp]
            if let user = arguments[.surveyUser] { request.user = .named(user) }
            let (surveys, problem) = try connection.pending(request)
            if arguments.has(.json) {
                return try console.print(json: #"{"surveys":[\#(surveys.map(\.text).joined(separator: ","))]}"#)
            }
            if let problem { console.say("hark: warning: \(VisibleText.make(problem))") }
            let pending = surveys.compactMap { ShownSurvey($0) }
            if pending.isEmpty, console.outputIsTerminal { console.say("hark: no survey waits") }
            guard !pending.isEmpty else { return }
            try console.print(SurveyTable.text(pending, console.style, columns: console.columns))
        })

    private static let rules = Option("rules", "r", "Show the surveys of the configuration instead.")

    private static func showRules(_ arguments: Arguments, _ console: Console) throws {
        var connection = try Connection()
        var rules: [SurveyRuleInfo] = []
        var isFirst = true
        try connection.pages(SurveyList()) { reply in
            guard let page = try console.value(of: reply, arguments) else { return true }
            if isFirst { sayHead(of: page, console) }
            isFirst = false
            rules += page.surveys
            return true
        }
        if arguments.has(.json) { return }
        if rules.isEmpty, console.outputIsTerminal { console.say("hark: no surveys are configured") }
        if !rules.isEmpty { try console.print(SurveyTable.rules(rules, console.style, columns: console.columns)) }
    }

    private static func sayHead(of page: SurveyRulePage, _ console: Console) {
        if let place = page.file { console.say("# " + VisibleText.make(place)) }
        Command.sayProblems(page.problems ?? [], "hark: warning: ", console)
        if let problem = page.notifyProblem { console.say("hark: warning: \(VisibleText.make(problem))") }
    }
}

/// Options shared by several commands about surveys.
extension Option {
    static let surveyApp = Option("app", "a", value: "APP", "Only surveys of this app.")
    static let surveyUser = Option("user", "u", value: "USER", "Surveys of this user.")
}
