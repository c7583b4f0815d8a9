import Foundation
import HarkTesting
import Testing

/// `hark top`, on a small terminal and without one.
@Suite(.endToEnd) struct TopCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    @Test("A4: what comes in is shown by name as it comes, sorted as somebody wishes, and what came before is not")
    func live() throws {
        try home.hark("record", "before", "--quiet")
        let screen = try TmuxScreen(home, columns: 40, rows: 15)
        try screen.run("$hark top")
        try screen.wait(for: "q ends")
        for _ in 0..<3 { try home.hark("record", "visit", "--quiet") }
        try home.hark("record", "door", "--quiet")
        try screen.wait(for: "visit")
        try screen.wait(for: "door")
        #expect(try !screen.text.contains("before"))
        try screen.press("s")
        try screen.wait(for: "came▾")
        try screen.press("s")
        try screen.wait(for: "name▾")
        try screen.press("p")
        try screen.wait(for: "paused")
        try screen.press("p")
        try waitUntil("it goes on") { try !screen.text.contains("paused") }
        try screen.press("q")
        try waitUntil("the shell is back") { try screen.text.hasPrefix("$") }
    }

    @Test("a daemon that goes away is waited for")
    func away() throws {
        let screen = try TmuxScreen(home, columns: 80, rows: 24)
        try screen.run("$hark top")
        try screen.wait(for: "q ends")
        daemon.kill()
        try screen.wait(for: "went away")
        let again = try home.start()
        defer { again.kill() }
        try home.hark("record", "again", "--quiet")
        try screen.wait(for: "events a second")
        try screen.wait(for: "again")
        try screen.press("C-c")
        try waitUntil("the shell is back") { try screen.text.hasPrefix("$") }
    }

    @Test("without a terminal it prints once what came within the interval")
    func once() throws {
        let script = """
            "$hark" top --every 2s > "$out" & top=$!
            while kill -0 $top 2>/dev/null; do "$hark" record tick --quiet; done
            wait $top
            """
        let environment = home.environment.merging(["hark": Programs.hark, "out": home.files.path("out")]) { $1 }
        #expect(try Child.run(["bash", "-c", script], environment: environment).ending == .exited(0))
        let lines = try home.files.text("out").split(separator: "\n")
        #expect(lines.first?.hasPrefix("harkd ") ?? false)
        let row = try #require(lines.last { $0.hasPrefix("tick ") }, "\(lines)")
        #expect(row.split(separator: " ").dropFirst(2).first.flatMap { Int($0.filter(\.isNumber)) } ?? 0 > 0)
        #expect(try home.hark(["top", "--every", "0s"]).ending == .exited(64))
    }
}
