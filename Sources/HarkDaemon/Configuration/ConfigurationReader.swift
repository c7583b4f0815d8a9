import HarkCore
import HarkSystem
import HarkWire

/// Reads the text of `harkd.json`: JSON with comments and trailing commas (JSON5).
///
/// Every fault is collected with its JSON path, so that one look at the list is enough to mend the file.
struct ConfigurationReader {
    var configuration = Configuration()
    var errors: [DocumentIssue] = []
    var warnings: [DocumentIssue] = []

    init(text: [UInt8]) {
        do throws(JSONFault) {
            let document = try JSONDocument(text, .json5)
            if let root = document.value.objectValue {
                read(root)
            } else {
                errors.append(DocumentIssue(path: "$", message: "the file must hold one object: { … }"))
            }
            errors = document.placed(ConfigurationReader.shortened(errors))
            warnings = document.placed(ConfigurationReader.shortened(warnings)) + document.repetitions
        } catch {
            errors.append(DocumentIssue(error))
        }
    }

    /// The first hundred are enough to begin with, and none is as long as a name in the file may be.
    private static func shortened(_ issues: [DocumentIssue]) -> [DocumentIssue] {
        issues.prefix(DocumentIssues.most).map { DocumentIssue(shortening: $0.path, $0.message) }
    }

    /// The settings at the top.
    static let names = [
        "retention", "archive", "limits", "adminGroup", "logLevel", "surveys", "forms", "notify", "debug",
        "destinations",
        "flags", "counters", "executions",
    ]

    private mutating func read(_ root: JSONObject) {
        readCounters(root)
        for member in root {
            let path = "$.\(member.key)"
            switch member.key {
            case "$schema", "counters", "executions": break
            case "retention": readRetention(member.value, path)
            case "archive": if let flag = bool(member.value, path) { configuration.archive = flag }
            case "limits": readLimits(member.value, path)
            case "adminGroup":
                if let name = string(member.value, path) { configuration.administratorGroup = name }
            case "logLevel": readLogLevel(member.value, path)
            case "surveys":
                if let origin = readOrigin(member.value, path, example: "surveys.json") {
                    configuration.surveys = origin
                }
            case "forms":
                if let origin = readOrigin(member.value, path, example: "forms.json") { configuration.forms = origin }
            case "notify": readNotify(member.value, path)
            case "debug": readDebug(member.value, path)
            case "destinations": readDestinations(member.value, path)
            case "flags": readFlags(member.value, path)
            default: unknown(member.key, path, among: Self.names)
            }
        }
        checkFlags()
    }

    private mutating func readRetention(_ value: JSONValue, _ path: String) {
        do throws(WireError) {
            (configuration.retention, configuration.retentionPreset) = try RetentionReader.read(value, path: path)
        } catch {
            errors.append(DocumentIssue(path: error.path ?? path, message: error.message))
        }
    }

    private mutating func readLimits(_ value: JSONValue, _ path: String) {
        guard let object = value.objectValue else { return mistyped(path, "an object of limits") }
        for member in object {
            let path = "\(path).\(member.key)"
            switch member.key {
            case "lineBytes": set(\.limits.lineBytes, member.value, path, 1_024...(64 << 20))
            case "connectionsPerUser": set(\.limits.connectionsPerUser, member.value, path, 1...100_000)
            case "subscriptionsPerUser": set(\.limits.subscriptionsPerUser, member.value, path, 1...1_000_000)
            case "queuedBytesPerUser": set(\.limits.queuedBytesPerUser, member.value, path, 65_536...(64 << 30))
            case "queuedBytes": set(\.limits.queuedBytes, member.value, path, 65_536...(1 << 30))
            case "nesting": set(\.limits.nesting, member.value, path, 4...256)
            default:
                unknown(
                    member.key, path,
                    among: [
                        "lineBytes", "connectionsPerUser", "subscriptionsPerUser", "queuedBytesPerUser", "queuedBytes",
                        "nesting",
                    ])
            }
        }
    }

    private mutating func readLogLevel(_ value: JSONValue, _ path: String) {
        guard let word = string(value, path) else { return }
        guard let level = Log.Level.words.first(where: { $0.0 == word })?.1 else {
            let words = Log.Level.words.map(\.0).joined(separator: ", ")
            errors.append(DocumentIssue(path: path, message: "must be one of \(words)"))
            return
        }
        configuration.logLevel = level
    }

    private mutating func set(
        _ member: WritableKeyPath<Configuration, Int>, _ value: JSONValue, _ path: String, _ range: ClosedRange<Int64>
    ) {
        guard let number = value.exactInteger, range.contains(number) else {
            return mistyped(path, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        configuration[keyPath: member] = Int(number)
    }

    mutating func bool(_ value: JSONValue, _ path: String) -> Bool? {
        if let flag = value.boolValue { return flag }
        mistyped(path, "true or false")
        return nil
    }

    mutating func string(_ value: JSONValue, _ path: String) -> String? {
        if let text = value.stringValue { return text }
        mistyped(path, "a string")
        return nil
    }

    mutating func mistyped(_ path: String, _ expected: String) {
        errors.append(DocumentIssue(path: path, message: "must be \(expected)"))
    }

    /// - Parameter names: the settings that there are in its place.
    mutating func unknown(_ name: String, _ path: String, among names: [String]) {
        let advice = Suggestion.question(for: name, among: names)
        warnings.append(DocumentIssue(path: path, message: "there is no setting '\(name)'; it is ignored\(advice)"))
    }

    mutating func refuseKey(_ path: String) {
        errors.append(
            DocumentIssue(
                path: path,
                message: "a key does not belong here; put it into a file and name that with apiKeyFile "
                    + "(or apiKeyCredential, apiKeyEnv)"))
    }
}

/// Reads a retention policy, from the configuration and from requests alike.
enum RetentionReader {
    static func read(_ value: JSONValue, path: String) throws(WireError) -> (RetentionPolicy, preset: String?) {
        if let name = value.stringValue {
            guard let policy = RetentionPolicy.preset(name) else {
                let names = RetentionPolicy.presets.map(\.name).joined(separator: ", ")
                throw WireError(.invalidParams, "must be one of \(names), or an object with numbers", path: path)
            }
            return (policy, name)
        }
        guard let object = value.objectValue else {
            throw WireError(.invalidParams, "must be the name of a preset or an object with numbers", path: path)
        }
        var policy = RetentionPolicy()
        for member in object where !member.value.isNull {
            let path = "\(path).\(member.key)"
            if member.key == "maxAgeDays" {
                guard let days = member.value.doubleValue, days > 0, days.isFinite else {
                    throw WireError(.invalidParams, "must be a number of days above 0, as 30 or 0.5", path: path)
                }
                policy.maxAgeDays = min(days, 36_500_000)
                continue
            }
            guard let number = member.value.exactInteger, number >= 1, number <= 1 << 50 else {
                throw WireError(.invalidParams, "must be an integer of at least 1", path: path)
            }
            switch member.key {
            case "maxSessionsPerUser": policy.maxSessionsPerUser = Int(number)
            case "maxStoreBytes": policy.maxStoreBytes = number
            default:
                throw WireError(
                    .invalidParams, "must be maxAgeDays, maxSessionsPerUser or maxStoreBytes", path: path)
            }
        }
        return (policy, nil)
    }
}
