import HarkCore
import HarkSettings
import HarkSystem
import HarkWire

extension JournalSettings {
    mutating func read(_ settings: inout ObjectReader) {
        let issues = settings.issues
        guard let elements = settings.elements("journal", expected: "an array of sources") else { return }
        guard elements.count <= Self.mostSources else {
            return issues.error(settings.path("journal"), "must be an array of at most \(Self.mostSources) sources")
        }
        var read: [JournalSourceSettings] = []
        for (value, path) in elements {
            guard let source = JournalSourceSettings.read(value, path: path, issues: issues) else { continue }
            if read.contains(where: { $0.name == source.name }) {
                issues.error("\(path).name", "is the name of another source")
            }
            read.append(source)
        }
        sources = read
    }
}

extension JournalSourceSettings {
    fileprivate static func read(
        _ value: JSONValue, path: String, issues: IssueCollector
    ) -> JournalSourceSettings? {
        let expected = "an object with a name, a match or a preset, and an event or \"log\": true"
        guard
            var reader = ObjectReader(value, path: path, issues: issues, expected: expected, manner: .settings)
        else { return nil }
        defer { reader.finish() }
        var source = JournalSourceSettings()
        source.name = reader.read("name", .shortName, isRequired: true) ?? ""
        source.preset = reader.read("preset", .word)
        source.readMatches(&reader)
        source.readContent(&reader)
        source.properties = JournalProperty.read(&reader)
        if let app = reader.app() { source.app = app }
        if let since = reader.read("since", .beginning) { source.beginning = since }
        source.files = reader.read("files", .word(of: [("system", .system), ("user", .user)]))
        if let folder = reader.read("folder", .absolutePath) {
            if source.files != nil { issues.error(reader.path("folder"), "give 'files' or 'folder', and not both") }
            source.files = .folder(folder)
        }
        return source
    }

    private mutating func readMatches(_ reader: inout ObjectReader) {
        if preset != nil {
            return reader.forbid("match", "has no effect with a preset; leave one of them out")
        }
        guard let value = reader.value("match", isRequired: true) else { return }
        let path = reader.path("match")
        let elements = value.arrayValue.map { $0.enumerated().map { ($1, "\(path)[\($0)]") } } ?? [(value, path)]
        guard (1...JournalSettings.mostMatches).contains(elements.count) else {
            return reader.issues.error(
                path, "must be an object of fields, or an array of 1 to \(JournalSettings.mostMatches) of them")
        }
        matches = elements.compactMap { JournalMatch.read($0, path: $1, issues: reader.issues) }
    }

    private mutating func readContent(_ reader: inout ObjectReader) {
        let event = reader.read("event", .eventName)
        let isLog = reader.read("log", .bool) ?? false
        switch (event, isLog) {
        case (let event?, false): content = .event(event)
        case (nil, true): content = .log
        case (nil, false) where preset == .failedUnits: content = .event("unit_failed")
        default:
            reader.issues.error(
                reader.path, "give \"event\" with a name, or \"log\": true, and not both: what is made of an entry")
        }
    }
}

extension JournalMatch {
    fileprivate static func read(_ value: JSONValue, path: String, issues: IssueCollector) -> JournalMatch? {
        guard
            var reader = ObjectReader(
                value, path: path, issues: issues, expected: "an object of fields, like {\"unit\": \"ssh.service\"}",
                manner: .settings)
        else { return nil }
        var match = JournalMatch(document: value.objectValue ?? JSONObject(), alternatives: [[]])
        let members = reader.members()
        guard members.count <= JournalSettings.mostFields else {
            issues.error(path, "must be an object of at most \(JournalSettings.mostFields) fields")
            return nil
        }
        for (key, value, path) in members {
            guard let values = JournalMatch.values(value, path: path, of: key, issues: issues) else { continue }
            match.add(key, values)
        }
        return match
    }

    private mutating func add(_ key: String, _ values: [String]) {
        switch key {
        case "unit":
            let units = values.map(JournalMatch.unit)
            // Messages of the manager about it count as well.
            also([JournalCondition("_SYSTEMD_UNIT", units)], [JournalCondition("UNIT", units), .init("_PID", ["1"])])
        case "userUnit":
            let units = values.map(JournalMatch.unit)
            also(
                [JournalCondition("_SYSTEMD_USER_UNIT", units)],
                [JournalCondition("USER_UNIT", units), .init("_SYSTEMD_USER_UNIT", ["init.scope"])])
        case "identifier": also([JournalCondition("SYSLOG_IDENTIFIER", values)])
        case "messageId": also([JournalCondition("MESSAGE_ID", values)])
        case "priority": also([JournalCondition("PRIORITY", values)])
        default: also([JournalCondition(key, values)])
        }
    }

    /// Adds alternatives of conditions to the present ones.
    private mutating func also(_ more: [JournalCondition]...) {
        alternatives = alternatives.flatMap { conditions in more.map { conditions + $0 } }
    }

    private static func unit(_ name: String) -> String { name.contains(".") ? name : name + ".service" }

