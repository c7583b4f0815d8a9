import HarkClient
import HarkWire

extension Command {
    /// Makes a command that calls a method and prints its result.
    ///
    /// - Parameters:
    ///   - output: The options that say how the result is printed.
    ///   - warns: Whether to print warnings about the request.
    ///   - check: Reports doubts about a request that was accepted.
    ///   - print: Prints the result, unless JSON or no output is asked for; nil if there is nothing to print.
    static func calling<Request: WireMethod>(
        _ request: Request.Type, _ name: String, _ summary: String, about: String = "",
        completes: Operands = .any, isStrict: Bool = false, examples: [Example] = [],
        output: [Option] = [.quiet, .json], warns: Bool = false,
        bind: @escaping @Sendable (inout Binder, inout Request) -> Void = { _, _ in },
        check: (@Sendable (Request, Arguments, Doubts, inout Connection) -> Void)? = nil,
        print: (@Sendable (Request.Result, Request, Console) throws -> Void)? = nil
    ) -> Command {
        let declared = Binder.declared(bind)
        var command = Command(
            name: name, summary: summary, usage: [declared.usage], about: about,
            options: declared.options, examples: examples, operands: declared.operands,
            completes: completes, isStrict: { _ in isStrict },
            run: { arguments, console in
                var request = Request()
                try Binder.fill(&request, arguments, bind)
                var connection = try Connection()
                let reply = try connection.call(request)
                if warns { Warnings.say(reply.text, console) }
                check?(request, arguments, Doubts(console: console), &connection)
                guard let print else { return }
                guard let result = try console.value(of: reply, arguments) else { return }
                if !arguments.has(.quiet) { try print(result, request, console) }
            })
        if print != nil { command.options += output }
        command.calls = Request.name
        command.label = { Binder.label(of: $0, bind) }
        return command
    }

    /// Makes a command that calls a method for all pages of its list.
    ///
    /// - Parameters:
    ///   - show: Prints the whole list, unless JSON is asked for.
    ///   - verdict: An option, and the check that decides the exit code with it, independent of the output.
    static func listing<Request: PagedMethod>(
        _ request: Request.Type, _ name: String, _ summary: String, about: String = "", options: [Option] = [],
        examples: [Example] = [],
        show: @escaping @Sendable ([Request.Result.Item], Arguments, Console) throws -> Void,
        verdict: (option: Option, body: @Sendable ([Request.Result.Item]) throws -> Void)? = nil
    ) -> Command {
        var command = Command(
            name: name, summary: summary, about: about, options: options + [.json], examples: examples,
            run: { arguments, console in
                var connection = try Connection()
                let isJSON = arguments.has(.json)
                let verdict = verdict.flatMap { arguments.has($0.option) ? $0.body : nil }
                var items: [Request.Result.Item] = []
                try connection.pages(Request()) { reply in
                    if isJSON { try console.print(json: reply.text) }
                    if !isJSON || verdict != nil { items += reply.value.items }
                    return true
                }
                if !isJSON { try show(items, arguments, console) }
                try verdict?(items)
            })
        command.calls = Request.name
        command.label = { _ in nil }
        return command
    }

    /// Returns the words that lead to the command which calls a method.
    func path(calling method: String) -> String? {
        // The command family usually has the name of the method's family, so look there first.
        let family = method.prefix { $0 != "." }
        for member in members.filter({ $0.name == family }) + members.filter({ $0.name != family }) {
            let command = member.make()
            if command.calls == method { return member.name }
            if let rest = command.path(calling: method) { return "\(member.name) \(rest)" }
        }
        return nil
    }
}

extension Console {
    /// Prints a result as JSON if that was asked for; the result says whether it was.
    func printed(json: @autoclosure () -> JSONText, _ arguments: Arguments) throws(ToolError) -> Bool {
        guard arguments.has(.json) else { return false }
        try print(json: json())
        return true
    }

    /// Returns the value of a reply; nil if JSON was asked for, which this prints.
    func value<Result: WireObject>(of reply: Reply<Result>, _ arguments: Arguments) throws(ToolError) -> Result? {
        try printed(json: reply.text, arguments) ? nil : reply.value
    }
}
