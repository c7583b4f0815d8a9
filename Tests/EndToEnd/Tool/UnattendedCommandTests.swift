import Foundation
import HarkWire
import Testing

/// What jobs record while somebody has a session, and sessions that nobody ends.
@Suite(.endToEnd) struct UnattendedCommandTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
    }

    private func users(_ arguments: String...) throws -> [String] {
        try home.hark(["events", "--json"] + arguments).lines.map { line in
            try SocketClient.parse(Array(line.utf8))["userId"]?.stringValue ?? "-"
        }
    }

    @Test("what hark run, --unattended and HARK_UNATTENDED record stays when the person is cleared who has a session")
    func clear() throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        try home.hark("session", "start", "--user", "cleo")
        #expect(try home.hark("run", "--name", "backup", "--", "true").ending == .exited(0))
        try home.hark("record", "unit_failed", "--unattended")
        try home.hark(["record", "--stdin", "--bare", "--unattended"], input: "disk\nmemory\n")
        var environment = home.environment
        environment["HARK_UNATTENDED"] = "1"
        for words in [["record", "cron"], ["record", "tap", "--user", "cleo"], ["log", "said"]] {
            #expect(try Child.run([Programs.hark] + words, environment: environment).ending == .exited(0))
        }
        try home.hark("record", "tap")
        #expect(try users("--name", "tap") == ["cleo", "cleo"])
        let jobs = ["run.started", "backup", "unit_failed", "disk", "memory", "cron"]
        for job in jobs { #expect(try users("--name", job) == ["-"], "\(job)") }

        let cleared = try home.hark("clear", "--user", "cleo", "--yes")
        #expect(cleared.output.contains("removed 2 events"))
        #expect(try users() == Array(repeating: "-", count: jobs.count))
        #expect(try home.hark("logs").output.contains("said"))
        let both = try home.hark("record", "x", "--unattended", "--user", "cleo")
        #expect(both.ending == .exited(64) && both.errors.contains("contradict"))
    }

    @Test("a session ends by itself, after a kill as well, and what comes then is nobody's")
    func idle() throws {
        try home.configure(#"{"sessions":{"idleSeconds":1}}"#)
        var daemon = try home.start()
        defer { daemon.kill() }
        try home.hark("session", "start", "--user", "cleo")
        daemon.kill()
        daemon = try home.start()
        try waitUntil("the session has ended") { try home.hark("session", "list", "--open").output.isEmpty }
        try home.hark("record", "late")
        #expect(try users("--name", "late") == ["-"])
    }
}
