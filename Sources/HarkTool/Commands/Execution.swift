import HarkClient
import HarkWire

extension Command {
    static let execution: Command = Command(
        name: "execution",
        summary: "Run an action when counters meet a condition, or an event comes.",
        about: """
            An execution fires when one of the counters it listens to is triggered or set and its condition holds. It runs once \
            and is removed, unless it is kept alive. An execution that listens to an event fires each time such an event is \
            recorded. Executions of harkd.json are listed here and changed there.
            """,
        members: [
            .init("add") { executionAdd },
            .init("remove") { executionRemove },
            .init("list") { executionList },
            .init("follow") { executionFollow },
        ],
        fallback: "list")

    private static let executionAdd: Command = Command(
        name: "add",
        summary: "Add an execution, or replace the one of the same id.",
        usage: ["ID -- PROGRAM [ARG ...]", "ID --survey SURVEY", "ID --notify"],
        about: """
            The action is a program with its arguments, a survey to ask, or only a notification to followers. A condition is \
            'opens>=3', with >= > = != < <=, or several joined by 'and', or the JSON of docs/reference/counters.md.

            With --event it listens to an event instead of counters. --where is a condition on properties of the event, --when \
            one on counters as well.

            The daemon runs the program as its own user and without a shell. HARK_EXECUTION_ID, HARK_COUNTER, HARK_VALUE, \
            HARK_EVENT and JSON on standard input tell the program why it runs. Its output is logged.
            """,
        options: [
            when, listensTo, event, condition, survey, notify, keepAlive, once, now, timeout, .counterApp, .json,
        ],
        examples: [
            .init(
                "hark execution add fan --when 'opens>=3 and shares>=2' -- notify-send Thanks", "A program, once."
            ),
            .init(
                "hark execution add no --event survey_response --where 'option=No' -- ./call",
                "A program after each such answer."),
            .init("hark execution add ask --when 'opens>=10' --survey rating", "A survey."),
            .init(
                "hark execution add each --on opens --notify --keep-alive",
                "Notify followers of each change of a counter."),
        ],
        operands: 1...Int.max,
        completes: .files,
        isStrict: { _ in true },
        calls: ExecutionAdd.name,
        run: { arguments, console in
            var request = ExecutionAdd()
            (request.id, request.app) = (arguments.operands[0], arguments[.counterApp])
            request.condition = try arguments[when].map { AnyJSON(text: try ConditionArgument.json($0)) }
            request.listensTo = arguments[listensTo]?.split(separator: ",").map(String.init)
            request.event = try event(arguments)
            request.action = try action(arguments)
            try arguments.atMostOne(of: keepAlive, once)
            if arguments.has(keepAlive) || arguments.has(once) { request.keepAlive = arguments.has(keepAlive) }
            if arguments.has(now) { request.validatesAtOnce = true }
            var connection = try Connection()
            let reply = try connection.call(request)
            Warnings.say(reply.text, console)
            let result = reply.value
            let execution = result.execution.definition
            Doubts(console: console).counters(execution.listensTo, app: arguments[.counterApp], &connection)
            if arguments.has(.json) { return try console.print(json: reply.text) }
            try console.print(
                "\(result.replaced ? "replaced" : "added") \(VisibleText.value(arguments.operands[0])), which listens to "
                    + CounterText.triggers(of: execution) + (result.fired ? "; it has fired" : ""))
        })

    private static let when = Option("when", "w", value: "CONDITION", "The condition; without it, it always holds.")
    private static let listensTo = Option(
        "on", "o", value: "NAMES", "The counters to listen to, with commas; without it, those of the condition.")
    private static let event = Option(
        "event", "e", value: "NAME", values: .names(.event), "Listen to events of this name, not to counters.")
    private static let condition = Option(
        "where", value: "CONDITION", "Only events with such properties; goes with --event.")
    private static let survey = Option("survey", value: "SURVEY", values: .names(.survey), "Ask this survey.")
    private static let notify = Option("notify", "Only notify followers.")
    private static let keepAlive = Option(
        "keep-alive", "k", "Keep it after it has fired, to fire again. This is the default with --event.")
    private static let once = Option("once", "Remove it once it has fired.")
    private static let now = Option("now", "Check the condition at once, too.")
    private static let timeout = Option("timeout", value: "SECONDS", "How long a program may take. Default: 60.")

