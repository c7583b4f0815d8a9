import HarkClient
import HarkWire

extension Command {
    static let mute: Command = Command(
        name: "mute",
        summary: "Mute surveys, or limit how often they ask you.",
        usage: ["[SURVEY]", "--all", "--agents"],
        about: """
            Mutes the survey, or with --all (or a time without a SURVEY) all surveys: for ever, --for a while, or --until a \
            time. --every limits how often you are asked. Mutes and limits hold for your account: for all apps, for surveys from \
            any source, and against the settings of the survey. Waiting showings are cancelled, and give no attempt back.

            Surveys from a hub or a URL ask you at most once in seven days, unless you set --every; 'hark mute --every 0' lets \
            them ask as often as they want.

            Scripts can still ask with 'hark prompt'. --prompts mutes their questions as well, and then SURVEY may be the name \
            of a question. --agents mutes only the questions of agents ('hark mcp'). Without arguments, hark mute shows your \
            mutes and limits; an administrator sees how many accounts have muted each survey, but not which. HARK_NO_SURVEYS=1 \
            in the environment keeps 'hark ask' and 'hark agent' from asking anything there.
            """,
        options: [all, .agents, period, end, forEver, every, prompts, list, .quiet, .json],
        examples: [
            .init("hark mute checkout-rating", "Never be asked this survey again."),
            .init("hark mute --all --for 30d", "No survey for thirty days."),
            .init("hark mute --every 7d", "At most one survey a week."),
            .init("hark mute --agents", "No more questions from agents."),
            .init("hark mute", "What is muted."),
        ],
        operands: 0...1,
        completes: .names(.survey),
        isStrict: { _ in true },
        calls: MuteSet.name,
        run: { arguments, console in
            let said = [period, end, forEver, every, all, .agents].filter { arguments.has($0) }
            let isOfAgents = arguments.has(.agents)
            if isOfAgents {
                for option in [all, every, prompts] { try arguments.atMostOne(of: .agents, option) }
                try refuseSurvey(arguments)
            }
            let survey = isOfAgents ? AgentWords.promptName : arguments.operands.first
            guard arguments.operands.first != nil || !said.isEmpty, !arguments.has(list) else {
                for option in said + [prompts] { try arguments.atMostOne(of: list, option) }
                if arguments.operands.first != nil || arguments.has(prompts) {
                    throw ToolError.usage(
                        "'--list' takes nothing else", hint: "Give '--all', or a survey without '--list'.")
                }
                return try show(arguments, console)
            }
            try arguments.atMostOne(of: period, end)
            try arguments.atMostOne(of: period, forEver)
            try arguments.atMostOne(of: end, forEver)
            if let survey, arguments.has(all) {
                throw ToolError.usage("'--all' and '\(survey)' contradict each other", hint: "Give one of them.")
            }
            let isOnlySpaced = arguments.has(every) && ![period, end, forEver].contains { arguments.has($0) }
            if isOnlySpaced, arguments.has(prompts) {
                throw ToolError.usage(
                    "'--prompts' has no meaning with '--every' alone: questions of scripts can be muted, but not limited",
                    hint: "Give '--prompts' with '--for', '--until' or '--forever'.")
            }
            let seconds = try arguments.span(period)
            let until = try arguments[end].map { text throws(ToolError) in try time(text) }
            let spacing = try arguments[every].map { text throws(ToolError) in
                try DurationArgument.parse(text, name: "--every")
            }
            var connection = try Connection()
            if let survey, !arguments.has(prompts), !isOfAgents { try check(survey, &connection) }
            var request = MuteSet()
            request.surveyId = survey
            request.seconds = seconds
            request.until = until
            request.isForEver = seconds == nil && until == nil && !isOnlySpaced ? true : nil
            request.prompts = arguments.has(prompts) || isOfAgents ? true : nil
            request.everySeconds = spacing
            let reply = try connection.call(request)
            guard let result = try console.value(of: reply, arguments) else { return }
            if !arguments.has(.quiet) { try console.print(result.mute.line) }
        })

