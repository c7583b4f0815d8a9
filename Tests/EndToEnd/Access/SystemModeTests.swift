import Foundation
import HarkWire
import Testing

/// D3: the daemon of the machine. Everybody may record; everybody reads and removes only their own records.
@Suite(.endToEnd, .enabled(if: geteuid() == 0)) struct SystemModeTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let root: SocketClient
    private let ada: SocketClient
    private let bob: SocketClient
    private static let adaUID: UInt32 = 65_534
    private static let bobUID: UInt32 = 65_533
    private static let administrators: UInt32 = 4

    init() throws {
        home = try DaemonHome()
        home.options = ["--system"]
        try check("chmod") { [home] in chmod(home.files.path, 0o755) }
        daemon = try home.start()
        root = try daemon.connect()
        ada = try daemon.connect(uid: SystemModeTests.adaUID)
        bob = try daemon.connect(uid: SystemModeTests.bobUID)
    }

    /// Each user records in an app of the same name. Returns the ids of their sessions.
    private func recordAll() throws -> (ada: String, bob: String, root: String) {
        let sessions = try [("ada", ada), ("bob", bob), ("root", root)].map { name, client in
            let session = try client.call("session.start", #"{"userId":"same","metadata":{"of":"\#(name)"}}"#)
            try client.call("event.record", #"{"name":"\#(name)-1","properties":{"secret":"of \#(name)"}}"#)
            try client.call("event.record", #"{"name":"\#(name)-2"}"#)
            return try session["session"]?["id"]?.text ?? ""
        }
        return (sessions[0], sessions[1], sessions[2])
    }

    private func names(_ client: SocketClient, _ filter: String = "") throws -> Set<String> {
        Set(try client.lines(after: 0, filter).map { try EventLine($0).name })
    }

    @Test("every user has a session of its own, and reads only its own; root and its group read all")
    func reading() throws {
        #expect(try root.call("hello")["mode"] == "system")
        let sessions = try recordAll()
        for client in [root, ada, bob] { #expect(try client.call("session.current")["session"]?["endedAt"] == .null) }
        #expect(try names(ada) == ["ada-1", "ada-2"])
        #expect(try names(bob) == ["bob-1", "bob-2"])
        let all: Set = ["ada-1", "ada-2", "bob-1", "bob-2", "root-1", "root-2"]
        #expect(try names(root) == all)
        let member = try daemon.connect(uid: 60_000, groups: [SystemModeTests.administrators])
        #expect(try names(member) == all)
        #expect(try names(daemon.connect(uid: 60_000)).isEmpty)
        for filter in [#","sessionId":"\#(sessions.bob)""#, #","userId":"same","name":"bob*""#, #","name":"root-1""#] {
            #expect(try names(ada, filter).isEmpty, "\(filter)")
        }
        let asked = #"{"by":["@name","secret"],"distinct":"secret","value":"n","percentiles":[50]}"#
        for (client, events) in [(ada, 2), (bob, 2), (root, 6), (try daemon.connect(uid: 60_000), 0)] {
            let counted = try client.call("event.stats", asked)
            #expect(counted["total"]?["count"] == .int(Int64(events)))
            #expect(counted["groupCount"] == .int(Int64(events)))
        }
        let listed = try ada.call("session.list")["sessions"]?.arrayValue ?? []
        #expect(listed.map { $0["id"] } == [.string(sessions.ada)])
        #expect(listed[0]["uid"] == .int(Int64(SystemModeTests.adaUID)))
        #expect(try root.call("session.list")["sessions"]?.arrayValue?.count == 3)
        #expect(try ada.ask("session.get", #"{"sessionId":"\#(sessions.bob)"}"#).reason == "notFound")
        #expect(try root.call("session.get", #"{"sessionId":"\#(sessions.bob)"}"#)["session"] != nil)
        let source = try root.call("event.list", #"{"name":"bob-1"}"#)["events"]?[0]?["source"]
        #expect(source?["uid"] == .int(Int64(SystemModeTests.bobUID)))
    }

    @Test("in SQL, too, everybody has their own rows, in every table and every count")
    func sql() throws {
        let sessions = try recordAll()
        for client in [root, ada, bob] {
            try client.call("log.write", #"{"message":"m"}"#)
            try client.call("counter.register", #"{"name":"n"}"#)
        }
        // The folder of the programs may be closed to other users.
        let tool = home.files.path("hark")
        try FileManager.default.copyItem(atPath: Programs.hark, toPath: tool)
        func ask(_ query: String, uid: UInt32) throws -> String {
            let run = try Child.run(
                ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", tool, "sql", "--csv", query],
                environment: home.environment)
            #expect(run.ending == .exited(0), "\(run.errors)")
            return run.output.split(whereSeparator: \.isNewline).dropFirst().joined(separator: " ")
        }
        let counts =
            "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM sessions), (SELECT count(*) FROM logs), (SELECT count(*) FROM counters)"
        #expect(try ask(counts, uid: Self.adaUID) == "2,1,1,1")
        #expect(try ask(counts, uid: Self.bobUID) == "2,1,1,1")
        #expect(try ask(counts, uid: 60_000) == "0,0,0,0")
        #expect(try ask(counts, uid: 0) == "6,3,3,1")
        #expect(try ask("SELECT group_concat(name) FROM events", uid: Self.adaUID) == "\"ada-1,ada-2\"")
        for query in [
            "SELECT name FROM events WHERE session = '\(sessions.bob)'",
            "SELECT id FROM sessions WHERE id = '\(sessions.bob)'",
            "SELECT name FROM events WHERE uid <> \(Self.adaUID)", "SELECT name FROM events WHERE name GLOB 'bob*'",
            "SELECT secret FROM events WHERE secret LIKE '%bob'",
            "SELECT b.id FROM events e LEFT JOIN sessions b ON b.id = '\(sessions.bob)' WHERE b.id IS NOT NULL",
        ] {
            #expect(try ask(query, uid: Self.adaUID) == "", "\(query)")
        }
        #expect(try ask("SELECT DISTINCT uid FROM events ORDER BY uid", uid: 0) == "0 \(Self.bobUID) \(Self.adaUID)")
    }

    @Test("streams carry only a user's own, live and from the store")
    func streams() throws {
        _ = try recordAll()
        for after in ["", #","afterSeq":0"#] {
            let reader = try daemon.connect(uid: SystemModeTests.adaUID)
            try reader.call("event.subscribe", #"{"include":["events","sessions"]\#(after)}"#)
            try bob.call("session.start", #"{"userId":"bob again"}"#)
            try bob.call("event.record", #"{"name":"bob-3"}"#)
            try root.call("event.record", #"{"name":"root-3"}"#)
            try ada.call("event.record", #"{"name":"ada-3"}"#)
            var story: [String] = []
            while story.last != "ada-3" {
                let notice = try reader.notification()
                #expect(notice["params"]?["session"]?["metadata"]?["of"] ?? "ada" == "ada")
                story.append(notice["params"]?["event"]?["name"]?.stringValue ?? notice["method"]?.stringValue ?? "")
            }
            #expect(story.filter { $0.hasPrefix("bob") || $0.hasPrefix("root") }.isEmpty, "\(story)")
            #expect(after.isEmpty ? story == ["ada-3"] : story.prefix(3) == ["session.started", "ada-1", "ada-2"])
            try ada.call("event.clear", #"{"all":true}"#)
            _ = try recordAll()
        }
    }

    @Test("nobody ends, fills or takes over a session of somebody else")
    func writing() throws {
        let sessions = try recordAll()
        #expect(try ada.ask("session.end", #"{"sessionId":"\#(sessions.bob)"}"#).reason == "notFound")
        try ada.call("session.start", #"{"userId":"other"}"#)
        #expect(try bob.call("session.current")["session"]?["id"] == .string(sessions.bob))

        let line = try root.lines(after: 0, #","name":"bob-1""#)[0]
        let event = #"{"sessionId":"\#(sessions.bob)","event":\#(line)}"#
        #expect(try ada.ask("event.import", event).reason == "notFound")
        // Also when the session is in memory, as somebody has just imported into it.
        #expect(try bob.call("event.import", event)["imported"] == false)
        #expect(try ada.ask("event.import", event).reason == "notFound")
        let claim = #"{"session":{"id":"\#(sessions.bob)","startedAt":"2026-01-01T00:00:00.000Z","metadata":{}}}"#
        let refusal = try ada.ask("session.import", claim)
        #expect(refusal.reason == "conflict" && !refusal.description.contains("same"), "\(refusal)")

        // A user's import belongs to that user, in spite of its claims; root may import for others.
        let foreign =
            #"{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000abcd","uid":0,"startedAt":"2026-01-01T00:00:00.000Z"}}"#
        #expect(
            try ada.call("session.import", foreign)["session"]?["uid"] == .int(Int64(SystemModeTests.adaUID)))
        try ada.call(
            "event.import",
            #"{"sessionId":"0199e0f4-8c7a-7000-8000-00000000abcd","event":{"id":"0199e0f4-8c7a-7000-8000-00000000abce","name":"forged","timestamp":"2026-01-01T00:00:00.000Z","source":{"uid":0,"pid":1}}}"#
        )
        let source = try root.call("event.list", #"{"name":"forged"}"#)["events"]?[0]?["source"]
        #expect(source?["uid"] == .int(Int64(SystemModeTests.adaUID)))
    }

    @Test("a clear, and retention by hand, take only a user's own; root's take everything")
    func removing() throws {
        let sessions = try recordAll()
        #expect(try ada.ask("event.clear", #"{"sessionId":"\#(sessions.bob)"}"#).reason == "notFound")
        #expect(try ada.call("event.clear", #"{"userId":"same"}"#) == ["sessions": 1, "events": 2])
        #expect(try names(root) == ["bob-1", "bob-2", "root-1", "root-2"])
        try ada.call("event.record", #"{"name":"ada-3"}"#)
        #expect(try ada.call("event.clear", #"{"all":true}"#) == ["sessions": 1, "events": 1])
        #expect(try names(root) == ["bob-1", "bob-2", "root-1", "root-2"])

        for client in [ada, bob] {
            for number in 0..<4 {
                try client.call("session.start", #"{"userId":"same"}"#)
                try client.call("event.record", #"{"name":"n\#(number)"}"#)
            }
        }
        let policy = #"{"policy":{"maxSessionsPerUser":1},"dryRun":\#("true")}"#
        #expect(try ada.call("retention.apply", policy)["sessions"] == 3)
        #expect(try root.call("session.list")["sessions"]?.arrayValue?.count == 1 + 5 + 4)
        let real = policy.replacing("true", with: "false")
        #expect(try ada.call("retention.apply", real)["sessions"] == 3)
        #expect(try ada.call("session.list")["sessions"]?.arrayValue?.count == 1)
        #expect(try bob.call("session.list")["sessions"]?.arrayValue?.count == 5)
        #expect(try root.call("retention.apply", real)["sessions"] == 4)
        #expect(try root.call("event.clear", #"{"all":true}"#)["sessions"] == 3)
        #expect(try names(root).isEmpty)
    }

    @Test("only administrators reload, and one user's crowd does not keep others out")
    func administration() throws {
        let refusal = try ada.ask("daemon.reload")
        #expect(refusal.reason == "permissionDenied" && refusal.message?.contains("'adm'") == true)
        try home.configure(#"{"limits":{"connectionsPerUser":3}}"#)
        try root.call("daemon.reload")
        let more = try (0..<2).map { _ in try daemon.connect(uid: SystemModeTests.adaUID) }
        for client in more { try client.call("hello") }
        #expect(try daemon.connect(uid: SystemModeTests.adaUID).reply().reason == "tooManyConnections")
        #expect(try daemon.connect(uid: 60_000).call("hello")["mode"] == "system")
        for client in more { try client.call("hello") }
    }

    @Test("in user mode nobody else gets in, even where the file system would let them")
    func userMode() throws {
        let other = try DaemonHome()
        try check("chmod") { chmod(other.files.path, 0o755) }
        let own = try other.start()
        #expect(try own.connect(uid: SystemModeTests.adaUID).readLine() == nil)
        try check("chmod") { chmod(other.socket, 0o666) }
        let refusal = try own.connect(uid: SystemModeTests.adaUID).reply()
        #expect(refusal.reason == "permissionDenied" && refusal.message?.contains("start one of your own") == true)
    }
}
