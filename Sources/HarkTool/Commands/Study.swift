import HarkClient
import HarkWire

extension Command {
    static let study: Command = Command(
        name: "study",
        summary: "Manage the participants of a study, and see how it goes.",
        about: """
            A survey with a schedule (trigger.schedule) asks its participants at fixed times of their days, or at random times \
            from a seed. 'hark answers' has a row for each prompt whose time has come, answered or not, with the reason if not. \
            See docs/guides/sampling.md.
            """,
        examples: [
            .init("hark study join mood --user ada", "Ada takes part from now on."),
            .init("hark study status mood", "How many prompts each participant has answered."),
            .init("hark study plan mood --user ada --date 2026-11-27", "The times of her prompts; for administrators."),
        ],
        members: [
            .init("join") { studyJoin },
            .init("leave") { studyLeave },
            .init("pause") { studyPause },
            .init("resume") { studyResume },
            .init("status") { studyStatus },
            .init("list") { studyList },
            .init("plan") { studyPlan },
        ],
        fallback: "list")

    private static let user = Option(
        "user", "u", value: "USER", "The participant. Default: the user of the current session.")
    private static let app = Option("app", "a", value: "APP", "The participant's app. Default: default.")
    private static let group = Option(
        "group", "g", value: "GROUP", "The participant's group, such as a couple or a team.")
    private static let hours = Option(
        "hours", value: "HOURS",
        "The participant's own hours instead of the survey's, in the participant's time zone: 08:00-22:00."
    )

    /// A command that calls a method about a participant, and prints the participant.
    private static func participant<Request: StudyMethod>(
        _ request: Request.Type, _ name: String, _ summary: String, about: String = "", isStrict: Bool = true,
        examples: [Example] = [], bind: @escaping @Sendable (inout Binder, inout Request) -> Void = { _, _ in }
    ) -> Command where Request.Result == ParticipantResult {
        .calling(
            request, name, summary, about: about, completes: .names(.survey), isStrict: isStrict, examples: examples,
            bind: { command, request in
                command.operand("SURVEY", &request.place.surveyId)
                command.user(user, &request.place.user)
                command.text(app, &request.place.app)
                bind(&command, &request)
            },
            print: { result, _, console in try console.print(StudyText.line(result.participant)) })
    }

    private static let studyJoin: Command = participant(
        StudyJoin.self, "join", "Take part in a survey with a schedule.",
        about: "The event study.joined is recorded. The survey's schedule says on which day prompts begin.",
        examples: [
            .init("hark study join mood --user ada --hours 07:30-23:00", "Ada takes part, with hours of her own.")
        ],
        bind: { command, request in
            command.text(group, &request.terms.group)
            command.text(hours, &request.terms.hours)
        })

    private static let studyLeave: Command = participant(
        StudyLeave.self, "leave", "Stop taking part.",
        about: "Open prompts are cancelled, and answers stay. The event study.left is recorded.")

    private static let period = Option("for", "f", value: "SPAN", "How long: \(DurationArgument.forms).")
    private static let end = Option("until", value: "TIME", "When the pause ends, in local time: 2026-12-01.")

    private static let studyPause: Command = participant(
        StudyPause.self, "pause", "Be excused from prompts for a while.",
        about: """
            Prompts during the pause count as excused, and not as missed. Without --for and --until, it lasts until 'hark study \
            resume'.
            """,
        examples: [.init("hark study pause mood --user ada --until 2026-12-01", "Ada is away until then.")],
        bind: { command, request in
            command.atMostOne(of: period, end)
            command.seconds(period, &request.seconds)
            command.time(end, &request.until)
        })

    private static let studyResume: Command = participant(
        StudyResume.self, "resume", "End a pause.", isStrict: false)

    private static let studyList: Command = Command(
        name: "list",
        summary: "List the participants, past ones too.",
        usage: ["[SURVEY]"],
        options: [.json],
        operands: 0...1,
        completes: .names(.survey),
        calls: StudyList.name,
        run: { arguments, console in
            var connection = try Connection()
            var participants: [ParticipantInfo] = []
            var request = StudyList()
            request.surveyId = arguments.operands.first
            try connection.pages(request) { reply in
                if let page = try console.value(of: reply, arguments) { participants += page.participants }
                return true
            }
            if arguments.has(.json) { return }
            if participants.isEmpty { return console.say("hark: nobody takes part") }
            try console.print(StudyText.table(participants, console.style))
        })

