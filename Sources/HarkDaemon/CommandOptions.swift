import CLinux
import Glibc
import HarkNotifier
import HarkSettings
import HarkSimulation
import HarkWire

/// The options of `harkd`, read with getopt_long.
struct CommandOptions {
    enum Action: Equatable {
        case serve, check, describe, help, version
        case simulate(SimulationCommand.Files)
        case notify(NotificationTerms)
        case whileQuiet
        case untilReturn
    }

    /// A wrong word on the command line.
    struct Mistake: Error {
        let message: String
    }

    private(set) var action = Action.serve
    private(set) var isSystem = false
    /// The file to check; `-` is standard input. Nil: the configuration file.
    private(set) var file: String?
    private(set) var isJSON = false
    private(set) var paths: Paths

    private static let names: [(name: String, takesValue: Bool)] = [
        ("notify", true), ("stay", false), ("unless-quiet", false), ("while-quiet", false), ("until-return", false),
        ("simulate", true), ("against", true), ("showings", false), ("system", false), ("socket", true),
        ("state", true), ("config", true), ("check", false), ("json", false),
        ("describe", false), ("help", false), ("version", false),
    ]

    /// The first code of a long option; short options use the codes of their letters.
    private static let firstCode: CInt = 1000

    init() {
        paths = Paths(isSystem: false, environment: CommandOptions.environment)
    }

    init(_ arguments: [String]) throws(Mistake) {
        self.init()
        var given: [(name: String, value: String)] = []
        let owned = arguments.map { strdup($0) }
        let labels = CommandOptions.names.map { strdup($0.name) }
        defer { for copy in owned + labels { free(copy) } }
        var words = owned + [nil]
        var table = zip(CommandOptions.names, labels).enumerated().map { index, entry in
            option(
                name: entry.1, has_arg: entry.0.takesValue ? required_argument : no_argument, flag: nil,
                val: CommandOptions.firstCode + CInt(index))
        }
        table.append(option())
        hark_getopt_begin()
        while true {
            let code = getopt_long(CInt(owned.count), &words, ":h", table, nil)
            if code == -1 { break }
            let word = words[Int(hark_getopt_index()) - 1].map { String(cString: $0) } ?? ""
            switch code {
            case CInt(UInt8(ascii: "h")): given.append(("help", ""))
            case CInt(UInt8(ascii: ":")): throw Mistake(message: "option '\(word)' needs a value")
            case CommandOptions.firstCode...:
                let value = hark_getopt_value().map { String(cString: $0) } ?? ""
                given.append((CommandOptions.names[Int(code - CommandOptions.firstCode)].name, value))
            default:
                let name = String(word.prefix { $0 != "=" })
                let advice = Suggestion.question(for: name, among: CommandOptions.names.map { "--\($0.name)" })
                throw Mistake(message: "there is no option '\(word)', or it takes no value\(advice)")
            }
        }
        let operands = words[Int(hark_getopt_index())...].compactMap { $0.map { String(cString: $0) } }
        try apply(given)
        file = action == .check ? operands.first : nil
        if let word = operands.dropFirst(file == nil ? 0 : 1).first {
            throw Mistake(message: "harkd takes no argument but a file to --check, and got '\(word)'")
        }
    }

    private mutating func apply(_ given: [(name: String, value: String)]) throws(Mistake) {
        isSystem = given.contains { $0.name == "system" }
        paths = Paths(isSystem: isSystem, environment: CommandOptions.environment)
        for (name, value) in given {
            switch name {
            case "socket": paths.socket = value
            case "state": paths.state = value
            case "config": paths.configuration = value
            case "check": action = .check
            case "json": isJSON = true
            case "describe": action = .describe
            case "help": action = .help
            case "notify":
                guard let seconds = Int(value), (0...604_800).contains(seconds) else {
                    throw Mistake(message: "'--notify' needs a number of seconds from 0 to 604800")
                }
                action = .notify(
                    NotificationTerms(
                        seconds: seconds, tellsServer: given.contains { $0.name == "stay" },
                        waits: !given.contains { $0.name == "unless-quiet" }))
            case "simulate":
                action = .simulate(
                    SimulationCommand.Files(
                        file: value, against: given.first { $0.name == "against" }?.value,
                        tellsShowings: given.contains { $0.name == "showings" }))
            case "while-quiet": action = .whileQuiet
            case "until-return": action = .untilReturn
            case "version": action = .version
            default: break
            }
        }
        try checkConfiguration()
    }

    /// Accepts the path of `harkd.json` instead of its folder; refuses any other file, which would not be read.
    private mutating func checkConfiguration() throws(Mistake) {
        var status = stat()
        guard stat(paths.configuration, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let (folder, file) = (paths.configuration.split(separator: "/", omittingEmptySubsequences: false), "harkd.json")
        guard folder.last.map(String.init) == file else {
            throw Mistake(
                message:
                    "'--config' (HARK_CONFIG) takes the folder that \(file) is in, and '\(paths.configuration)' is a file; "
                    + "'harkd --check FILE' looks at one file")
        }
        let parent = folder.dropLast().joined(separator: "/")
        paths.configuration = parent.isEmpty ? (folder.count > 1 ? "/" : ".") : parent
    }

    private static var environment: [String: String] {
        var result: [String: String] = [:]
        for name in [
            "HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "RUNTIME_DIRECTORY", "STATE_DIRECTORY",
            "CONFIGURATION_DIRECTORY", "HARK_SOCKET", "HARK_STATE", "HARK_CONFIG",
        ] {
            if let value = getenv(name) { result[name] = String(cString: value) }
        }
        return result
    }
}
