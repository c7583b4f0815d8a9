/// The result of `hello`.
package struct Greeting: WireObject {
    package var name = ""
    package var version = ""
    package var versions = Versions()
    package var capabilities: [String] = []
    package var features: [String] = []
    package var mode = ""
    package var pid: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name, "`harkd`")
        m("version", &version, "the daemon's")
        m("protocol", &versions, "`min` and `max` of the protocol versions spoken")
        m("capabilities", &capabilities, "the names of the methods")
        m("features", &features, "further abilities: `producer`, see [Sending again](#sending-again)")
        m(
            "mode", &mode, .oneOf(DaemonMode.allCases.map(\.rawValue)),
            "`user`, or `system` when it serves the whole machine")
        m("pid", &pid, .whole, "the daemon's")
    }

    package struct Versions: WireObject {
        package var min: Int64 = 0
        package var max: Int64 = 0

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("min", &min, .count)
            m("max", &max, .count)
        }
    }
}

/// The result of `daemon.repair`.
package struct RepairReport: WireObject {
    package var restarts = false
    package var removed: Int64 = 0
    package var restoredSessions: Int64 = 0
    package var restoredEvents: Int64 = 0
    package var notRestored: Int64 = 0
    package var isPartial = false
    package var gone: [LostSpan] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "restarts", &restarts,
            """
            whether the daemon restarts now to rebuild the store; call this again for the rest
            """)
        m("removed", &removed, .count, "how many unreadable rows were removed")
        m("restoredSessions", &restoredSessions, .count, "how many sessions were restored from the archive tree")
        m("restoredEvents", &restoredEvents, .count, "how many events were restored")
        m(
            "notRestored", &notRestored, .count,
            """
            how many lines of the tree could not be restored: damaged lines, lines of other machines, and lines whose number \
            another record has (`hark import` gives these new numbers)
            """)
        m("isPartial", &isPartial, "whether the tree could not be read to its end; the log says why")
        m(
            "gone", &gone,
            """
            what is lost for good: how many `records` at most, with numbers from `firstSeq` to `lastSeq`, and times from \
            `earliest` to `latest` if they are known
            """)
    }
}

/// Records that are lost for good.
package struct LostSpan: WireObject {
    package var records: Int64 = 0
    package var firstSeq: Int64 = 0
    package var lastSeq: Int64 = 0
    package var earliest: Timestamp?
    package var latest: Timestamp?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("records", &records, .count)
        m("firstSeq", &firstSeq, .count)
        m("lastSeq", &lastSeq, .count)
        m("earliest", &earliest)
        m("latest", &latest)
    }
}

/// The result of `config.reload` and `daemon.reload`.
package struct ReloadResult: WireObject {
    package var reloaded = false
    package var problems: [IssueInfo] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("reloaded", &reloaded, "true")
        m(
            "problems", &problems,
            "warnings about parts of the file without effect: each with `path`, `message`, `line` and `column`")
    }
}

/// The result of `config.get`.
package struct SettingsResult: WireObject {
    package var config = AnyJSON(.null)
    package var file: String?
    package var problems: [IssueInfo] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "config", &config, .objectValue,
            "every setting, with the defaults filled in; `debug` as `debug.set` has left it")
        m("file", orNull: &file, "the file it was read from; null if there is none")
        m(
            "problems", &problems,
            "warnings about parts of the file without effect: each with `path`, `message`, `line` and `column`")
    }
}

/// The result of `config.validate`.
package struct DocumentCheck: WireObject {
    package var valid = false
    package var errors: [IssueInfo] = []
    package var problems: [IssueInfo] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("valid", &valid, "whether the daemon would take it")
        m("errors", &errors, "each with `path`, `message`, `line` and `column`")
        m("problems", &problems, "warnings about parts without effect, with the same members")
    }
}

/// The result of `retention.apply`.
package struct RetentionResult: WireObject {
    package var sessions: Int64 = 0
    package var events: Int64 = 0
    package var showings: Int64 = 0
    package var texts: Int64 = 0
    package var policy = AnyJSON(.null)
    package var believedTime: Timestamp?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("sessions", &sessions, .count, "how many sessions were removed")
        m("events", &events, .count, "how many events were removed")
        m(
            "showings", &showings, .count,
            "how many closed showings of surveys and prompts were removed, with their answers")
        m(
            "texts", &texts, .count,
            """
            how many free texts of answers were replaced by a mark (`redactTextAfterSeconds` of surveys)
            """)
        m("policy", &policy, .shaped(RetentionNumbers.shape), "the numbers that were applied")
        m(
            "believedTime", &believedTime,
            """
            the time that ages are computed with, only while the machine's clock has jumped ahead and is not trusted yet
            """)
    }
}

/// How long, and how much, is kept.
package struct RetentionNumbers: WireObject {
    package var maxAgeDays: Double?
    package var maxSessionsPerUser: Int64?
    package var maxStoreBytes: Int64?
    package var answers = Answers()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("maxAgeDays", orNull: &maxAgeDays)
        m("maxSessionsPerUser", orNull: &maxSessionsPerUser, .count)
        m("maxStoreBytes", orNull: &maxStoreBytes, .count)
        m("answers", &answers)
    }

    package struct Answers: WireObject {
        package var maxAgeDays: Double?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("maxAgeDays", orNull: &maxAgeDays)
        }
    }
}

/// What `harkd --check --json` prints: the problems of files of settings.
package struct FileReport: WireObject {
    package var valid = false
    package var errors: [FileIssue] = []
    package var problems: [FileIssue] = []
    package var keyFiles: [String] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("valid", &valid)
        m("errors", &errors)
        m("problems", &problems)
        m("keyFiles", &keyFiles, "the files of keys that the settings name")
    }
}

/// An error or a warning about a file.
package struct FileIssue: WireObject {
    package var file = ""
    package var issue = IssueInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("file", &file)
        issue.map(&m)
    }
}

/// What the settings of a database say of its tables.
package struct DatabaseSettings: WireObject {
    package var name = ""
    package var kind = ""
    package var partitionBy: String?
    package var followRemovals: Bool?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("kind", &kind)
        m("partitionBy", &partitionBy)
        m("followRemovals", &followRemovals)
    }
}

/// The destinations of the settings.
package struct DestinationList: WireObject {
    package var destinations: [DatabaseSettings]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("destinations", &destinations)
    }
}
