import Foundation
import HarkWire
import Testing

/// `hark watch` on a real daemon, over its end and its restart.
@Suite(.endToEnd) struct WatchCommandTests {
    private let home: DaemonHome

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
    }

    private func told() throws -> [Substring] {
        try home.hark("events", "--name", "watch.*").lines
    }

    @Test("what does not come is told once, also after kill -9, and once that it came again")
    func course() throws {
        var daemon = try home.start()
        let added = try home.hark("watch", "add", "backup", "--every", "1s", "--where", "exitCode = 0")
        #expect(added.ending == .exited(0) && added.output.hasPrefix("added backup: missed unless it comes by 20"))
        try home.hark(
            "watch", "add", "nightly", "--event", "other", "--every", "26h", "--app", "kiosk", "--user", "ada")
        try waitUntil("it is missed") { try told().count == 1 }
        let first = try told()[0]
        #expect(first.contains("watch.missed") && first.contains("watch=backup"))
        daemon.kill()
        daemon = try home.start()
        let list = try home.hark("watch")
        #expect(list.ending == .exited(0) && list.lines.count == 3, "\(list)")
        #expect(list.output.contains("other of kiosk about ada") && list.output.contains("1 d 2 h"))
        let missed = try home.hark("watch", "list", "--missed")
        #expect(missed.ending == .exited(1) && missed.lines.count == 2 && missed.output.contains("missed since 20"))
        try home.hark("run", "--name", "backup", "--", "false")
        try home.hark("run", "--name", "backup", "--", "true")
        try waitUntil("it came again") { try told().last?.contains("watch.recovered") == true }
        try home.hark("watch", "remove", "backup")
        #expect(try home.hark("watch", "list", "--missed").ending == .exited(0))
        let all = try told()
        let kinds = all.map { $0.contains("watch.missed") }
        // Another second may have passed before it was removed.
        #expect(kinds.starts(with: [true, false]) && kinds.count <= 3, "\(all)")
        #expect(daemon.child.isRunning)
    }

    @Test("what cannot be meant is said, with what to write instead")
    func mistakes() throws {
        let daemon = try home.start()
        let cases: [([String], Int32, String)] = [
            (["add", "x"], 64, "--every 26h"), (["add", "x", "--every", "soon"], 64, "Write it like"),
            (["add", "x", "--every", "0s"], 65, "--every"), (["add", "--every", "1h"], 64, "NAME is missing"),
            (["add", "x", "--every", "1h", "--where", "a >"], 65, "--where"),
            (["add", "x", "--event", "watch.missed", "--every", "1h"], 65, "--event"),
            (["remove", "x"], 66, "there is no watch 'x' ('hark watch list' lists them)"),
        ]
        for (words, code, hint) in cases {
            let run = try home.hark(["watch"] + words)
            #expect(run.ending == .exited(code) && run.errors.contains(hint), "\(words): \(run)")
        }
        #expect(try home.hark("watch").errors == "hark: there are no watches\n")
        #expect(daemon.child.isRunning)
    }

    @Test("on the machine's daemon everybody watches their own events, and root sees all", .enabled(if: geteuid() == 0))
    func rights() throws {
        home.options = ["--system"]
        try check("chmod") { chmod(home.files.path, 0o755) }
        let daemon = try home.start()
        let (ada, bob, root) = (try daemon.connect(uid: 65_534), try daemon.connect(uid: 65_533), try daemon.connect())
        for client in [ada, bob] { try client.call("watch.add", #"{"id":"tap","everySeconds":1}"#) }
        #expect(try root.call("watch.list")["watches"]?.arrayValue?.count == 2)
        #expect(try bob.ask("watch.remove", #"{"id":"x"}"#).reason == "notFound")
        try bob.call("watch.remove", #"{"id":"tap"}"#)
        try waitUntil("ada's is missed") {
            try ada.call("event.list", #"{"name":"watch.*"}"#)["events"]?.arrayValue?.count == 1
        }
        try bob.call("event.record", #"{"name":"tap"}"#)
        #expect(try ada.call("watch.list")["watches"]?[0]?["lastAt"] == .null)
        #expect(try bob.call("watch.list")["watches"] == [])
        #expect(try bob.call("event.list", #"{"name":"watch.*"}"#)["events"] == [])
    }
}
