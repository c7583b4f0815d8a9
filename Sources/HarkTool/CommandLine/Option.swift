/// An option of a command, used for parsing, help, the manual and completion.
struct Option: Sendable {
    /// What a shell offers as the option's value, or as an operand.
    enum Values: Sendable, Equatable {
        case any
        case files
        case folders
        /// The words of a program that the command runs, which stand behind `--`.
        case program
        /// Words that lead to a command.
        case commands
        case words([String])
        /// Names of objects in the daemon. A title, or the beginning of a name or title, is accepted too.
        case names(NameKind)
    }

    /// The name without dashes.
    let name: String
    let letter: Character?
    /// The placeholder of the value in help; nil for an option without a value.
    let value: String?
    let summary: String
    let values: Values
    /// Whether it may be repeated.
    let repeats: Bool

    init(_ name: String, value: String? = nil, values: Values = .any, _ summary: String) {
        self.init(name, nil, value: value, values: values, summary)
    }

    init(
        _ name: String, _ letter: Character?, value: String? = nil, values: Values = .any, repeats: Bool = false,
        _ summary: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.values = values
        self.repeats = repeats
        self.summary = summary
    }
}

/// Options that several commands share, with the same meaning in each.
extension Option {
    static let help = Option("help", "h", "Show this help and exit.")
    static let quiet = Option("quiet", "q", "Print nothing but errors.")
    static let json = Option("json", "j", "Print the daemon's answer as JSON.")
    static let app = Option(
        "app", "a", value: "APP", "The app of the session; each app has a session of its own. Default: default."
    )
    static let unattended = Option(
        "unattended",
        "Recorded by a job and not by a person, so it belongs to no user. HARK_UNATTENDED=1 does the same.")
    static let machine = Option(
        "machine", value: "NAME", "On a hub, only records of machines of this name; * stands for any letters.")
    static let group = Option(
        "group", value: "NAME", "On a hub, only records of machines of this group; * stands for any letters.")
    static let user = Option("user", "u", value: "USER", "Only this user.")
    static let anonymous = Option("anonymous", "Only sessions without a user.")
    static let eventName = Option(
        "name", "n", value: "GLOB", values: .names(.event), "Only events of this name; * stands for any letters.")
    static let since = Option("since", "S", value: "TIME", "Only records of this time and later.")
    static let until = Option("until", "U", value: "TIME", "Only records before this time.")
    static let `where` = Option(
        "where", "w", value: "CONDITION", "Only events for which this holds, like 'amount > 50 and plan = pro'.")
    static let csv = Option("csv", "Print a table for other programs (RFC 4180).")
    static let spreadsheet = Option(
        "spreadsheet",
        "As --csv, for a spreadsheet: texts that would be formulas get a ' before them, and the file begins with a mark."
    )
    static let session = Option(
        "session", "s", value: "ID", values: .names(.session),
        "Only this session: its id, or 'current' for the app's open one.")
}