    private static let all = Option("all", "a", "All surveys.")
    private static let period = Option("for", "f", value: "SPAN", "How long: \(DurationArgument.forms).")
    private static let end = Option("until", "u", value: "TIME", "Until this time, in local time: 2026-12-01.")
    private static let forEver = Option("forever", "For ever, as without a time.")
    private static let every = Option("every", "e", value: "SPAN", "Be asked at most once in this time; 0 is no limit.")
    private static let prompts = Option("prompts", "p", "Mute the questions of scripts ('hark prompt') as well.")
    private static let list = Option("list", "l", "Show your mutes and limits, as without arguments.")

    private static func refuseSurvey(_ arguments: Arguments) throws(ToolError) {
        guard let survey = arguments.operands.first else { return }
        throw .usage("'--agents' and '\(survey)' contradict each other", hint: "Give one of them.")
    }

    /// Refuses a name that no survey has, because it would be kept and mute nothing.
    private static func check(_ survey: String, _ connection: inout Connection) throws {
        var isThere = false
        try NameSource(kind: .survey).forEach(&connection) { if $0.id == survey { isThere = true } }
        if isThere { return }
        throw NothingOfThatName(
            otherwise: ToolError(
                .noInput, "there is no survey \(VisibleText.value(survey))",
                hint: "'hark surveys --rules' shows those there are; what a script asks is muted with --prompts."))
    }

    /// Reads a time that must be in the future. The reader takes a duration as time past, so durations belong to
    /// `--for`.
    private static func time(_ text: String) throws(ToolError) -> Timestamp {
        let until = try TimeArgument.happened(text, option: "until")
        guard until > LocalTime.now else {
            throw .usage("'--until \(text)' is in the past", hint: "Write it like 2026-12-01, or use --for 30d.")
        }
        return until
    }

    private static func show(_ arguments: Arguments, _ console: Console) throws {
        var connection = try Connection()
        let reply = try connection.call(MuteList())
        guard let result = try console.value(of: reply, arguments) else { return }
        if result.mutes.isEmpty { console.say("hark: you have no mutes or limits") }
        for mute in result.mutes { try console.print(mute.line) }
        for count in result.accounts ?? [] { try console.print(count.line) }
    }

    static let unmute: Command = Command(
        name: "unmute",
        summary: "Remove mutes and limits of 'hark mute'.",
        usage: ["SURVEY", "--all", "--agents"],
        about:
            "Surveys may ask again from now on. Used attempts are not given back, and cancelled surveys stay cancelled.",
        options: [everything, .agents, .json],
        examples: [
            .init("hark unmute checkout-rating", "Let a survey ask again."),
            .init("hark unmute --all", "Remove all mutes and limits, also --every."),
        ],
        operands: 0...1,
        completes: .names(.survey),
        isStrict: { _ in true },
        calls: MuteRemove.name,
        run: { arguments, console in
            if arguments.has(.agents) {
                try arguments.atMostOne(of: .agents, everything)
                try refuseSurvey(arguments)
            }
            let survey = arguments.has(.agents) ? AgentWords.promptName : arguments.operands.first
            guard (survey == nil) == arguments.has(everything) else {
                throw ToolError.usage(
                    survey == nil ? "the mute to remove is missing" : "'--all' takes no survey",
                    hint: "Name a survey, or give '--all'; 'hark mute' shows what there is.")
            }
            var connection = try Connection()
            var request = MuteRemove()
            request.surveyId = survey
            let reply = try connection.call(request)
            if reply.value.removed == 0, let survey {
                throw NothingOfThatName(
                    otherwise: ToolError(
                        .noInput, "you have no mute or limit for \(VisibleText.value(survey))",
                        hint: "'hark mute' shows your mutes and limits."))
            }
            _ = try console.printed(json: reply.text, arguments)
        })

    private static let everything = Option("all", "a", "Remove all mutes and limits.")
}

extension Option {
    fileprivate static let agents = Option("agents", "The questions of agents ('hark mcp').")
}
