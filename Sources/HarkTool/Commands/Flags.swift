import HarkClient
import HarkWire

extension Command {
    static let flags: Command = Command(
        name: "flags",
        summary: "Show flags, and get one for a script.",
        about: """
            Flags are settings from a server or a file, such as whether a new screen is shown. 'flags' in harkd.json says where \
            they come from. The last good flags stay in force if the server fails.
            """,
        examples: [
            .init("if $(hark flags get new_checkout --type bool --default false); then …", "A switch in a script."),
            .init("hark flags", "All flags."),
        ],
        members: [
            .init("list") { flagsList },
            .init("get") { flagsGet },
            .init("refresh") { flagsRefresh },
        ],
        fallback: "list")

    private static let flagsList: Command = Command(
        name: "list",
        summary: "List all flags with their values.",
        about:
            "Prints one flag per line, with its value as JSON. Standard error has the source of the flags and its problems.",
        options: [.json],
        run: { arguments, console in
            var connection = try Connection()
            let reply = try connection.call(FlagsGet())
            guard let told = try console.value(of: reply, arguments) else { return }
            // Only administrators see the source of flags.
            if let source = told.source?.json {
                guard source.isObject else { return sayNowhere(console) }
                sayState(of: FlagSourceInfo(source), console)
            }
            var rows = [["flag", "value"]]
            told.flags?.json.forEachMember { key, value in
                let name = JSONText([.quote] + key + [.quote]).string ?? ""
                rows.append([VisibleText.make(name), VisibleText.make(value.text)])
                return true
            }
            if rows.count > 1 { try console.print(TextTable.text(rows, console.style)) }
        })

    private static func sayNowhere(_ console: Console) {
        console.say("hark: no flags are configured; 'flags' in harkd.json says where they come from")
    }

    private static func sayState(of source: FlagSourceInfo, _ console: Console) {
        let time = source.checkedAt.map { ", up to date at \(LocalTime.text($0))" }
        let state = source.isCopy ? ", the last good ones of an earlier run" : time ?? ""
        console.say("# \(VisibleText.make(source.place))\(state)")
        sayProblems(source.problems, "hark: warning: ", console)
    }

    private static let flagsGet: Command = Command(
        name: "get",
        summary: "Print the value of a flag.",
        usage: ["KEY"],
        about: """
            Prints only the value: a string as it is, anything else as JSON. With --type, the value is printed only if it has \
            that type. A number is a double however it is written, and an int only if it is a whole number; raw always prints \
            JSON.

            If the flag does not exist or has another type, the --default is printed, also if no daemon answers. With a default, \
            the exit code is 0 and there is no message. Without one it is 1.
            """,
        options: [type, fallback],
        examples: [
            .init("hark flags get paywall_variant --default control", "A text."),
            .init("hark flags get max_retries --type int --default 3", "A number."),
        ],
        operands: 1...1,
        run: { arguments, console in try get(arguments, console) })

    private static let type = Option(
        "type", "t", value: "TYPE", values: .words(FlagType.allCases.map(\.rawValue)),
        "The type it must have: bool, string, double, int or raw.")
    private static let fallback = Option(
        "default", "d", value: "VALUE", "What to print if there is no such value, or no daemon.")

    private static func get(_ arguments: Arguments, _ console: Console) throws {
        let fallback = arguments[fallback]
        let type = try FlagValue.type(arguments[type], fallback: fallback)
        let key = arguments.operands[0]
        do {
            if let value = try value(of: key, type, isUrgent: fallback != nil, console) {
                return try type == .raw ? console.print(json: value) : console.print(value: value)
            }
        } catch let error as ClientError {
            // A default exists for exactly this case.
            guard fallback != nil else {
                throw ToolError(.declined, ToolError(error, of: flagsGet).message, hint: error.hint)
            }
        }
        if let fallback { return try console.print(value: fallback) }
        throw QuietExit(exit: .declined)
    }

    /// Returns the value of a flag; nil, with a message printed, if there is none.
    private static func value(
        of key: String, _ type: FlagType?, isUrgent: Bool, _ console: Console
    ) throws -> JSONText? {
        var connection = try Connection()
        if isUrgent { connection.patience = 5 }
        func ask(_ type: FlagType?) throws(ClientError) -> JSONText? {
            var request = FlagsGet()
            (request.key, request.type) = (key, type)
            let value = try connection.call(request).value.value?.json
            return value?.isNull == false ? value : nil
        }
        if let value = try ask(type) { return value }
        if isUrgent { return nil }
        let isOfAnotherType = try type != nil && ask(nil) != nil
        console.say(
            "hark flags get: "
                + (isOfAnotherType
                    ? "the flag '\(VisibleText.make(key))' is no \(type?.rawValue ?? "")"
                    : "there is no flag '\(VisibleText.make(key))' ('hark flags' lists them)"))
        return nil
    }

    private static let flagsRefresh: Command = Command(
        name: "refresh",
        summary: "Look for new flags now.",
        about: """
            Asks the server, or reads the file, and prints the outcome. If that fails, the flags in force stay, and the exit \
            code is 75.
            """,
        options: [.json],
        calls: FlagsRefresh.name,
        run: { arguments, console in
            var connection = try Connection()
            let reply = try connection.call(FlagsRefresh())
            let result = reply.value
            let outcome = FlagOutcome(rawValue: result.outcome)
            if arguments.has(.json) {
                try console.print(json: reply.text)
            } else if outcome == .nowhere {
                sayNowhere(console)
            } else if outcome == .failed {
                console.say("hark flags refresh: " + VisibleText.make(result.error ?? "it failed"))
            } else {
                try console.print(VisibleText.make(result.outcome))
            }
            if outcome == .failed { throw QuietExit(exit: .temporary) }
        })
}
