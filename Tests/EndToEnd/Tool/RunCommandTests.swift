import Foundation
import HarkWire
import Testing

/// `hark run`: the program as it would be without, and an event of how it went.
@Suite(.endToEnd) struct RunCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    private func events() throws -> [JSONValue] {
        try home.hark("events", "--json").lines.map { try SocketClient.parse(Array($0.utf8)) }
    }

    /// How it went; before that it was told that it had begun, if it had.
    private func event() throws -> JSONValue {
        let events = try events()
        let ends = events.filter { $0["name"] != "run.started" }
        #expect(ends.count == 1 && events.count <= 2 && events.last == ends.last)
        return try #require(ends.last)
    }

    @Test("a program has its input, output, errors and exit code as without, and what it took is recorded")
    func passed() throws {
        let run = try home.hark(
            [
                "run", "--name", "backup", "host=nas", "tries:=2", "--", "sh", "-c",
                "cat; echo first >&2; echo 'no space' >&2; exit 3",
            ], input: "in\n")
        #expect(run.ending == .exited(3))
        #expect(run.output == "in\n")
        #expect(run.errors == "first\nno space\n")
        let event = try event()
        #expect(event["name"] == "backup")
        let properties = try #require(event["properties"])
        #expect(properties["program"] == "sh" && properties["host"] == "nas" && properties["tries"] == 2)
        #expect(properties["ok"] == false && properties["exitCode"] == 3 && properties["signal"] == nil)
        #expect(properties["errors"] == "first\nno space")
        #expect(properties["peakMemoryBytes"]?.intValue ?? 0 > 100_000)
        #expect(properties["startedAt"]?.stringValue ?? "" < event["timestamp"]?.stringValue ?? "")
        // Nothing it was given is kept.
        #expect(!event.description.contains("no space' >&2"))
    }

    @Test(
        "how a program ends is told as a shell tells it",
        arguments: [
            (["true"], 0, "exitCode", JSONValue.int(0)), (["sh", "-c", "kill -SEGV $$"], 139, "signal", "SEGV"),
            (["sh", "-c", "kill -KILL $$"], 137, "signal", "KILL"), (["/nowhere/program"], 127, "exitCode", 127),
            (["/etc/passwd"], 126, "problem", "Permission denied"),
        ])
    func endings(words: [String], code: Int32, member: String, expected: JSONValue) throws {
        let run = try home.hark(["run", "--"] + words)
        #expect(run.ending == .exited(code))
        let event = try event()
        #expect(event["properties"]?[member] == expected)
        #expect(event["name"]?.stringValue == words[0].split(separator: "/").last.map(String.init))
        #expect(event["properties"]?["ok"] == .bool(code == 0))
    }

    @Test("of many errors the last whole lines are recorded, and all are passed on")
    func tail() throws {
        let run = try home.hark("run", "--errors", "100", "--", "sh", "-c", "seq 1 200000 >&2")
        #expect(run.errors == (1...200_000).map { "\($0)\n" }.joined())
        let errors = try #require(event()["properties"]?["errors"]?.stringValue)
        let last: [String] = (199_987...200_000).map { "\($0)" }
        #expect(errors == last.joined(separator: "\n"))
    }

    @Test("with --errors 0 the program has standard error for itself")
    func untouched() throws {
        let run = try home.shell("$hark run --errors 0 -- sh -c 'readlink /proc/self/fd/2 >&2' 2>/dev/null; echo $?")
        #expect(run.output == "0\n")
        let own = try home.shell("$hark run --errors 0 -- readlink /proc/self/fd/2 2>/dev/null")
        #expect(own.output == "/dev/null\n")
        #expect(try home.shell("$hark run -- readlink /proc/self/fd/2 2>/dev/null").output.hasPrefix("pipe:"))
    }

    @Test("arguments are passed on byte by byte, be they text or not")
    func bytes() throws {
        let run = try home.shell(#"$hark run -- printf '%s' $'\xff\x01 --name' | od -An -tx1"#)
        #expect(run.output == " ff 01 20 2d 2d 6e 61 6d 65\n")
    }

    @Test(
        "a signal that somebody sends to hark reaches the program, which decides",
        arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1])
    func signals(number: CInt) throws {
        let name = ["", "HUP", "INT", "", "", "", "", "", "", "", "USR1", "", "", "", "", "TERM"][Int(number)]
        let tool = try RunningTool(
            home, "run", "--", "sh", "-c", "trap 'echo got; exit 9' \(name); echo ready; while :; do sleep 0.01; done")
        try waitUntil("it runs") { try tool.output.contains("ready") }
        tool.child.signal(number)
        #expect(try tool.child.wait() == .exited(9))
        #expect(try tool.output == "ready\ngot\n")
        #expect(try event()["properties"]?["exitCode"] == 9)
    }

    @Test("Ctrl-C reaches the program once")
    func interrupted() throws {
        let tool = try RunningTool(
            home,
            command: [
                "script", "--quiet", "--return", "--command",
                "exec $hark run -- sh -c 'n=0; trap \"n=\\$((n + 1)); echo got \\$n\" INT; echo ready; while [ $n = 0 ]; do sleep 0.05; done; sleep 0.3; exit 4'",
                "/dev/null",
            ], environment: ["hark": Programs.hark])
        try waitUntil("it runs") { try tool.output.contains("ready") }
        try tool.write("\u{3}")
        #expect(try tool.child.wait() == .exited(4))
        #expect(try tool.output.contains("got 1") && !tool.output.contains("got 2"))
        #expect(try event()["properties"]?["exitCode"] == 4)
    }

    @Test("that a program has begun is told while it runs, with what names it")
    func begun() throws {
        let tool = try RunningTool(
            home, "run", "--name", "backup", "target=tank", "--", "sh", "-c", "read line; exit 3")
        try waitUntil("its beginning is told") { try events().count == 1 }
        let begun = try #require(events().first)
        #expect(begun["name"] == "run.started")
        let properties = try #require(begun["properties"])
        #expect(properties["run"] == "backup" && properties["program"] == "sh" && properties["target"] == "tank")
        let pid = try #require(properties["pid"]?.intValue)
        #expect(try String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8) == "sh\n")
        #expect(properties["host"]?.stringValue == ProcessInfo.processInfo.hostName)
        try tool.write("go\n")
        #expect(try tool.child.wait() == .exited(3))
        let end = try event()["properties"]
        #expect(end?["pid"]?.intValue == pid && end?["startedAt"] == properties["startedAt"])
        #expect(end?["host"] == nil)
    }

    @Test("of a program that cannot be started, and where it is not wanted, no beginning is told")
    func notBegun() throws {
        _ = try home.hark("run", "--", "/nowhere/program")
        _ = try home.hark("run", "--no-start", "--", "true")
        #expect(try events().map { $0["name"] } == ["program", "true"])
    }

    @Test("a program that runs for too long is told of once, as an event and on standard error, and runs on")
    func overdue() throws {
        let tool = try RunningTool(
            home, "run", "--warn-after", "1s", "host=nas", "--", "sh", "-c", "echo begun >&2; read line")
        try waitUntil("it is overdue") { try events().count == 2 }
        let overdue = try #require(events().last)
        #expect(overdue["name"] == "run.overdue")
        #expect(overdue["properties"]?["run"] == "sh" && overdue["properties"]?["host"] == "nas")
        #expect((1..<10).contains(overdue["properties"]?["seconds"]?.doubleValue ?? 0))
        #expect(
            try tool.errors.hasPrefix("begun\nhark run: sh has run for 1.") && tool.errors.hasSuffix("s and goes on\n"))
        try tool.write("go\n")
        #expect(try tool.child.wait() == .exited(0))
        #expect(try events().map { $0["name"] } == ["run.started", "run.overdue", "sh"])
    }

    @Test("a daemon that does not answer keeps no program waiting")
    func hungDaemon() throws {
        let files = try TemporaryFiles()
        daemon.child.signal(SIGSTOP)
        let tool = try RunningTool(home, "run", "--", "touch", files.path("done"))
        try waitUntil("the program has run") { FileManager.default.fileExists(atPath: files.path("done")) }
        daemon.child.signal(SIGCONT)
        #expect(try tool.child.wait() == .exited(0))
        #expect(try events().map { $0["name"] } == ["run.started", "touch"])
    }

    @Test("a script that does not name its shell is run by one, by its path and by the PATH, with its arguments")
    func scriptWithoutShell() throws {
        let files = try TemporaryFiles()
        try files.write(#"printf '%s|' "$0" "$@"; exit 4"#, to: "job")
        #expect(chmod(files.path("job"), 0o755) == 0)
        let direct = try home.hark("run", "--", files.path("job"), "a b", "c")
        #expect(direct.ending == .exited(4) && direct.output == "\(files.path("job"))|a b|c|")
        let found = try home.shell("PATH=$PATH:/nowhere:\(files.path("")); $hark run -- job x; echo $?")
        #expect(found.output.hasSuffix("/job|x|4\n"))
        #expect(try events().last?["properties"]?["exitCode"] == 4)
        #expect(try events().last?["name"] == "job")
    }

    @Test("a program of another machine is no script")
    func foreignProgram() throws {
        let files = try TemporaryFiles()
        try files.write("\u{7F}ELF\0\0\necho hello", to: "job")
        #expect(chmod(files.path("job"), 0o755) == 0)
        let run = try home.hark("run", "--", files.path("job"))
        #expect(run.ending == .exited(126) && run.output.isEmpty)
        #expect(try event()["properties"]?["problem"] == "Exec format error")
    }

    @Test("what a program leaves in the background is not waited for, and its errors still arrive")
    func background() throws {
        let files = try TemporaryFiles()
        let tool = try RunningTool(
            home, "run", "--", "sh", "-c",
            "(while ! [ -e \(files.path("go")) ]; do sleep 0.01; done; echo late >&2) & echo early >&2")
        #expect(try tool.child.wait() == .exited(0))
        #expect(try tool.errors == "early\n")
        try files.write("", to: "go")
        try waitUntil("the late line arrives") { try tool.errors == "early\nlate\n" }
        #expect(try event()["properties"]?["errors"] == "early")
    }

    @Test("how a program ended is known also where whoever started hark ignores the end of children")
    func ignoredChildren() throws {
        let script = """
            import os, signal, sys
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            os.execv(sys.argv[1], ["hark", "run", "--", "sh", "-c", "exit 7"])
            """
        let run = try Child.run(
            ["python3", "-c", script, Programs.hark], environment: home.environment)
        #expect(run.ending == .exited(7))
        #expect(try event()["properties"]?["exitCode"] == 7)
    }

    @Test("a run whose hark was killed goes on, and is recorded once as ended unseen by the next one of its name")
    func unseen() throws {
        let files = home.files
        let tool = try RunningTool(
            home, "run", "--name", "back*up", "host=nas", "--", "sh", "-c",
            "echo $$ > \(files.path("pid")); while ! [ -e \(files.path("go")) ]; do sleep 0.01; done")
        try waitUntil("it has begun, as the daemon knows") {
            try ((try? files.text("pid")) ?? "").hasSuffix("\n")
                && !home.hark("events", "--name", "run.started", "--json").lines.isEmpty
        }
        tool.child.kill()
        _ = try tool.child.wait()
        // One of another name looks for its own.
        try home.hark("run", "--name", "other", "--", "true")
        for _ in 0..<2 { try home.hark("run", "--name", "back*up", "--no-start", "--", "true") }
        try files.write("", to: "go")
        let unseen = try events().filter { $0["name"] == "run.unseen" }
        #expect(unseen.count == 1)
        let properties = try #require(unseen.first?["properties"])
        #expect(properties["run"] == "back*up" && properties["host"] == "nas" && properties["running"] == true)
        let begun = try events().first { $0["name"] == "run.started" }
        #expect(
            properties["startedSeq"] == begun?["seq"] && properties["startedAt"] == begun?["properties"]?["startedAt"])
        #expect(try String(properties["pid"]?.intValue ?? 0) + "\n" == files.text("pid"))
    }

    @Test("a run that began more than 40 days ago is not looked for", arguments: [(39, 1), (41, 0)])
    func longAgo(days: Double, count: Int) throws {
        let time = Date().addingTimeInterval(-days * 86_400).formatted(.iso8601)
        try home.hark("record", "run.started", "run=job", "startedAt=\(time)", "--timestamp", time)
        try home.hark("run", "--name", "job", "--", "true")
        #expect(try events().filter { $0["name"] == "run.unseen" }.count == count)
    }

    @Test("without a daemon the program runs all the same, and that its event is lost is said")
    func noDaemon() throws {
        daemon.kill()
        let run = try home.hark("run", "--", "sh", "-c", "echo done; exit 5")
        #expect(run.ending == .exited(5))
        #expect(run.output == "done\n")
        #expect(run.errors.contains("could not be recorded") && run.errors.contains(home.socket))
    }

    @Test(
        "a wrong command line starts nothing",
        arguments: [
            (["run"], "two dashes"), (["run", "touch", "x"], "two dashes"), (["run", "x", "--", "true"], "x=text"),
            (["run", "ok:=true", "--", "true"], "'ok'"), (["run", "--errors", "x", "--", "true"], "whole number"),
            (["run", "--"], "two dashes"), (["run", "--warn-after", "0", "--", "true"], "at least 1 s"),
            (["run", "pid:=1", "--", "true"], "'pid'"),
        ])
    func wrongCommandLine(words: [String], expected: String) throws {
        let run = try home.hark(words)
        #expect(run.ending == .exited(64))
        #expect(run.errors.contains(expected))
        #expect(try home.hark("events", "--json").lines.isEmpty)
    }
}
