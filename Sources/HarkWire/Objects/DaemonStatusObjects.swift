/// The result of `daemon.status`.
package struct DaemonStatusInfo: WireObject {
    package var version: String?
    package var pid: Int64?
    package var mode: String?
    package var uptimeSeconds: Int64?
    package var state: String?
    package var degradedReason: String?
    package var store: StoreStatus?
    package var removedByRule: [RemovedByRule]?
    package var rates: RecordRates?
    package var commit: CommitStatus?
    package var clients: ClientStatus?
    package var destinations: [DestinationInfo]?
    package var journal: [JournalStatus]?
    package var timers: [TimerStatus]?
    package var memoryBytes: Int64?
    package var believedTime: Timestamp?
    package var problems: [DaemonProblem]?
    package var text: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("version", &version, "the daemon's")
        m("pid", &pid, .whole, "the daemon's")
        m("mode", &mode, .oneOf(DaemonMode.allCases.map(\.rawValue)), "`user` or `system`")
        m("uptimeSeconds", &uptimeSeconds, .count, "since the start")
        m(
            "state", &state, .oneOf(DaemonState.allCases.map(\.rawValue)),
            "`running`, or `degraded` while it cannot store")
        m("degradedReason", &degradedReason, "the reason, and what to do; only while `degraded`")
        m(
            "store", &store,
            """
            `path`, `bytes`, `walBytes` (log not yet in the file), `freeBytes` on its disk, `events`, \
            `sessions`, `lastSeq`, `unreadable` (rows, pages and tables that were found damaged and are passed over), \
            `lostRecords` (how many records that is at most)
            """)
        m(
            "removedByRule", &removedByRule,
            """
            what retention has removed since this store was made, by `rule` (`age`, `count`, `size`): `sessions`, `events`, \
            `showings`, and free `texts` that were replaced by a mark
            """)
        m("rates", &rates, "`eventsPerSecond1m`, `eventsPerSecond5m`: records committed")
        m(
            "commit", &commit,
            """
            `count`, `p50Microseconds`, `p99Microseconds`, `lastBatch`; times are null before the first
            """)
        m("clients", &clients, "`connections`, `subscriptions`, `refused`, `dropped`, `slowReaders`")
        m("destinations", &destinations, "as in `delivery.status`")
        m(
            "journal", &journal,
            """
            how far each journal source of the settings has read systemd's journal: `name`; `state` (`waiting` for entries, \
            `reading`, or `failed`); `upTo`, the time up to which everything is recorded; and since the start, `taken` (recorded \
            entries), `refused` (entries that cannot be recorded) and `gaps` (how often entries were gone before they were read)
            """)
        m("timers", &timers, "`name` and `dueAt` of the daemon's own next tasks")
        m("memoryBytes", orNull: &memoryBytes, .count, leftOut: store == nil, "resident memory")
        m(
            "believedTime", &believedTime,
            """
            the time that ages are computed with, only while the machine's clock has jumped ahead and is not trusted yet
            """)
        m(
            "problems", &problems,
            """
            `about` (`surveys`, `forms`, `flags`, `notify`) and `message` of each present problem
            """)
        m("text", &text, "with `openmetrics`: the whole text, in place of all other members")
    }
}

/// The store of the daemon.
package struct StoreStatus: WireObject {
    package var path = ""
    package var bytes: Int64 = 0
    package var walBytes: Int64 = 0
    package var freeBytes: Int64?
    package var events: Int64 = 0
    package var sessions: Int64 = 0
    package var lastSeq: Int64 = 0
    package var unreadable: Int64 = 0
    package var lostRecords: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("path", &path)
        m("bytes", &bytes, .count)
        m("walBytes", &walBytes, .count)
        m("freeBytes", orNull: &freeBytes, .count)
        m("events", &events, .count)
        m("sessions", &sessions, .count)
        m("lastSeq", &lastSeq, .count)
        m("unreadable", &unreadable, .count)
        m("lostRecords", &lostRecords, .count)
    }
}

/// How many records were committed in a second.
package struct RecordRates: WireObject {
    package var eventsPerSecond1m = 0.0
    package var eventsPerSecond5m = 0.0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("eventsPerSecond1m", &eventsPerSecond1m, .real)
        m("eventsPerSecond5m", &eventsPerSecond5m, .real)
    }
}

/// The commits since the start.
package struct CommitStatus: WireObject {
    package var count: Int64 = 0
    package var p50Microseconds: Int64?
    package var p99Microseconds: Int64?
    package var lastBatch: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("count", &count, .count)
        m("p50Microseconds", orNull: &p50Microseconds, .count)
        m("p99Microseconds", orNull: &p99Microseconds, .count)
        m("lastBatch", &lastBatch, .count)
    }
}

/// The clients of the daemon.
package struct ClientStatus: WireObject {
    package var connections: Int64 = 0
    package var subscriptions: Int64 = 0
    package var refused: Int64 = 0
    package var dropped: Int64 = 0
    package var slowReaders: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("connections", &connections, .count)
        m("subscriptions", &subscriptions, .count)
        m("refused", &refused, .count)
        m("dropped", &dropped, .count)
        m("slowReaders", &slowReaders, .count)
    }
}

/// Something that the daemon will do by itself.
package struct TimerStatus: WireObject {
    package var name = ""
    package var dueAt = Timestamp.earliest

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("dueAt", &dueAt)
    }
}

/// A source of the journal.
package struct JournalStatus: WireObject {
    package var name = ""
    package var state = ""
    package var upTo: Timestamp?
    package var taken: Int64 = 0
    package var refused: Int64 = 0
    package var gaps: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("state", &state, .oneOf(JournalState.allCases.map(\.rawValue)))
        m("upTo", orNull: &upTo)
        m("taken", &taken, .count)
        m("refused", &refused, .count)
        m("gaps", &gaps, .count)
    }
}

/// What a rule of retention has removed.
package struct RemovedByRule: WireObject {
    package var rule = ""
    package var sessions: Int64 = 0
    package var events: Int64 = 0
    package var showings: Int64 = 0
    package var texts: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("rule", &rule, .oneOf(RetentionRule.allCases.map(\.rawValue)))
        m("sessions", &sessions, .count)
        m("events", &events, .count)
        m("showings", &showings, .count)
        m("texts", &texts, .count)
    }
}

/// Something that does not work as it is meant to.
package struct DaemonProblem: WireObject {
    package var about = ""
    package var message = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("about", &about)
        m("message", &message)
    }
}

extension DaemonStatusInfo {
    /// Whether it is the machine's daemon, and no user's.
    package var isOfMachine: Bool { mode == DaemonMode.system.rawValue }
}
