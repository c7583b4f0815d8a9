import Foundation
import HarkWire
import Testing

/// `hark status`, `config`, `delivery`, `call` and help against the real daemon.
@Suite(.endToEnd) struct DaemonCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    @Test("D4: status shows a screen for people, JSON and metrics")
    func status() throws {
        try home.hark("record", "a")
        let screen = try home.hark("status")
        #expect(screen.ending == .exited(0))
        for text in ["harkd \(Version.current)", "pid \(daemon.id)", "running", "1 event, 1 session", "archive"] {
            #expect(screen.output.contains(text), "\(text)")
        }
        #expect(screen.lines.count < 24)
        let json = try SocketClient.parse(Array(try home.hark("status", "--json").output.utf8))
        #expect(json["store"]?["events"] == 1)
        #expect(try home.hark("status", "--metrics").output.hasSuffix("# EOF\n"))
    }

    @Test(
        "promtool finds nothing to complain of in the metrics, and node_exporter's text collector serves them as they are"
    )
    func metrics() throws {
        try home.configure(#"{"destinations":[{"name":"core","kind":"http","url":"http://127.0.0.1:9/"}]}"#)
        try home.hark("config", "reload")
        try home.hark("record", "a")
        try home.files.write(try home.hark("status", "--metrics").output, to: "hark.prom")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/metrics_check.py"
        let check = try Child.run(["/usr/bin/python3", script, home.files.path("hark.prom")])
        #expect(check.ending == .exited(0), "\(check)")
        for line in [
            "# TYPE hark_build_info gauge", "hark_build_info{version=\"\(Version.current)\"} 1",
            "# TYPE hark_records_total counter",
            "# TYPE hark_commit_seconds histogram", #"hark_destination_pending{destination="core"}"#,
        ] {
            #expect(check.output.contains(line), "\(line): \(check.output)")
        }
    }

    @Test("a daemon that is stopped is told of while it is waited for, and answers once it goes on")
    func stopped() throws {
        daemon.child.signal(SIGSTOP)
        defer { daemon.child.signal(SIGCONT) }
        for command in [["status"], ["record", "late"]] {
            let errors = home.files.path("errors-of-\(command[0])")
            let output = try home.files.create("output-of-\(command[0])")
            defer { close(output) }
            let waiting = try Child(
                [Programs.hark] + command, environment: home.environment, output: output, errors: errors)
            try waitUntil("it says that it waits") {
                try String(contentsOfFile: errors, encoding: .utf8).contains(
                    "has not answered for 3 s: it is busy or stopped")
            }
            daemon.child.signal(SIGCONT)
            #expect(try waiting.wait() == .exited(0))
            daemon.child.signal(SIGSTOP)
        }
    }

    @Test("D4: destinations are listed with how far they are")
    func delivery() throws {
        #expect(try home.hark("delivery").output.contains("archive"))
    }

    @Test("a configuration is checked before it is used")
    func validate() throws {
        try home.files.write(#"{"retention": "standard", "nonsense": 1}"#, to: "good.json")
        try home.files.write(#"{"retention": "for ever"}"#, to: "bad.json")
        let good = try home.hark("config", "validate", home.files.path("good.json"))
        #expect(good.ending == .exited(1))
        #expect(good.errors.contains("good.json:1:27: warning: $.nonsense"))
        let bad = try home.hark("config", "validate", home.files.path("bad.json"))
        #expect(bad.ending == .exited(78))
        #expect(bad.errors.contains("bad.json:1:2: error: $.retention: "))
        #expect(try home.hark("config", "validate", home.files.path("none.json")).ending == .exited(66))
    }

    @Test("the configuration in force is shown and read again")
    func config() throws {
        #expect(try home.hark("config").output.contains("\"retention\": \"long\""))
        try home.configure(#"{"retention": "aggressive"}"#)
        #expect(try home.hark("config", "reload").ending == .exited(0))
        #expect(try home.hark("config", "show").output.contains("\"retention\": \"aggressive\""))
        try home.configure(#"{"retention": 5}"#)
        let refused = try home.hark("config", "reload")
        #expect(refused.ending != .exited(0))
        #expect(refused.errors.contains("retention"))
        #expect(try home.hark("config", "show").output.contains("\"retention\": \"aggressive\""))
    }

    @Test("a misspelt option of harkd is told with the one that was meant")
    func misspelt() throws {
        let run = try Child.run([Programs.harkd, "--systme"])
        #expect(run.ending == .exited(64))
        #expect(run.errors.contains("there is no option '--systme'") && run.errors.contains("did you mean '--system'?"))
    }

    @Test("on a terminal, lists that are empty say so")
    func emptyLists() throws {
        let screen = try TmuxScreen(home)
        for (list, words) in [
            ("session list", "no such sessions"), ("events", "no such events"), ("logs", "no such log entries"),
            ("surveys", "no survey waits"), ("counter list", "has no counters"),
        ] {
            try screen.run("$hark \(list)")
            try screen.wait(for: words)
        }
        #expect(try home.hark("session", "list").errors.isEmpty)
        // Elsewhere -n is how many.
        #expect(try home.hark("events", "-n", "5").errors.contains("--limit 5 shows the newest 5"))
    }

    @Test(
        "what shows notifications says what it wants when it is given something else",
        arguments: ["", "{", "[1]", "{}"])
    func notification(input: String) throws {
        try home.files.write(input, to: "input")
        let file = open(home.files.path("input"), O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let run = try Child.run([Programs.harkd, "--notify", "5"], input: file)
        #expect(run.ending == .exited(65))
        #expect(run.errors.contains("what came on standard input is no survey"), "\(run.errors)")
    }

    @Test("any method can be called, with params from the command line or from standard input")
    func call() throws {
        let version = try home.hark("call", "hello")
        #expect(version.output.contains("\"version\":\"\(Version.current)\""))
        #expect(try home.hark(["call", "event.record", "-"], input: "{\n\"name\": \"a\"\n}\n").ending == .exited(0))
        #expect(try home.hark("events", "--json").output.contains("\"name\":\"a\""))
        #expect(try home.hark("call", "no.such").ending == .exited(64))
        #expect(try home.hark("call", "hello", "[1]").ending == .exited(64))
        #expect(try home.hark("call", "event.record", "{}").ending == .exited(65))
    }

    @Test("D5: every command has --help, and what it shows can be asked for by 'hark help'")
    func help() throws {
        daemon.kill()
        let list = try home.hark("help").output
        let commands = try #require(list.firstRange(of: "Record what happens:"))
        let names = list[commands.lowerBound...].split(separator: "\nOptions:")[0].split(separator: "\n")
            .filter { $0.hasPrefix("  ") }.map { String($0.split(separator: " ")[0]) }
        #expect(names.count >= 40)
        for name in names {
            let help = try home.hark(name, "--help")
            #expect(help.ending == .exited(0))
            #expect(help.output.hasPrefix("Usage: hark \(name)"))
            #expect(try home.hark("help", name).output == help.output)
        }
        #expect(try home.hark("--version").output == "hark \(Version.current)\n")
        // A person is shown the commands, a script is told of its fault.
        #expect(try home.hark().ending == .exited(64))
        let screen = try TmuxScreen(home, columns: 80, rows: 24)
        try screen.run("$hark")
        try screen.wait(for: "never changes the wrong thing.")
    }

    @Test(
        "D5: bash completes commands, options and their values",
        arguments: [
            ("hark se", "session"), ("hark session st", "start"), ("hark session start --u", "--user"),
            ("hark retention apply --policy c", "conservative"), ("hark events --session ''", "current"),
            ("hark completion z", "zsh"),
        ])
    func completion(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let run = try home.shell(
            "source <($hark completion bash); COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); "
                + "COMP_LINE=\"\(line)\"; COMP_POINT=${#COMP_LINE}; "
                + "compopt() { :; }; _hark; echo \"${COMPREPLY[@]}\"")
        #expect(run.output == expected + "\n")
    }
}
