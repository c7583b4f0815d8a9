import HarkClient
import HarkWire

extension Command {
    static let destinationFamily: Command = Command(
        name: "destination",
        summary: "Add a server to deliver to, or remove one.",
        about: """
            Changes "destinations" in the harkd.json of the daemon that other commands talk to, leaves the rest of the file as \
            it is, and lets the daemon read it. If the daemon refuses it, the old file is restored. See \
            docs/reference/destinations.md; 'hark delivery' shows the state of each.
            """,
        examples: [
            .init("hark destination add https://hooks.example.com/in --names 'watch.*'", "Alarms to a webhook."),
            .init("hark destination add https://ntfy.sh/TOPIC --preset ntfy --names 'watch.*'", "Alarms to a phone."),
            .init("hark destination remove hooks.example.com", "Remove it again."),
        ],
        members: [
            .init("add") { destinationAdd },
            .init("remove") { destinationRemove },
        ])

    private static let destinationAdd: Command = Command(
        name: "add",
        summary: "Add a server to deliver to.",
        usage: ["URL"],
        about: """
            The kind is "otlp" where the path ends with /v1/logs, "postgresql" where the address says so, and "http" (a webhook) \
            elsewhere. Without --content, it gets the records that this kind gets by default; a chat gets events. It gets \
            records from now on. Anyone who knows the address of a chat can write to it, so hark does not show it; only people \
            who may read the settings can see it.
            """,
        options: [
            name, kind, preset, template, content, names, condition, level, keyFile, FleetSetup.system, .quiet,
        ],
        examples: [
            .init("hark destination add http://localhost:4318/v1/logs", "A collector of OpenTelemetry."),
            .init(
                "hark destination add https://hooks.example.com/in --content event",
                "Events and nothing else to a webhook."),
            .init(
                "hark destination add postgresql://hark@db.example/hark --key-file pg.password",
                "All records, past and future, to a database (docs/reference/databases.md)."),
            .init(
                "hark destination add https://logs.example.com --kind sensorcore",
                "A server of SensorCore."),
            .init(
                "hark destination add URL --preset slack --template '{event.name} on {host}'",
                "Your own text to a chat."),
        ],
        operands: 1...1,
        run: { arguments, console in
            let (destination, called) = try destinationToAdd(arguments)
            var settings = try FleetSetup(wantsSystem: arguments.has(FleetSetup.system))
            let problems = try settings.change { editor in
                if place(of: called, in: editor) != nil {
                    throw ToolError(
                        .configuration, "there is a destination '\(called)' already",
                        hint: "Name the new one (--name NAME), or first 'hark destination remove \(called)'.")
                }
                try editor.append(destination, to: settingsMember)
            }
            if arguments.has(.quiet) { return }
            sayProblems(problems, "hark: warning: ", console)
            if var doubts = DocumentDoubts(console) { doubts.destination(destination) }
            try console.print("added \(VisibleText.value(called)) to \(VisibleText.make(settings.file.path))")
        })

    private static func destinationToAdd(_ arguments: Arguments) throws(ToolError) -> (JSONObject, name: String) {
        let url = arguments.operands[0]
        guard let scheme = url.firstRange(of: "://"),
            ["http", "https", "postgresql", "postgres"].contains(url[..<scheme.lowerBound].lowercased())
        else {
            throw .usage(
                "'\(url)' is no address of a server",
                hint: "Give https://HOST/PATH, http:// within the machine, or postgresql://USER@HOST/DATABASE.")
        }
        let isDatabase = url.hasPrefix("postgres")
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // The text there may be a password, which is never shown.
        guard !authority.contains("@") || isDatabase && !authority.prefix(while: { $0 != "@" }).contains(":") else {
            throw .usage(
                "a user's name and password must not be in the address, where everybody can read them",
                hint: "Give a key with --key-file FILE, or write the headers into harkd.json.")
        }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last?.prefix { $0 != ":" } ?? ""
        let called = arguments[name] ?? (host.isEmpty ? "postgresql" : String(host))
        let kindWord = arguments[kind] ?? (isDatabase ? "postgresql" : url.hasSuffix("/v1/logs") ? "otlp" : "http")
        var destination: JSONObject = [
            "name": .string(called), "kind": .string(kindWord),
            (kindWord == "sensorcore" ? "host" : "url"): .string(url),
        ]
        if arguments.has(preset) || arguments.has(template), kindWord != "http" {
            throw .usage("--preset and --template are for webhooks (--kind http)")
        }
        if let chat = arguments[preset] { destination["preset"] = .string(chat) }
        if let text = arguments[template] { destination["template"] = words(of: text) }
        if let path = arguments[keyFile] {
            let whole = JSONValue.string(path.hasPrefix("/") ? path : "\(try currentFolder())/\(path)")
            if arguments.has(preset) {
                destination["headers"] = ["Authorization": ["file": whole]]
            } else if kindWord == "postgresql" || kindWord == "clickhouse" {
                destination["passwordFile"] = whole
            } else {
                destination["apiKeyFile"] = whole
            }
        }
        for (key, option) in [("kinds", content), ("names", names)] where arguments.has(option) {
            destination[key] = .array(arguments.all(option).map(JSONValue.string))
        }
        if let condition = arguments[condition] { destination["where"] = .string(condition) }
        if let level = arguments[level] { destination["level"] = .string(level) }
        return (destination, called)
    }