    private static func values(
        _ value: JSONValue, path: String, of key: String, issues: IssueCollector
    ) -> [String]? {
        switch key {
        case "priority":
            guard let place = value.stringValue.flatMap(JournalPriority.init(word:)) else {
                issues.error(path, "must be one of \(JournalPriority.list): the least severe one that passes")
                return nil
            }
            return (0...place.rawValue).map(String.init)
        case "unit", "userUnit", "identifier", "messageId": break
        default:
            guard MemberType<String>.journalField.read(.string(key)) != nil else {
                let known = ["unit", "userUnit", "identifier", "messageId", "priority"]
                issues.error(
                    path,
                    "is no field of the journal: those are upper-case letters, digits and '_', such as MESSAGE_ID; "
                        + "there are "
                        + "also \(known.joined(separator: ", "))\(Suggestion.question(for: key, among: known))")
                return nil
            }
        }
        let elements = value.arrayValue ?? [value]
        let values = elements.compactMap { text(of: $0, for: key) }
        guard (1...JournalSettings.mostValues).contains(elements.count), values.count == elements.count else {
            let what = key == "messageId" ? "ids of 32 hexadecimal digits" : "texts or whole numbers"
            issues.error(
                path,
                "must be a value or an array of 1 to \(JournalSettings.mostValues): \(what), each of 1 to "
                    + "\(JournalSettings.longestValue) bytes")
            return nil
        }
        return values
    }

    private static func text(of value: JSONValue, for key: String) -> String? {
        guard let text = value.stringValue ?? value.intValue.map(String.init),
            (1...JournalSettings.longestValue).contains(text.utf8.count)
        else { return nil }
        guard key == "messageId" else { return text }
        let digits = text.lowercased().filter { $0 != "-" }
        return digits.utf8.count == 32 && digits.allSatisfy(\.isHexDigit) ? digits : nil
    }
}

extension JournalProperty {
    /// Nil where there are none.
    fileprivate static func read(_ settings: inout ObjectReader) -> [JournalProperty]? {
        let issues = settings.issues
        guard var reader = settings.object("properties", expected: "an object of fields by the names of properties")
        else { return nil }
        let members = reader.members()
        guard members.count <= JournalSettings.mostProperties else {
            issues.error(reader.path, "must be an object of at most \(JournalSettings.mostProperties) properties")
            return nil
        }
        return members.compactMap { key, value, path in
            guard (1...Limits.propertyKeyBytes).contains(key.utf8.count) else {
                issues.error(path, "must have a name of 1 to \(Limits.propertyKeyBytes) bytes")
                return nil
            }
            guard value.objectValue != nil else {
                return fields(value, path: path, issues: issues).map { JournalProperty(key, $0) }
            }
            guard var reader = ObjectReader(value, path: path, issues: issues, manner: .settings) else { return nil }
            defer { reader.finish() }
            let kind = reader.read("as", MemberType<Kind>.word) ?? .text
            guard let field = reader.value("field", isRequired: true) else { return nil }
            return fields(field, path: reader.path("field"), issues: issues).map { JournalProperty(key, $0, kind) }
        }
    }

    private static func fields(_ value: JSONValue, path: String, issues: IssueCollector) -> [String]? {
        let elements = value.arrayValue ?? [value]
        let fields = elements.compactMap(MemberType<String>.journalField.read)
        guard (1...JournalSettings.mostFields).contains(elements.count), fields.count == elements.count else {
            issues.error(
                path, "must be \(MemberType<String>.journalField.words), or an array of those, the first one counts")
            return nil
        }
        return fields
    }
}

/// How grave an entry is, as syslog has it.
enum JournalPriority: Int, Sendable {
    case emerg, alert, crit, err, warning, notice, info, debug

    private static let words: [(String, JournalPriority)] = [
        ("emerg", .emerg), ("alert", .alert), ("crit", .crit), ("err", .err), ("warning", .warning),
        ("notice", .notice), ("info", .info), ("debug", .debug),
    ]

    static let list = words.map(\.0).joined(separator: ", ")

    init?(word: String) {
        guard let priority = JournalPriority.words.first(where: { $0.0 == word })?.1 else { return nil }
        self = priority
    }
}

extension MemberType<JournalSourceSettings.Beginning> {
    fileprivate static var beginning: MemberType {
        MemberType("\"now\", \"oldest\", or \(MemberType<Timestamp>.time.words)") { value in
            switch value.stringValue {
            case "now": .now
            case "oldest": .oldest
            default: MemberType<Timestamp>.time.read(value).map { .time($0) }
            }
        }
    }
}

extension MemberType<String> {
    /// As journald takes it.
    fileprivate static var journalField: MemberType {
        MemberType("a field of the journal such as MESSAGE") { value in
            guard let name = value.stringValue, let first = name.utf8.first, name.utf8.count <= 64,
                !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), !name.hasPrefix("__")
            else { return nil }
            let isField = name.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            return isField ? name : nil
        }
    }

    fileprivate static var eventName: MemberType {
        MemberType("an event's name of 1 to \(Limits.eventNameBytes) bytes") { value in
            value.stringValue.flatMap { (1...Limits.eventNameBytes).contains($0.utf8.count) ? $0 : nil }
        }
    }

    fileprivate static var absolutePath: MemberType {
        MemberType("a path that begins with /") { value in
            value.stringValue.flatMap { $0.hasPrefix("/") && !$0.utf8.contains(0) ? $0 : nil }
        }
    }
}
