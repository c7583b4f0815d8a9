import HarkClient
import HarkWire

/// Checks settings and survey files for properties, events and counters that do not exist yet. It asks a running daemon
/// and changes nothing; only `harkd` knows whether the files are valid.
struct DocumentDoubts: ~Copyable {
    private let console: Console
    private var connection: Connection

    /// The timeout in seconds. Doubts are not worth a long wait.
    private static let patience = 2.0

    /// - Returns: Nil if no daemon answers.
    init?(_ console: Console) {
        guard let connection = try? Connection(patience: Self.patience) else { return nil }
        self.console = console
        self.connection = connection
        self.connection.patience = Self.patience
    }

    /// Checks `harkd.json` and the survey file that it names.
    mutating func configuration(_ path: String) {
        let settings = document(path)
        if let settings { self.settings(settings, in: path) }
        let name = settings?["surveys"]?["file"]?.stringValue ?? "surveys.json"
        let surveys = name.hasPrefix("/") ? name : "\(Examination.folder(of: path))/\(name)"
        if let value = document(surveys) { self.surveys(value, in: surveys) }
    }

    /// Checks a file of surveys or settings.
    mutating func file(_ path: String) {
        guard let value = document(path) else { return }
        if value["surveys"]?.arrayValue == nil { settings(value, in: path) } else { surveys(value, in: path) }
    }

    /// - Returns: Nil if the file is absent or not JSON, which other checks report.
    private func document(_ path: String) -> JSONValue? {
        guard let bytes = try? SettingsFile(path).original else { return nil }
        return try? JSONDocument(bytes, .json5).value
    }

    private mutating func surveys(_ document: JSONValue, in file: String) {
        for (place, survey) in (document["surveys"]?.arrayValue ?? []).enumerated() {
            guard let trigger = survey["trigger"] else { continue }
            let path = "$.surveys[\(place)].trigger"
            if let event = trigger["event"], let name = event["name"]?.stringValue {
                doubts(file, path + ".event").event(name, &connection)
                for member in ["where", "properties"] {
                    guard let condition = event[member] else { continue }
                    doubts(file, "\(path).event.\(member)").condition(
                        Doubts.properties(condition), on: [name], &connection)
                }
            }
            guard let counters = trigger["counters"] else { continue }
            doubts(file, path + ".counters").counters(Doubts.properties(counters), app: nil, &connection)
        }
    }

    private mutating func settings(_ document: JSONValue, in file: String) {
        for (place, destination) in (document["destinations"]?.arrayValue ?? []).enumerated() {
            filter(destination, file, "$.destinations[\(place)]")
        }
        if let fleet = document["fleet"] { filter(fleet, file, "$.fleet") }
        let declared = (document["counters"]?.objectValue.map { $0.map(\.key) }) ?? []
        for (place, execution) in (document["executions"]?.arrayValue ?? []).enumerated() {
            guard let condition = execution["when"] else { continue }
            doubts(file, "$.executions[\(place)].when").counters(
                Doubts.properties(condition), app: execution["app"]?.stringValue, declared: declared, &connection)
        }
    }

    private mutating func filter(_ owner: JSONValue, _ file: String, _ path: String) {
        filter(owner, (doubts(file, path + ".names"), doubts(file, path + ".where")))
    }

    /// Checks the event filter of a destination.
    mutating func destination(_ settings: JSONObject) {
        filter(.object(settings), (Doubts(console: console), Doubts(console: console)))
    }

    private mutating func filter(_ owner: JSONValue, _ doubts: (names: Doubts, condition: Doubts)) {
        let names = (owner["names"]?.arrayValue ?? []).compactMap(\.stringValue)
        for name in names where !name.contains("*") { doubts.names.event(name, &connection) }
        guard let condition = owner["where"] else { return }
        doubts.condition.condition(Doubts.properties(condition), on: names, &connection)
    }

    private func doubts(_ file: String, _ path: String) -> Doubts {
        Doubts(console: console, place: "\(file): \(path)")
    }
}
