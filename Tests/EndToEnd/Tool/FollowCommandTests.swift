import HarkWire
import Testing

/// Commands that follow what comes, before a reader that has had enough.
@Suite(.endToEnd) struct FollowCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
        _ = try home.hark("record", "tap", "--quiet")
        _ = try home.hark("log", "a line")
    }

    private func ending(_ pipe: String) throws -> String {
        try home.shell("timeout 20 bash -c '\(pipe); echo ${PIPESTATUS[0]}'").output
    }

    @Test(
        "a command that follows ends with its reader, and not with what comes next",
        arguments: [
            "events --follow | head -1 >/dev/null", "logs --follow | head -1 >/dev/null",
            "events --follow --name nothing | true", "network --follow | head -1 >/dev/null", "execution follow | true",
        ])
    func readerGone(words: String) throws {
        #expect(try ending("$hark \(words)") == "141\n")
    }

    @Test("it does so where SIGPIPE is ignored, and while the daemon is away")
    func readerGoneOtherwise() throws {
        #expect(try ending("trap \"\" PIPE; $hark events --follow | head -1 >/dev/null") == "141\n")
        let away = "read line; kill -9 \(daemon.child.id); read line"
        #expect(try ending("$hark events --follow 2>&1 | { \(away); }") == "141\n")
    }

    @Test("a session starts and ends without a word, and so does a line of log")
    func quiet() throws {
        let start = try home.hark("session", "start", "--quiet", "--user", "ada")
        let log = try home.hark("log", "--quiet", "a line")
        let end = try home.hark("session", "end", "--quiet")
        for run in [start, log, end] { #expect(run.ending == .exited(0) && run.output.isEmpty && run.errors.isEmpty) }
        #expect(try home.hark("session", "list", "--user", "ada", "--json").output.contains("endedAt"))
    }
}