    private static let date = Option("date", value: "DATE", "The first day: 2026-11-26. Default: today.")
    private static let days = Option("days", value: "NUMBER", "How many days. Default: 1.")

    private static let studyPlan: Command = Command(
        name: "plan",
        summary: "Show the times of a participant's prompts (for administrators).",
        usage: ["SURVEY"],
        about: """
            The plan of a day follows only from the survey's seed and id, the participant, the date, the time zone, the window \
            and the plan part, so other programs can compute it, too: see docs/reference/sampling.md. For a user who does not \
            take part, the plan is shown as if they joined now.
            """,
        options: [user, app, group, hours, date, days, .json],
        examples: [.init("hark study plan mood --user ada --days 7", "A week of Ada's prompts.")],
        operands: 1...1,
        completes: .names(.survey),
        run: { arguments, console in
            let count = try arguments[days].map { text throws(ToolError) -> Int64 in
                guard let count = Int64(text), (1...366).contains(count) else {
                    throw .usage("'--days \(text)' is no number of days", hint: "Write a number from 1 to 366.")
                }
                return count
            }
            var connection = try Connection()
            var request = StudyPlan()
            request.place.surveyId = arguments.operands[0]
            if let user = arguments[user] { request.place.user = .named(user) }
            request.place.app = arguments[app]
            (request.terms.group, request.terms.hours) = (arguments[group], arguments[hours])
            (request.date, request.days) = (arguments[date], count)
            let reply = try connection.call(request)
            guard let result = try console.value(of: reply, arguments) else { return }
            try console.print(StudyText.plan(result))
        })

    private static let studyStatus: Command = Command(
        name: "status",
        summary: "Show how many prompts each participant has answered.",
        usage: ["[SURVEY]"],
        about: """
            The table has a row for each participant: how many prompts were planned, came and were answered. The next columns \
            are the compliance: the share of answers among the planned prompts that are not excused, and among those that came. \
            The true share lies between the numbers in parentheses, with 95 % confidence (Wilson's interval). LATENCY is the \
            median time from the notification to opening it, TIME the median time that the questions were on the screen. FAST \
            counts answers in less than a third of the survey's median time, SAME answers that are the same on all of three or \
            more scales. DAYS has a sign for each prompt of the latest days: ● answered, ○ came and was not answered, · missed, \
            - excused, ? still open. Without SURVEY, all surveys with a schedule are shown. On a hub, all machines count.
            """,
        options: [.machine, .group, .since, .until, reasons, .csv, .spreadsheet, .json],
        examples: [
            .init("hark study status mood", "How the study goes."),
            .init("hark study status mood --csv > compliance.csv", "A table for other programs."),
        ],
        operands: 0...1,
        completes: .names(.survey),
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .csv, .spreadsheet)
            var connection = try Connection()
            let surveys = try arguments.operands.first.map { [$0] } ?? StudyPages.surveys(&connection)
            if surveys.isEmpty { return console.say("hark: no survey has a schedule") }
            let table = CSVTable(arguments, console)
            if let table { try console.print(lines: Array(table.mark.utf8) + table.row(StudyTable.columns)) }
            for survey in surveys {
                let tally = try StudyTally(survey, arguments, &connection)
                if let table {
                    for participant in tally.participants {
                        try console.print(lines: table.row(StudyTable.row(participant, of: tally, table)))
                    }
                } else if arguments.has(.json) {
                    try console.print(json: JSONText(StudyTable.json(tally)[...]))
                } else {
                    try console.print(StudyTable.text(tally, withReasons: arguments.has(reasons), console.style))
                }
            }
        })

    private static let reasons = Option("reasons", "Also why prompts were missed.")
}

enum StudyPages {
    /// The ids of the surveys with a schedule.
    static func surveys(_ connection: inout Connection) throws -> [String] {
        var ids: [String] = []
        try connection.pages(SurveyList()) { reply in
            ids += reply.value.surveys.filter { $0.plan != nil }.map(\.surveyId)
            return true
        }
        return ids
    }
}