    /// A template: JSON where it is an object or an array, else a text.
    private static func words(of text: String) -> JSONValue {
        guard let value = try? JSONDocument(Array(text.utf8), .json).value,
            value.objectValue != nil || value.arrayValue != nil
        else { return .string(text) }
        return value
    }

    private static let settingsMember = "destinations"

    private static func place(of name: String, in editor: JSONEditor) -> Int? {
        editor[settingsMember]?.arrayValue?.firstIndex {
            $0["name"]?.stringValue?.utf8.elementsEqual(name.utf8) == true
        }
    }

    private static let name = Option(
        "name", "n", value: "NAME", "Its name in 'hark delivery' and elsewhere. Default: the server's name.")
    private static let kind = Option(
        "kind", "k", value: "KIND", values: .words(["clickhouse", "http", "otlp", "postgresql", "sensorcore"]),
        "The kind of the server: clickhouse, http, otlp, postgresql or sensorcore.")
    private static let preset = Option(
        "preset", value: "CHAT", values: .words(["slack", "discord", "matrix", "ntfy"]),
        "A chat or phone: each event becomes a line of text in its format.")
    private static let template = Option(
        "template", value: "TEXT",
        "The text or JSON to send for each record, with places like {event.name} and {host}.")
    private static let content = Option(
        "content", "c", value: "KIND", values: .words(["log", "event", "survey", "session", "form", "profile"]),
        repeats: true,
        "The kinds of records it gets: log, event, survey, session, form or profile; may be given several times.")
    private static let names = Option(
        "names", nil, value: "GLOB", values: .names(.event), repeats: true,
        "Only events of this name; * stands for any letters; may be given several times.")
    private static let condition = Option(
        "where", "w", value: "CONDITION", "Only events for which this holds, like 'amount > 50 and plan = pro'.")
    private static let level = Option(
        "level", "l", value: "LEVEL", values: .words(LogLevel.allCases.map(\.rawValue)),
        "Only log lines of this level or a more severe one.")
    private static let keyFile = Option(
        "key-file", value: "FILE", values: .files,
        "The file with the server's key; the daemon reads it. With --preset: the value of the header Authorization, like \"Bearer KEY\"."
    )

    private static let destinationRemove: Command = Command(
        name: "remove",
        summary: "Remove a destination.",
        usage: ["DESTINATION"],
        about: "Waiting records stay in the log, and are not sent.",
        options: [FleetSetup.system, .quiet],
        operands: 1...1,
        completes: .names(.destination),
        isStrict: { _ in true },
        run: { arguments, console in
            let called = arguments.operands[0]
            var settings = try FleetSetup(wantsSystem: arguments.has(FleetSetup.system))
            let problems = try settings.change { editor in
                guard let place = place(of: called, in: editor) else {
                    throw ToolError(
                        .noInput, "there is no destination '\(called)' in the settings",
                        hint: "'hark delivery' shows those there are.")
                }
                try editor.removeElement(place, of: settingsMember)
            }
            if arguments.has(.quiet) { return }
            sayProblems(problems, "hark: warning: ", console)
            try console.print("removed \(VisibleText.value(called)) from \(VisibleText.make(settings.file.path))")
        })
}
