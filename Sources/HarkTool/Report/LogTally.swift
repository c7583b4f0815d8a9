import HarkClient
import HarkWire

/// The number of log entries of each level.
struct LogTally {
    struct Level {
        var count = 0
        /// When the newest entry is of, as the daemon writes it.
        var latest = ""
    }

    private(set) var levels: [String: Level] = [:]
    private(set) var total = 0
    /// Whether there are more entries than were counted.
    private(set) var isCut = false

    /// The maximum number of entries to count, newest first.
    private static let most: Int64 = 20_000

    init() {}

    init(
        _ scope: RecordScope, _ app: String?, _ machines: MachineScope, _ since: Timestamp?, _ until: Timestamp?,
        _ connection: inout Connection
    ) throws {
        var query = EventQuery(kind: .logs)
        (query.scope, query.app, query.machines) = (scope, app, machines)
        (query.since, query.until) = (since, until)
        let entries = try query.newest(Self.most + 1, &connection)
        isCut = entries.count > Int(Self.most)
        for entry in entries.suffix(Int(Self.most)) { add(LogEntryInfo(JSONText(entry))) }
    }

    /// Counts an entry that is newer than those before.
    mutating func add(_ entry: LogEntryInfo) {
        levels[entry.level, default: Level()].count += 1
        levels[entry.level]?.latest = entry.timestamp.description
        total += 1
    }
}
