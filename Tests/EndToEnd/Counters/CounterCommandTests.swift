import Foundation
import HarkWire
import Testing

/// `hark counter`, `hark execution` and `hark background` with the real daemon.
@Suite(.endToEnd) struct CounterCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify":null}"#)
        daemon = try home.start()
    }

    @Test("C1 C2 C3: counting from the shell")
    func counting() throws {
        #expect(try home.hark("counter", "register", "opens").output.contains("opens    0      0        app"))
        #expect(try home.hark("counter", "trigger", "opens").output == "1\n")
        #expect(try home.hark("counter", "set", "opens", "41").output == "41\n")
        #expect(try home.shell("echo $(( $(hark counter trigger opens) + 0 ))").output == "42\n")
        #expect(try home.hark("counter", "get", "opens", "--type", "integer").output == "42\n")
        let mismatch = try home.hark("counter", "get", "opens", "--type", "array")
        #expect(mismatch.ending == .exited(1) && mismatch.output.isEmpty)
        #expect(try home.hark("counter", "get", "nobody").ending == .exited(1))
        let unknown = try home.hark("counter", "trigger", "nobody")
        #expect(unknown.ending == .exited(66) && unknown.errors.contains("register it first"))
        #expect(try home.hark("counter", "set", "opens", "not a number").output == "not a number\n")
        #expect(try home.hark("counter", "trigger", "opens").ending == .exited(65))
        try home.hark("counter", "register", "taps", "--scope", "instance", "--initial", #"{"a":[1]}"#)
        try home.hark("counter", "set", "taps", "[2]")
        #expect(try home.hark("background").output == "reset 1 counter\n")
        #expect(try home.hark("counter", "get", "taps").output == "{\"a\":[1]}\n")
        #expect(try home.hark("counter", "reset", "opens").output == "reset 1 counter\n")
        #expect(try home.hark("counter", "reset").ending == .exited(64))
        #expect(try home.hark("counter", "reset", "--all").output == "reset 2 counters\n")
        #expect(try home.hark("counter", "list", "--app", "kiosk").errors.contains("has no counters"))
        #expect(try home.hark("counter", "list", "--json").output.hasPrefix(#"{"counters":[{"name":"opens""#))
        #expect(try home.hark("clear", "--all", "--yes").ending == .exited(0))
        #expect(try home.hark("counter").errors.contains("has no counters"))
    }

    @Test("C4: an execution from the shell: added, followed, listed, removed")
    func executions() throws {
        let mark = home.files.path("mark")
        try home.hark("counter", "register", "opens")
        let added = try home.hark(
            "execution", "add", "fan", "--when", "opens>=2", "--", "sh", "-c", "echo $HARK_VALUE > \(mark)")
        #expect(added.output == "added fan, which listens to opens\n")
        #expect(
            try home.hark("execution", "add", "each", "--on", "opens", "--notify", "--keep-alive").ending == .exited(0))
        #expect(try home.hark("execution").output.contains("fan"))
        let follower = try RunningTool(home, "execution", "follow", "--json")
        try waitUntil("it follows") {
            try daemon.connect().call("daemon.status")["clients"]?["connections"]?.intValue ?? 0 >= 2
        }
        // A subscription cannot be seen from outside: triggers go on until it tells of one.
        try waitUntil("it tells") {
            try home.hark("counter", "trigger", "opens")
            return try !follower.outputLines.isEmpty
        }
        // It may have told of the first already, and the program waits for the second.
        try home.hark("counter", "trigger", "opens")
        try waitUntil("the program ran") { FileManager.default.fileExists(atPath: mark) }
        #expect(try follower.outputLines[0].contains(#""execution":{"id":"#))
        try waitUntil("it is done") { try home.hark("execution", "list").output.contains("done") }
        #expect(try home.hark("execution", "remove", "each").ending == .exited(0))
        let gone = try home.hark("execution", "remove", "each")
        #expect(gone.ending == .exited(66) && gone.errors.contains("'hark execution list'"))
        #expect(try home.hark("execution", "add", "none").ending == .exited(64))
        #expect(try home.hark("execution", "add", "both", "--notify", "--", "ls").ending == .exited(64))
    }

    @Test("C4: what a program prints is in the log of the daemon, line by line, with the execution it is of")
    func printed() throws {
        try home.hark("counter", "register", "opens")
        try home.hark(
            "execution", "add", "chatty", "--on", "opens", "--", "sh", "-c", "echo first; echo second; echo third >&2")
        try home.hark("counter", "trigger", "opens")
        try waitUntil("it is done") { try home.hark("execution", "list").output.contains("done") }
        let lines = try daemon.errors.split(separator: "\n").filter { $0.contains("execution=chatty") }
        for word in ["first", "second", "third"] {
            #expect(lines.contains { $0.contains(word) }, "\(word) in \(lines)")
        }
    }

    @Test("C4: what the store did not take in time is not forgotten: a run ends, and the next begins, once it does")
    func lockedStore() throws {
        try home.files.write("", to: "ran")
        try home.hark("counter", "register", "opens")
        let (ran, go) = (home.files.path("ran"), home.files.path("go"))
        try home.hark(
            "execution", "add", "slow", "--on", "opens", "--keep-alive", "--", "sh", "-c",
            "echo $HARK_VALUE >> \(ran); until [ -e \(go) ]; do sleep 0.01; done")
        for _ in 0..<2 { try home.hark("counter", "trigger", "opens") }
        try waitUntil("the first runs") { try home.files.text("ran") == "1\n" }
        let lock = try StoreLock(on: StoreFile(of: home))
        try home.files.write("", to: "go")
        try waitUntil("the commit has failed") { try daemon.errors.contains("could not be noted yet") }
        #expect(try home.files.text("ran") == "1\n")
        lock.release()
        let client = try daemon.connect()
        try waitUntil("both are done") {
            let runs = try client.call("execution.list")["runs"]?.arrayValue ?? []
            return runs.count == 2 && runs.allSatisfy { $0["state"] == "done" }
        }
        #expect(try home.files.text("ran") == "1\n2\n")
    }

    @Test("C4: what was due when the daemon died runs once the store takes that it begins, and not before")
    func lockedAtStart() throws {
        try home.files.write("", to: "ran")
        try home.hark("counter", "register", "opens")
        try home.hark(
            "execution", "add", "slow", "--on", "opens", "--keep-alive", "--", "sh", "-c",
            "echo $HARK_VALUE >> \(home.files.path("ran")); until [ -e \(home.files.path("go")) ]; do sleep 0.01; done")
        for _ in 0..<2 { try home.hark("counter", "trigger", "opens") }
        try waitUntil("the first runs") { try home.files.text("ran") == "1\n" }
        daemon.kill()
        try home.files.write("", to: "go")
        let lock = try StoreLock(on: StoreFile(of: home))
        let next = try home.launch()
        defer { next.kill() }
        try waitUntil("the commit has failed") { try next.errors.contains("waits for the store") }
        #expect(try home.files.text("ran") == "1\n")
        lock.release()
        try waitUntil("the second has run") { try home.files.text("ran") == "1\n2\n" }
    }
}
