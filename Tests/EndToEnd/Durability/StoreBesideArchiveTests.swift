import Foundation
import HarkWire
import Testing

/// A store and an archive tree, one of which is partly removed, moved or damaged.
@Suite(.endToEnd) struct StoreBesideArchiveTests {
    private let home: DaemonHome
    private var archive: String { home.state + "/archive" }

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
    }

    private func record(_ client: SocketClient, user: String = "ada", from first: Int, count: Int) throws {
        for number in first..<first + count {
            try client.call("event.record", #"{"name":"e\#(number)","app":"\#(user)","userId":"\#(user)"}"#)
        }
    }

    private func names(_ client: SocketClient) throws -> [String] { try client.lines().map { try EventLine($0).name } }

    private func archivedNames() throws -> [String] {
        try ArchiveFiles(archive).lines.map { try EventLine($0).name }.sorted()
    }

    private func events(of user: String) throws -> String {
        let folder = try #require(
            try ArchiveFiles(archive).sessions.values.first { $0.description["userId"]?.stringValue == user }?.folder)
        return folder + "/events.jsonl"
    }

    private func problem(_ client: SocketClient) throws -> String {
        try client.call("daemon.status")["problems"]?.arrayValue?.first { $0["about"] == "archive" }?["message"]?
            .stringValue ?? ""
    }

    private func removeStore() throws {
        for end in ["", "-wal", "-shm"] where access(home.state + "/hark.db" + end, F_OK) == 0 {
            try check("unlink") { unlink(home.state + "/hark.db" + end) }
        }
    }

    // MARK: While it runs

    @Test("what goes into a state folder that is gone is refused, told, and recorded again once it is back")
    func folderMoved() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try record(client, from: 0, count: 3)
        try check("rename") { rename(home.state, home.state + ".away") }
        let refusal = try client.ask("event.record", #"{"name":"lost"}"#)
        #expect(refusal.reason == "storeUnavailable", "\(refusal)")
        #expect(
            refusal.message?.contains("hark.db is not the file") == true && refusal.message?.contains("back") == true)
        let status = try home.hark("status")
        #expect(status.output.contains("degraded") && status.output.contains("is not the file"), "\(status)")
        #expect(try home.hark("doctor").output.contains("is not the file"))
        #expect(try daemon.errors.contains("cannot store: \(home.state)/hark.db is not the file"))
        #expect(try names(client) == ["e0", "e1", "e2"])
        #expect(access(home.state, F_OK) != 0, "nothing is put in its place")
        try check("rename") { rename(home.state + ".away", home.state) }
        try waitUntil("it goes on") { try client.call("daemon.status")["state"] == "running" }
        try record(client, from: 3, count: 3)
        daemon.kill()
        #expect(try names(home.start().connect()) == (0..<6).map { "e\($0)" })
    }

    @Test("what goes into a file that was replaced is refused, and the next daemon takes the new one")
    func fileReplaced() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try record(client, from: 0, count: 3)
        try home.files.write("", to: "other")
        try check("rename") { rename(home.files.path("other"), home.state + "/hark.db") }
        #expect(try client.ask("event.record", #"{"name":"lost"}"#).reason == "storeUnavailable")
        daemon.kill()
        try removeStore()
        #expect(try names(home.start().connect()) == [])
    }

    @Test(
        "a write-ahead log that is removed is written again, and nothing acknowledged is lost",
        arguments: [false, true])
    func logRemoved(_ isReplaced: Bool) throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try record(client, from: 0, count: 3)
        let log = home.state + "/hark.db-wal"
        try check("unlink") { unlink(log) }
        if isReplaced { try Data("nonsense".utf8).write(to: URL(fileURLWithPath: log)) }
        try record(client, from: 3, count: 3)
        #expect(try daemon.errors.contains("hark.db-wal was removed or replaced"))
        daemon.kill()
        #expect(try names(home.start().connect()) == (0..<6).map { "e\($0)" })
    }

    @Test(
        "a store or a log that is cut short under the daemon takes no records that would be lost",
        arguments: ["", "-wal"])
    func cutShort(_ end: String) throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try record(client, from: 0, count: 3)
        try check("truncate") { truncate(home.state + "/hark.db" + end, 0) }
        let refusal = try client.ask("event.record", #"{"name":"lost"}"#)
        // The first reader may be the one that notices.
        #expect(refusal.reason == "storeUnavailable", "\(refusal)")
        daemon.kill()
    }

    @Test(
        "what is removed, cut or damaged in the archive is written again from the store",
        arguments: ["file", "half a line", "cut", "session", "all"], [false, true])
    func archiveDamaged(_ what: String, _ isRunning: Bool) throws {
        var daemon = try home.start()
        var client = try daemon.connect()
        for user in ["ada", "bob"] { try record(client, user: user, from: 0, count: 5) }
        try client.waitForArchive()
        let path = try events(of: "ada")
        if !isRunning { _ = try daemon.stop() }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        switch what {
        case "file": try check("unlink") { unlink(path) }
        case "half a line": try (bytes + Data("{\"id\":\"".utf8)).write(to: URL(fileURLWithPath: path))
        case "cut": try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
        case "session":
            try FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
        default: try FileManager.default.removeItem(atPath: archive)
        }
        if isRunning {
            try record(client, from: 5, count: 1)
        } else {
            daemon = try home.start()
            client = try daemon.connect()
        }
        let expected = try client.lines().sorted()
        try waitUntil("all is there again") { (try? ArchiveFiles(archive).lines.sorted()) == expected }
    }

    // MARK: At the start

    @Test(
        "a store that is gone beside a whole archive is told, its numbers are not used again, and an import brings all back"
    )
    func storeGone() throws {
        let daemon = try home.start()
        try record(daemon.connect(), from: 0, count: 5)
        try daemon.connect().waitForArchive()
        let last = try daemon.connect().call("daemon.status")["store"]?["lastSeq"]?.intValue ?? 0
        _ = try daemon.stop()
        try removeStore()
        let next = try home.start()
        let client = try next.connect()
        try waitUntil("it is told") { try problem(client).contains("1 session and 5 events") }
        #expect(try problem(client).contains("hark repair"))
        #expect(try next.errors.contains("5 events that are not in the store"))
        #expect(try home.hark("status").output.contains("not in the store"))
        let doctor = try home.hark("doctor")
        #expect(doctor.output.contains("hark repair") && doctor.ending != .exited(0), "\(doctor)")
        let answer = try client.call("event.record", #"{"name":"new","userId":"cyd"}"#)
        #expect(answer["seq"]?.intValue ?? 0 > last)
        let imported = try home.hark("import", archive)
        #expect(imported.ending == .exited(0), "\(imported)")
        #expect(Set(try names(client)) == ["new", "e0", "e1", "e2", "e3", "e4"])
        try client.waitForArchive()
        #expect(try problem(client) == "")
        #expect(try archivedNames() == ["e0", "e1", "e2", "e3", "e4", "new"])
        _ = try next.stop()
        let third = try home.start().connect()
        try third.waitForArchive()
        #expect(try problem(third) == "")
        #expect(try archivedNames() == ["e0", "e1", "e2", "e3", "e4", "new"])
    }

    @Test("what only the archive knows goes with a clear, and is counted", arguments: ["ada", "all"])
    func clears(_ what: String) throws {
        let daemon = try home.start()
        for user in ["ada", "bob"] { try record(daemon.connect(), user: user, from: 0, count: 4) }
        try daemon.connect().waitForArchive()
        _ = try daemon.stop()
        try removeStore()
        let client = try home.start().connect()
        try record(client, from: 4, count: 1)
        try client.waitForArchive()
        let target = what == "all" ? #"{"all":true}"# : #"{"userId":"ada"}"#
        let reply = try client.call("event.clear", target)
        let isAll = what == "all"
        #expect(reply["sessions"]?.intValue == (isAll ? 3 : 2), "\(reply)")
        #expect(reply["events"]?.intValue == (isAll ? 9 : 5), "\(reply)")
        #expect(try ArchiveFiles(archive).lines.count == (isAll ? 0 : 4))
    }

    @Test("a store that was set back writes its new records into the tree, beside those it has lost, which are told")
    func setBack() throws {
        let copy = home.files.path("copy.db")
        var daemon = try home.start()
        try record(daemon.connect(), from: 0, count: 3)
        _ = try daemon.stop()
        try FileManager.default.copyItem(atPath: home.state + "/hark.db", toPath: copy)
        daemon = try home.start()
        try record(daemon.connect(), from: 3, count: 4)
        try daemon.connect().waitForArchive()
        _ = try daemon.stop()
        try removeStore()
        try FileManager.default.copyItem(atPath: copy, toPath: home.state + "/hark.db")
        daemon = try home.start()
        let client = try daemon.connect()
        try record(client, from: 7, count: 2)
        try client.waitForArchive()
        #expect(try archivedNames() == (0..<9).map { "e\($0)" })
        try waitUntil("it is told") { try problem(client).contains("4 events") }
        #expect(Set(try ArchiveFiles(archive).lines.map { try EventLine($0).sequence }).count == 9)
    }
}
