import Foundation
import HarkWire
import Testing

/// `hark report` against the real daemon. How its page looks in a browser is tested in `Tests/Report`.
@Suite(.endToEnd) struct ReportCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none","debug":"debug","notify":null}"#)
        try home.files.write(
            """
            {"surveys":[{"id":"rating","title":"Rating","message":"How was it?","options":["Good","Bad"],
            "trigger":{"event":{"name":"sold"}}}]}
            """, to: "config/surveys.json")
        daemon = try home.start()
    }

    private func report(_ words: String...) throws -> String { try report(words) }

    private func report(_ words: [String]) throws -> String {
        let run = try home.hark(["report", "--out", "-"] + words)
        #expect(run.ending == .exited(0) && run.errors == "", "\(run)")
        return run.output
    }

    private func sell(_ user: String, _ amount: Int, _ day: String) throws {
        try home.hark(
            "record", "sold", "amount:=\(amount)", "--app", user, "--timestamp", "2026-03-\(day)T12:00:00Z")
    }

    @Test("a report follows no link, at its name or beside it")
    func links() throws {
        let folder = home.files.path("pages")
        let run = try home.shell(
            """
            mkdir \(folder) && cd \(folder) && echo mine > victim && ln -s victim r.html && ln -s victim r.html.part && mkfifo pipe \
            && $hark report --quiet --out r.html && test ! -L r.html && grep -q '<html' r.html && cat victim && ls
            """)
        #expect(run.output == "mine\npipe\nr.html\nr.html.part\nvictim\n", "\(run)")
    }

    @Test("a report tells what there is, and only what it was asked for")
    func contents() throws {
        let client = try daemon.connect()
        for user in ["ada", "bob"] { try home.hark("session", "start", "--user", user, "--app", user) }
        for (user, amount, day) in [("ada", 60, "01"), ("ada", 10, "02"), ("bob", 70, "05")] {
            try sell(user, amount, day)
            guard amount > 50 else { continue }
            let shown = try client.call("survey.present", #"{"app":"\#(user)"}"#)["survey"]?["presentationId"]
            let option = user == "ada" ? "Good" : "Bad"
            try client.call(
                "survey.answer", #"{"presentationId":"\#(shown?.stringValue ?? "")","option":"\#(option)"}"#)
        }
        let all = try report()
        for words in [
            "<dt>Users with events</dt><dd>2</dd>", "<dt>Sessions</dt><dd>2</dd>",
            "<dt>Answered surveys</dt><dd>2</dd>",
            #"<bdi>Good</bdi></th><td class="number">1</td><td class="number">50 %</td><td class="number">(9–91 %)</td>"#,
            "<bdi>archive</bdi>", "2026-03-01 to ",
        ] {
            #expect(all.contains(words), "\(words)")
        }
        let events = #"<bdi>sold</bdi></th><td class="number">"#
        #expect(all.contains(events + "3<"))
        #expect(try report("--where", "amount > 50").contains(events + "2<"))
        let march = try report("--since", "2026-03-01", "--until", "2026-03-02T18:00:00Z")
        #expect(march.contains(events + "2<") && march.contains("2026-03-01 to 2026-03-02"))
        #expect(march.contains("No session began in this time"), "they began when this test did")
        #expect(march.contains("<dt>Answered surveys</dt><dd>0</dd>"))
        let bob = try report("--user", "bob", "--app", "bob")
        #expect(bob.contains(events + "1<") && bob.contains("<li>only user <bdi>bob</bdi></li>"))
        #expect(bob.contains("<dt>Sessions</dt><dd>1</dd>") && bob.contains("<dt>Answered surveys</dt><dd>1</dd>"))
    }

    @Test("a report sets totals beside those of the time before, and tells of failures, log entries and texts")
    func owner() throws {
        for (user, amount, day) in [("ada", 60, "01"), ("ada", 10, "02"), ("bob", 70, "05")] {
            try sell(user, amount, day)
        }
        let words = ["--since", "2026-03-02", "--until", "2026-03-06", "--chart", "sold amount", "--chart", "sold"]
        let page = try report(words + ["--title", "The <shop>"])
        for words in [
            "<h1><bdi>The &lt;shop&gt;</bdi></h1>",
            #"<dt>Events</dt><dd>2 <span class="change">▲ 100 %</span></dd>"#,
            #"<dt>sold: sum of amount</dt><dd>80 <span class="change">▲ 33 %</span></dd>"#,
            #"<dt>sold: events</dt><dd>2 <span class="change">▲ 100 %</span></dd>"#,
            "<h2>sold: sum of amount, every ", "Events by weekday and hour",
        ] {
            #expect(page.contains(words), "\(words)")
        }
        #expect(!page.contains("What went wrong") && !page.contains("<h2>Log</h2>"))

        #expect(try home.hark("run", "--name", "backup", "--quiet", "--", "false").ending == .exited(1))
        try home.hark("log", "Card terminal does not answer", "--level", "error")
        let all = try report("--texts")
        for words in [
            "<bdi>backup</bdi></td><td class=\"words\"><bdi>exit code 1</bdi>", "<bdi>error</bdi>",
            "There are no texts.",
        ] {
            #expect(all.contains(words), "\(words)")
        }
        #expect(!all.contains("class=\"change\""), "nobody said since when")
        #expect(!all.contains("Card terminal"), "messages are not shown")
        #expect(try home.hark("report", "--chart", "a b c d").ending == .exited(64))
    }

    @Test("a daemon that has seen nothing, and a time of centuries, make a page all the same")
    func extremes() throws {
        #expect(try report().contains("There are no such events."))
        for year in ["0001", "9000"] {
            #expect(try home.hark("record", "x", "--timestamp", "\(year)-01-01T00:00:00Z").ending == .exited(0))
        }
        let page = try report()
        #expect(page.contains("too long a time to be drawn") && page.contains("<bdi>x</bdi>"))
    }

    @Test("the page is there as a whole or not at all, for its owner alone")
    func file() throws {
        let path = home.files.path("r.html")
        let made = try home.hark("report", "--out", path)
        #expect(made.ending == .exited(0) && made.output == "\(path): 0 events\n", "\(made)")
        #expect(try home.hark("report", "--out", path, "--quiet").output == "")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try home.files.text("r.html").hasSuffix("</html>\n"))
        let unnamed = try home.shell("cd '\(home.files.path(""))' && hark report && ls *.html*")
        #expect(unnamed.lines.dropFirst() == ["hark-report.html", "r.html"], "\(unnamed)")
        let refused = try home.hark("report", "--out", home.files.path("none/r.html"))
        #expect(refused.ending == .exited(73) && refused.errors.contains("cannot make"), "\(refused)")
        #expect(try home.hark("report", "--out", "").ending == .exited(64))
        #expect(try home.hark("report", "--where", "amount >").ending == .exited(65))
        #expect(try home.hark("report", "--user", "a", "--anonymous").ending == .exited(64))
        try daemon.stop()
        let away = try home.hark("report", "--out", path)
        #expect(away.ending == .exited(69))
        #expect(try home.files.text("r.html").hasSuffix("</html>\n"), "what was there is kept")
    }

    @Test("on a full disk nothing is left behind, and what was there stays", .enabled(if: MountSpace.isPossible))
    func fullDisk() throws {
        let space = try MountSpace()
        let folder = home.files.path("small")
        try space.run("mkdir", folder)
        try space.run("mount", "-t", "tmpfs", "-o", "size=8k", "none", folder)
        let line =
            "echo before > \(folder)/r.html; \(Programs.hark) report --out \(folder)/r.html; echo $?; "
            + "ls \(folder); cat \(folder)/r.html"
        let run = try Child.run(space.prefix + ["bash", "-c", line], environment: home.environment)
        #expect(run.output == "74\nr.html\nbefore\n", "\(run)")
        #expect(run.errors.contains("No space left on device"), "\(run)")
    }
}