    private static func event(_ arguments: Arguments) throws -> ExecutedEvent? {
        guard let name = arguments[event] else {
            if arguments.has(condition) { throw ToolError.usage("'--where' goes with '--event'") }
            return nil
        }
        try arguments.atMostOne(of: event, listensTo)
        try arguments.atMostOne(of: event, now)
        var trigger = ExecutedEvent()
        trigger.event.name = name
        trigger.event.condition = try arguments[condition].map { AnyJSON(text: try ConditionArgument.json($0)) }
        return trigger
    }

    private static func action(_ arguments: Arguments) throws -> ActionInfo {
        try arguments.atMostOne(of: survey, notify)
        let program = arguments.operands.dropFirst()
        let seconds = try arguments.integer(timeout, in: 1...86_400)
        guard program.isEmpty == (arguments.has(survey) || arguments.has(notify)) else {
            throw ToolError.usage(
                program.isEmpty ? "no action is given" : "a program and a survey or notice contradict each other",
                hint: "Give --survey SURVEY, --notify, or a program and its arguments behind --.")
        }
        if seconds != nil, program.isEmpty { throw ToolError.usage("'--timeout' goes with a program") }
        var run = ActionInfo()
        if let id = arguments[survey] {
            run.survey = id
        } else if program.isEmpty {
            run.notify = true
        } else {
            run.exec = Array(program)
            run.timeoutSeconds = seconds
        }
        return run
    }

    private static let executionRemove: Command = .calling(
        ExecutionRemove.self, "remove", "Remove an execution.",
        about: "Waiting runs are cancelled; a running program goes on.",
        completes: .names(.execution), isStrict: true,
        bind: { command, request in
            command.operand("ID", &request.id)
            command.text(.counterApp, &request.app)
        })

    private static let executionList: Command = Command(
        name: "list",
        summary: "List executions and their latest runs.",
        about: """
            A run is due, running, done, failed, interrupted (it was running when the daemon ended; it is not run again), \
            cancelled or dropped (too many of its execution were waiting).
            """,
        options: [onlyApp, limit, .json],
        calls: ExecutionList.name,
        run: { arguments, console in
            let limit = try arguments.integer(limit, in: 1...1_000)
            var request = ExecutionList()
            (request.app, request.limit) = (arguments[onlyApp], limit ?? 100)
            var connection = try Connection()
            var executions: [ExecutionInfo] = []
            var runs: [ExecutionRunInfo] = []
            try connection.pages(request) { reply in
                if let page = try console.value(of: reply, arguments) {
                    executions += page.executions
                    runs += page.runs
                }
                return limit == nil
            }
            if arguments.has(.json) { return }
            if executions.isEmpty { console.say("hark: there are no executions") }
            if !executions.isEmpty { try console.print(CounterText.executions(executions, console.style)) }
            if !runs.isEmpty {
                try console.print((executions.isEmpty ? "" : "\n") + CounterText.runs(runs, console.style))
            }
        })

    private static let onlyApp = Option("app", "a", value: "APP", "Only this app.")
    private static let limit = Option("limit", "l", value: "N", "At most this many executions, and runs.")

    private static let executionFollow: Command = Command(
        name: "follow",
        summary: "Show executions as they fire.",
        about: "If the daemon goes away, hark waits for it. 'hark execution list' shows what fired meanwhile.",
        options: [onlyApp, Option("json", "j", "Print each as a line of JSON.")],
        examples: [
            .init("hark execution follow --json | while read -r line; do …; done", "Run something as your own user.")
        ],
        calls: ExecutionSubscribe.name,
        run: { arguments, console in
            var request = ExecutionSubscribe()
            request.app = arguments[onlyApp]
            try StreamFollower(console: console).follow(try Connection()) { connection in
                try connection.call(request).text
            } _: { method, params in
                guard method == NotificationShape.executionFired.name else { return }
                if arguments.has(.json) {
                    try console.print(json: params)
                } else {
                    try console.print(CounterText.fired(ExecutionFired(params), console.style))
                }
            }
        })
}
