import HarkAsking
import HarkClient
import HarkWire

extension Option {
    static let counterApp = Option("app", "a", value: "APP", "The app of the counters. Default: default.")
}

extension Command {
    static let counter: Command = Command(
        name: "counter",
        summary: "Count, and act on the counts.",
        about: """
            Counters hold numbers, or any other values, for an app. Executions and surveys can listen to a counter, and check it \
            whenever it changes: see 'hark execution', and the triggers of surveys.
            """,
        examples: [
            .init("hark counter register opens", "Register a counter; it begins with 0."),
            .init("hark counter trigger opens", "Add 1, and print the new value."),
            .init("hark counter trigger opens --quiet", "The same from a script that needs no number."),
        ],
        members: [
            .init("register") { counterRegister },
            .init("trigger") { counterTrigger },
            .init("set") { counterSet },
            .init("get") { counterGet },
            .init("list") { counterList },
            .init("reset") { counterReset },
        ],
        fallback: "list")

    static let background: Command = .calling(
        AppBackground.self, "background", "Report that an app is in the background.",
        about: "The app's counters with the scope 'instance' go back to their initial values.",
        bind: { command, request in command.text(.counterApp, &request.app) },
        print: { result, _, console in try console.print(result.text) })

    private static let counterRegister: Command = Command(
        name: "register",
        summary: "Register a counter.",
        usage: ["NAME"],
        about: """
            Only the first registration since the daemon started counts, and an 'app' counter keeps its value when it is \
            registered again. Registrations last over restarts of the daemon.
            """,
        options: [initial, scope, process, .counterApp, .quiet, .json],
        examples: [
            .init("hark counter register taps --scope instance --initial 10", "One that begins with 10."),
            .init("hark counter register tries --process $$", "One that lasts as long as this shell."),
        ],
        operands: 1...1,
        calls: CounterRegister.name,
        run: { arguments, console in
            var request = CounterRegister()
            (request.counter, request.app) = (arguments.operands[0], arguments[.counterApp])
            request.initial = try arguments[initial].map { AnyJSON(text: try ValueArgument.json($0)) }
            request.lifetime = arguments[scope] ?? (arguments.has(process) ? "session" : nil)
            if let text = arguments[process] {
                guard let pid = Int64(text), pid > 0 else {
                    throw ToolError.usage("'--process' takes the id of a process", hint: "Like --process $$.")
                }
                (request.run, request.pid) = (CounterRun.process.rawValue, pid)
            }
            var connection = try Connection()
            let reply = try connection.call(request)
            guard let result = try console.value(of: reply, arguments) else { return }
            if !result.registered { console.say("hark: it was registered before, and that counts") }
            if arguments.has(.quiet) { return }
            try console.print(CounterText.table([result.counter], console.style))
        })

    private static let initial = Option(
        "initial", "i", value: "VALUE", "The initial value: JSON, or else a text. Default: 0.")
    private static let scope = Option(
        "scope", "s", value: "SCOPE", values: .words(CounterLifetime.allCases.map(\.word)),
        "When it goes back to the initial value: instance (in the background, or with the session), session (when "
            + "the daemon restarts) or app (never; the default).")

    private static let process = Option(
        "process", "p", value: "PID",
        "It goes back when that process ends, and not with the daemon. The scope is session unless given.")

    private static let counterTrigger: Command = .calling(
        CounterTrigger.self, "trigger", "Add 1 to a counter.",
        about: """
            Prints the new value, or nothing with --quiet. Executions and surveys that listen to it fire if their conditions hold.
            """,
        completes: .names(.counter), isStrict: true,
        bind: { command, request in
            command.operand("NAME", &request.counter)
            command.text(.counterApp, &request.app)
        },
        print: { result, _, console in try console.print(value: result.value.json) })

    private static let counterSet: Command = Command(
        name: "set",
        summary: "Give a counter a value.",
        usage: ["NAME VALUE"],
        about: """
            The value is JSON, or else a text. Prints the new value, or nothing with --quiet. Executions and surveys that listen \
            to it fire if their conditions hold.
            """,
        options: [.counterApp, .quiet, .json],
        examples: [
            .init("hark counter set backgrounds 10", "A number."), .init("hark counter set plan pro", "A text."),
            .init("hark counter set seen '[\"home\", \"cart\"]'", "A list."),
        ],
        operands: 2...2,
        completes: .names(.counter),
        isStrict: { _ in true },
        calls: CounterSet.name,
        run: { arguments, console in
            var request = CounterSet()
            (request.counter, request.app) = (arguments.operands[0], arguments[.counterApp])
            request.value = AnyJSON(text: try ValueArgument.json(arguments.operands[1]))
            if !arguments.has(.quiet) {
                var connection = try Connection()
                Doubts(console: console).text(request, &connection)
            }
            var connection = try Connection()
            let reply = try connection.call(request)
            guard let result = try console.value(of: reply, arguments) else { return }
            if !arguments.has(.quiet) { try console.print(value: result.value.json) }
        })

    private static let counterGet: Command = .calling(
        CounterGet.self, "get", "Print the value of a counter.",
        about: """
            Prints a text as it is and anything else as JSON. If the counter is not registered, or has another type, nothing is \
            printed, and the exit code is 1.
            """,
        completes: .names(.counter), isStrict: true, output: [.json],
        bind: { command, request in
            command.operand("NAME", &request.counter)
            command.text(type, &request.type)
            command.text(.counterApp, &request.app)
        },
        print: { result, _, console in
            let value = result.value.json
            guard !value.isNull else { throw NothingOfThatName(otherwise: QuietExit(exit: .declined)) }
            try console.print(value: value)
        })

    private static let types = CounterType.allCases.map(\.rawValue)
    private static let type = Option(
        "type", "t", value: "TYPE", values: .words(types), "The type it must have: \(types.joined(separator: ", ")).")

    private static let counterList: Command = Command(
        name: "list",
        summary: "List the counters of an app.",
        options: [.counterApp, .json],
        calls: CounterList.name,
        run: { arguments, console in
            var connection = try Connection()
            var counters: [CounterInfo] = []
            var request = CounterList()
            (request.app, request.limit) = (arguments[.counterApp], 1_000)
            try connection.pages(request) { reply in
                if let page = try console.value(of: reply, arguments) { counters += page.counters }
                return true
            }
            if arguments.has(.json) { return }
            guard !counters.isEmpty else {
                return console.say("hark: app '\(arguments[.counterApp] ?? "default")' has no counters")
            }
            try console.print(CounterText.table(counters, console.style))
        })

    private static let counterReset: Command = Command(
        name: "reset",
        summary: "Reset a counter, or all of them, to the initial value.",
        usage: ["NAME", "--all"],
        about: "This fires nothing.",
        options: [everything, .counterApp, .quiet, .json],
        operands: 0...1,
        completes: .names(.counter),
        isStrict: { _ in true },
        calls: CounterReset.name,
        run: { arguments, console in
            guard arguments.has(everything) == arguments.operands.isEmpty else {
                throw ToolError.usage("no counter is named", hint: "Give a counter, or --all.")
            }
            var request = CounterReset()
            (request.counter, request.app) = (arguments.operands.first, arguments[.counterApp])
            var connection = try Connection()
            guard let result = try console.value(of: try connection.call(request), arguments) else { return }
            if !arguments.has(.quiet) { try console.print(result.text) }
        })

    private static let everything = Option("all", "All counters of the app.")
}

extension CounterResets {
    fileprivate var text: String { "reset \(Plural.count(reset, "counter"))" }
}
