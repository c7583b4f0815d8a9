import HarkClient
import HarkWire

extension Command {
    static let config: Command = Command(
        name: "config",
        summary: "Check, show and reload the configuration.",
        about: """
            The configuration is harkd.json in $XDG_CONFIG_HOME/hark, or in /etc/hark for the system's daemon. Every \
            setting is optional.
            """,
        commands: [configShow, configValidate, configReload],
        fallback: "show")

    private static let configShow: Command = Command(
        name: "show",
        summary: "Print the configuration that is in force, as JSON.",
        about: "Prints the settings with their defaults filled in. Keys and passwords are not shown.",
        options: [.json],
        run: { arguments, console in
            var connection = try Connection()
            let result = try connection.call("config.get", "{}".utf8)
            if arguments.has(.json) { return try console.print(result.text) }
            console.say("# " + (result.member("file")?.string ?? "no file: these are the defaults"))
            sayProblems(result.member("problems"), "warning: ", console)
            try console.print(PrettyJSON.text(result.member("config") ?? result))
        })

    private static let configValidate: Command = Command(
        name: "validate",
        summary: "Check a configuration file before it is used.",
        usage: ["FILE"],
        about: """
            Has the daemon check the file (- is standard input) and prints what is wrong, a line each, with the path to \
            the setting. A file whose "surveys" or "forms" is a list is checked as one of those. The exit code is 0 if the file can \
            be used and 78 if not. 'harkd --check' checks harkd.json without a daemon.
            """,
        options: [.json],
        operands: 1...1,
        completes: .files,
        run: { arguments, console in
            let file = arguments.operands[0]
            let text = String(validating: try InputFile.read(file), as: UTF8.self)
            guard let text else { throw ToolError(.data, "\(file) is not UTF-8 text") }
            var params = JSONWriter()
            params.beginObject()
            params.member("text", text)
            for kind in ["surveys", "forms"] where JSONText(text).membersByName[kind]?.isArray == true {
                params.member("kind", kind)
                break
            }
            params.endObject()
            var connection = try Connection()
            let result = try connection.call("config.validate", params.bytes)
            let isValid = result.member("valid")?.bool ?? false
            if arguments.has(.json) {
                try console.print(result.text)
            } else {
                sayProblems(result.member("errors"), "\(file): ", console)
                sayProblems(result.member("problems"), "\(file): warning: ", console)
                if isValid, console.outputIsTerminal { try console.print("\(file): fine") }
            }
            if !isValid { throw QuietExit(exit: .configuration) }
        })

    static func sayProblems(_ problems: JSONText?, _ prefix: String, _ console: Console) {
        for problem in problems?.elements ?? [] {
            // What is wrong with the whole has no place to be named.
            let place = problem.member("path")?.string ?? "$"
            let path = place == "$" ? "" : "\(VisibleText.make(place)): "
            console.say("\(prefix)\(path)\(VisibleText.make(problem.member("message")?.string ?? "wrong"))")
        }
    }

    private static let configReload: Command = Command(
        name: "reload",
        summary: "Have the daemon read its configuration again.",
        about: "If the file is wrong, the configuration that is in force stays, and hark says what is wrong.",
        options: [.json],
        run: { arguments, console in
            var connection = try Connection()
            let result = try connection.call("config.reload", "{}".utf8)
            if arguments.has(.json) { return try console.print(result.text) }
            sayProblems(result.member("problems"), "warning: ", console)
            if console.outputIsTerminal { try console.print("reloaded") }
        })
}
