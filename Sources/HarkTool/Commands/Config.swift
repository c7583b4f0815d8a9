import Glibc
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
        members: [
            .init("show") { configShow },
            .init("validate") { configValidate },
            .init("reload") { configReload },
        ],
        fallback: "show")

    private static let configShow: Command = .calling(
        ConfigGet.self, "show", "Print the configuration that is in force, as JSON.",
        about: "Prints the settings with their defaults filled in. Keys and passwords are not shown.",
        output: [.json],
        print: { result, _, console in
            console.say("# " + (result.file.map { VisibleText.make($0) } ?? "no file: these are the defaults"))
            sayProblems(result.problems, "warning: ", console)
            try console.print(json: PrettyJSON.text(result.config.json))
        })

    private static let configValidate: Command = Command(
        name: "validate",
        summary: "Check a configuration file before it is used.",
        usage: ["[FILE]"],
        about: """
            Has harkd check the file (- is standard input) without using it; no daemon has to run. A file whose "surveys" \
            or "forms" is a list is checked as one of those. Without a file, it checks the harkd.json of the daemon that other \
            commands ask (with sudo, /etc/hark/harkd.json), and the files of surveys and forms that it names. Each fault is \
            printed on a line with file, line and column.

            If a daemon answers, hark also names properties, events and counters that no record has had so far, with the nearest \
            name, as they may be misspelt. This alone does not change the exit code.

            The exit code is 0 if nothing is wrong, 1 if the file can be used but parts of it have no effect (such as an unknown \
            setting), 78 if it cannot be used, and 66 if it cannot be read. It is the same as 'harkd --check'.
            """,
        options: [Option("json", "j", "Print the faults as one line of JSON.")],
        examples: [.init("hark config validate surveys.json && hark config reload", "Reload it if it is right.")],
        operands: 0...1,
        completes: .files,
        run: { arguments, console in
            let mode = arguments.operands.isEmpty && meansMachine ? ["--system"] : []
            if var doubts = DocumentDoubts(console) {
                if let file = arguments.operands.first {
                    if file != "-" { doubts.file(file) }
                } else {
                    doubts.configuration(
                        FleetSetup.usualFile(isSystem: meansMachine, SocketAddress.environment))
                }
            }
            let words = mode + ["--check"] + (arguments.has(.json) ? ["--json"] : []) + ["--"] + arguments.operands
            throw DaemonProgram.become(words)
        })

    /// Whether other commands would ask the machine's daemon. If no daemon is there, root means the machine's.
    private static var meansMachine: Bool {
        if SocketAddress.environment("HARK_CONFIG")?.isEmpty == false { return false }
        let places = SocketAddress.candidates()
        if let found = places.first(where: { access($0.path, F_OK) == 0 }) { return found.path == SocketPath.system }
        return getuid() == 0 && places.last?.path == SocketPath.system && access("/etc/hark/harkd.json", F_OK) == 0
    }

    static func sayProblems(_ problems: [IssueInfo], _ prefix: String, _ console: Console) {
        for problem in problems {
            // A problem of the whole document has no path.
            var path = ["$", ""].contains(problem.path) ? "" : "\(VisibleText.make(problem.path)): "
            if let line = problem.line, let column = problem.column {
                path = "line \(line), column \(column): " + path
            }
            console.say("\(prefix)\(path)\(VisibleText.make(problem.message))")
        }
    }

    private static let configReload: Command = .calling(
        ConfigReload.self, "reload", "Let the daemon read its configuration again.",
        about: "If the file is wrong, the configuration in force stays, and hark says what is wrong.",
        output: [.json],
        print: { result, _, console in
            sayProblems(result.problems, "warning: ", console)
            if console.outputIsTerminal { try console.print("reloaded") }
        })
}
