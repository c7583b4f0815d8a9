import HarkCore
import HarkSettings
import HarkSystem
import HarkWire

/// `journal` of the settings: the entries of systemd's journal to record.
struct JournalSettings: SettingsSection {
    var sources: [JournalSourceSettings] = []

    /// Each reads by itself, with the files open.
    static let mostSources = 16
    static let mostMatches = 16
    static let mostFields = 16
    static let mostValues = 64
    static let mostProperties = 32
    /// Of a value that is matched, in bytes.
    static let longestValue = 1_024

    func write(to json: inout JSONWriter) {
        json.key("journal")
        json.beginArray()
        for source in sources { json.value(source.document) }
        json.endArray()
    }
}

/// Which entries of the journal are taken, and what becomes of them.
struct JournalSourceSettings: Sendable, Equatable {
    /// The kind of record for an entry.
    enum Content: Sendable, Equatable {
        case event(String)
        case log
    }

    /// Where a source begins that has read nothing yet.
    enum Beginning: Sendable, Equatable {
        case now, oldest
        case time(Timestamp)
    }

    /// Sources that need no more than their name.
    enum Preset: String, Sendable, CaseIterable {
        /// Units that have failed, as the service manager reports them.
        case failedUnits = "failed-units"
    }

    /// Under which the store remembers how far it was read.
    var name = ""
    var preset: Preset?
    /// An entry passes one of them; none: of a preset.
    var matches: [JournalMatch] = []
    var content = Content.log
    /// Nil: those that such entries mostly have.
    var properties: [JournalProperty]?
    var app = Scope.defaultApp
    var beginning = Beginning.now
    /// Nil: the machine's of a system's daemon, and of a user's the account's own.
    var files: JournalFiles?

    /// As it was configured.
    var document: JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(name))]
        if let preset { members.append(("preset", .string(preset.rawValue))) }
        if !matches.isEmpty { members.append(("match", .array(matches.map { .object($0.document) }))) }
        switch content {
        case .event(let event): members.append(("event", .string(event)))
        case .log: members.append(("log", .bool(true)))
        }
        if let properties {
            members.append(("properties", .object(JSONObject(properties.map { ($0.key, $0.document) }))))
        }
        members.append(("app", .string(app)))
        switch beginning {
        case .now: members.append(("since", .string("now")))
        case .oldest: members.append(("since", .string("oldest")))
        case .time(let time): members.append(("since", .string(time.description)))
        }
        switch files {
        case .system?: members.append(("files", .string("system")))
        case .user?: members.append(("files", .string("user")))
        case .folder(let path)?: members.append(("folder", .string(path)))
        case nil: break
        }
        return .object(JSONObject(members))
    }

    func files(isSystem: Bool, uid: UInt32) -> JournalFiles {
        if let files, files != .user || uid >= JournalFiles.firstAccountWithOwn { return files }
        return isSystem || uid < JournalFiles.firstAccountWithOwn ? .system : .user
    }

    /// Ways for an entry to be taken: all conditions of one of them hold.
    func alternatives(in files: JournalFiles) -> [[JournalCondition]] {
        guard preset == .failedUnits else { return matches.flatMap(\.alternatives) }
        let failed = JournalCondition("MESSAGE_ID", ["d9b373ed55a64feb8242e02dbe79a49c"])
        // Anybody can write a message with that id, so the writer counts.
        let ofMachine = [failed, JournalCondition("_PID", ["1"])]
        let ofUser = [failed, JournalCondition("_SYSTEMD_USER_UNIT", ["init.scope"])]
        switch files {
        case .system: return [ofMachine]
        case .user: return [ofUser]
        case .folder: return [ofMachine, ofUser]
        }
    }

    /// The content of an entry's record.
    var taken: [JournalProperty] {
        if let properties { return properties }
        if preset == .failedUnits {
            return [
                JournalProperty("unit", ["UNIT", "USER_UNIT"]), JournalProperty("result", ["UNIT_RESULT"]),
            ]
        }
        let origin = [
            JournalProperty("unit", ["_SYSTEMD_UNIT", "_SYSTEMD_USER_UNIT"]),
            JournalProperty("identifier", ["SYSLOG_IDENTIFIER"]), JournalProperty("pid", ["_PID"], .integer),
        ]
        if content == .log { return origin }
        return [JournalProperty("message", ["MESSAGE"]), JournalProperty("priority", ["PRIORITY"], .integer)] + origin
    }
}

/// The conditions of one object of `match`.
struct JournalMatch: Sendable, Equatable {
    /// As it was configured.
    var document: JSONObject
    var alternatives: [[JournalCondition]]
}

/// A field has one of some values.
struct JournalCondition: Sendable, Equatable {
    let field: [UInt8]
    let values: [[UInt8]]

    init(_ field: String, _ values: [String]) {
        self.field = Array(field.utf8)
        self.values = values.map { Array($0.utf8) }
    }

    func holds(for entry: JournalEntry) -> Bool {
        entry.values(of: field).contains { value in values.contains { $0.elementsEqual(value) } }
    }

    /// The journal gets one of several conditions that must all hold, because it would search for all of them in one
    /// go, for any length of time. The lowest rank is the condition that fewest entries meet.
    var rank: Int {
        switch String(decoding: field, as: UTF8.self) {
        case "MESSAGE_ID": 0
        case "UNIT", "USER_UNIT", "_SYSTEMD_UNIT": 1
        case "SYSLOG_IDENTIFIER", "_COMM", "_EXE": 2
        case "_PID", "PRIORITY", "_UID", "_GID", "_TRANSPORT", "_HOSTNAME", "_BOOT_ID", "_MACHINE_ID": 4
        default: 3
        }
    }

    /// The matches for the journal.
    var assignments: [[UInt8]] { values.map { field + [UInt8(ascii: "=")] + $0 } }
}

/// A property of the record, and where it is from.
struct JournalProperty: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        case text, integer, number, bool
    }

    let key: String
    /// The first that an entry has counts.
    let fields: [String]
    let kind: Kind

    init(_ key: String, _ fields: [String], _ kind: Kind = .text) {
        self.key = key
        self.fields = fields
        self.kind = kind
    }

    var document: JSONValue {
        let field = fields.count == 1 ? JSONValue.string(fields[0]) : .array(fields.map { .string($0) })
        guard kind != .text else { return field }
        return .object(JSONObject([("field", field), ("as", .string(kind.rawValue))]))
    }
}
