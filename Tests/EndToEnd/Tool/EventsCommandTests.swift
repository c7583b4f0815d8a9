import Foundation
import HarkWire
import Testing

/// `hark events` and `hark session` against the real daemon.
@Suite(.endToEnd) struct EventsCommandTests {
    private let home: DaemonHome
    private var daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    private func names(_ words: String...) throws -> [String] {
        try home.hark(["events", "--json"] + words).lines.map {
            try SocketClient.parse(Array($0.utf8))["name"]?.stringValue ?? ""
        }
    }

    @Test("E5: each filter shows its events and no others")
    func filters() throws {
        try home.hark("record", "anon.one")
        let ada = try home.hark("session", "start", "--user", "ada", "plan=pro").lines[0]
        try home.hark("record", "ada.one")
        try home.hark("record", "ada.two")
        try home.hark("record", "kiosk.one", "--app", "kiosk", "--user", "bob")
        #expect(try names() == ["anon.one", "ada.one", "ada.two", "kiosk.one"])
        #expect(try names("--user", "ada") == ["ada.one", "ada.two"])
        #expect(try names("--anonymous") == ["anon.one"])
        #expect(try names("--session", String(ada)) == ["ada.one", "ada.two"])
        #expect(try names("--session", "current") == ["ada.one", "ada.two"])
        #expect(try names("--session", "current", "--app", "kiosk") == ["kiosk.one"])
        #expect(try names("--app", "kiosk") == ["kiosk.one"])
        #expect(try names("--name", "*.one") == ["anon.one", "ada.one", "kiosk.one"])
        #expect(try names("--limit", "2") == ["ada.two", "kiosk.one"])
        #expect(try names("--after", "0", "--limit", "2") == ["anon.one", "ada.one"])
        #expect(try names("--since", "10m") == names())
        #expect(try names("--until", "10m") == [])
        #expect(try names("--since", "2020-01-01", "--until", "now") == names())
    }

    @Test("--json prints the very lines of the archive")
    func exactLines() throws {
        try home.hark("record", "a", "b:=1.0", "c=é\n\u{1}")
        let id = try home.hark("session").output.split(separator: " ").last?.trimmingCharacters(in: .newlines) ?? ""
        let file = "state/archive/users/anon/sessions/\(id)/events.jsonl"
        try waitUntil("the archive has it") { access(home.files.path(file), R_OK) == 0 }
        try waitUntil("the archive has its line") { try !home.files.text(file).isEmpty }
        #expect(try home.hark("events", "--json").output == home.files.text(file))
    }

    @Test("people see time, user, name and properties, and nothing that could move their cursor")
    func human() throws {
        try home.hark("session", "start", "-u", "ada\u{1B}]0;x\u{7}")
        try home.hark("record", "a\u{1B}[2J", "text=one\ntwo", "n:=5")
        let line = try home.hark("events").output
        let shape = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}  ada\\e\]0;x\\x07  a\\e\[2J +text=one\\ntwo n=5\n/
        #expect(line.wholeMatch(of: shape) != nil, "\(line)")
    }

    @Test("a reader that has had enough ends hark without a word")
    func head() throws {
        try home.hark(["record", "--stdin", "--bare"], input: String(repeating: "x\n", count: 5000))
        let run = try home.shell("$hark events | head -n 1; echo ${PIPESTATUS[0]}")
        #expect(run.lines.count == 2)
        #expect(run.lines.last == "141")
        #expect(run.errors == "")
        let ignored = try home.shell("trap '' PIPE; $hark events | head -n 1; echo ${PIPESTATUS[0]}")
        #expect(ignored.lines.last == "141")
        #expect(ignored.errors == "")
    }

    @Test("E8: following goes on over kill -9 of the daemon; nothing acknowledged is lost, nothing comes twice")
    func follow() throws {
        try home.hark("record", "before")
        let tool = try RunningTool(home, "events", "--follow", "--json", "--limit", "1")
        try waitUntil("what was before is shown") { try tool.outputLines.count == 1 }
        var daemon = self.daemon
        for round in 1...3 {
            for _ in 1...20 { #expect(try home.hark("record", "n").ending == .exited(0)) }
            daemon.kill()
            #expect(try home.hark("record", "lost").ending == .exited(69))
            daemon = try home.start()
            try waitUntil("round \(round) is shown") { try tool.outputLines.count >= 1 + round * 20 }
        }
        #expect(try home.hark("record", "after").ending == .exited(0))
        try waitUntil("the last is shown") { try tool.output.contains("\"after\"") }
        tool.child.signal(SIGINT)
        #expect(try tool.child.wait() == .signaled(SIGINT))
        #expect(try tool.output == home.hark("events", "--json").output)
        let said = try tool.errors.split(separator: "\n")
        #expect(said.count == 6, "\(said)")
        #expect(said.first?.contains("went away") == true && said.last?.contains("is back") == true)
    }

    @Test("E8: following begins with what the filters ask for and shows new events of the filter only")
    func followFiltered() throws {
        for name in ["a.1", "b.1", "a.2", "b.2"] { try home.hark("record", name) }
        let tool = try RunningTool(home, "events", "--follow", "--json", "--since", "1h", "--name", "a.*")
        try waitUntil("what was before is shown") { try tool.outputLines.count == 2 }
        for name in ["b.3", "a.3", "b.4", "a.4"] { try home.hark("record", name) }
        try waitUntil("what came is shown") { try tool.outputLines.count == 4 }
        #expect(try tool.output == home.hark("events", "--json", "--name", "a.*").output)
    }

    @Test("E1, E6: a session is started, shown, listed and ended")
    func sessions() throws {
        let id = String(try home.hark("session", "start", "--user", "ada", "plan=pro", "n:=2").lines[0])
        try home.hark("record", "a")
        let page = try home.hark("session", "show").output
        for text in [id, "ada", "plan=pro n=2", "still open", "events    1"] { #expect(page.contains(text)) }
        #expect(try home.hark("session", "list", "--json").output.contains(#""metadata":{"plan":"pro","n":2}"#))
        #expect(try home.hark("session", "end").lines == [Substring(id)])
        let again = try home.hark("session", "end")
        #expect(again.ending == .exited(66))
        #expect(try home.hark("events", "--session", "current").ending == .exited(66))
        #expect(try home.hark("session", "list", "--open").output == "")
    }
}
