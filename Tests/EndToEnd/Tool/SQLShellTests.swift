import Foundation
import Testing

/// `hark sql` without a query, on a small terminal.
@Suite(.endToEnd) struct SQLShellTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess
    private let screen: TmuxScreen

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
        try home.hark("record", "checkout", "amount:=59.5", "--quiet")
        try home.hark("record", "tap", "--quiet")
        screen = try TmuxScreen(home, columns: 40, rows: 15, environment: ["XDG_STATE_HOME": home.files.path("own")])
        try screen.run("$hark sql")
        try screen.wait(for: "hark>")
    }

    /// Types a line and ends it; tmux takes a semicolon at the end for its own.
    private func enter(_ line: String) throws {
        try screen.type(line.hasSuffix(";") ? line.dropLast() + "\\;" : line)
        try screen.press("Enter")
    }

    private func leave() throws {
        try screen.press("C-d")
        try screen.wait(for: "\n$")
    }

    @Test("a statement goes over several lines to its semicolon, and another one follows")
    func lines() throws {
        try enter("select name,")
        try screen.wait(for: "...>")
        try enter("amount from events order by seq;")
        try screen.wait(for: "2 rows")
        #expect(try screen.text.contains("name      amount\ncheckout    59.5\ntap         NULL"))
        try enter("select 'second' as x;")
        try screen.wait(for: "1 row,")
        try leave()
    }

    @Test("Tab completes words, commands tell of tables, mistakes leave the shell as it was")
    func help() throws {
        try screen.type("sel")
        try screen.press("Tab")
        try screen.type("count(*) from ev")
        try screen.press("Tab")
        try screen.wait(for: "select count(*) from events")
        try screen.press("C-u")
        try enter(".tables")
        try screen.wait(for: "presentations")
        try screen.press("C-l")
        try enter(".schema events")
        // The last column, as the first have gone by on a terminal of 40 columns and 24 lines.
        try screen.wait(for: "the group of that")
        try screen.press("C-l")
        try enter("select name form events;")
        try screen.wait(for: "error: ")
        try enter(".tabels")
        // On a terminal of 40 columns it goes over two lines.
        try screen.wait(for: "did you mea\nn .tables?")
        try enter(".mode json")
        try enter("select 1 as n;")
        try screen.wait(for: #"{"n":1}"#)
        try enter(".quit")
        try screen.wait(for: "\n$")
    }

    @Test("Ctrl-C stops a statement that would never end, or gives a line up, and the shell goes on")
    func interrupts() throws {
        try enter("with recursive t(x) as (select 1 union all select x + 1 from t) select max(x) from t;")
        try screen.press("C-c")
        try screen.wait(for: "interrupted")
        try screen.type("select what was never meant")
        try screen.wait(for: "meant")
        try screen.press("C-c")
        try enter("select 6 * 7 as answer;")
        try screen.wait(for: "    42")
        try leave()
    }

    @Test("a long line wraps, is edited in its middle, and stays whole when the terminal changes its size")
    func wrapping() throws {
        try screen.type("select 'a text that is longer than the terminal is wide' as x")
        for (columns, expected) in [
            (30, "hark> select 'a text that is l\nonger than the terminal is wid\ne' as x"),
            (60, "hark> select 'a text that is longer than the terminal is wid\ne' as x"),
        ] {
            try screen.resize(columns: columns, rows: 15)
            try screen.wait(for: expected)
        }
        try screen.press("Home", "Right", "Right", "Right", "Right", "Right", "Right")
        try screen.type(" 'first', ")
        try screen.press("End")
        try enter(";")
        try screen.wait(for: "1 row")
        let text = try screen.text
        // tmux tells the program of its new size a moment after it shows it, so the text may be cut or not.
        #expect(text.contains("'first'  x\nfirst    a text that is longe"), "\(text)")
        try leave()
    }

    @Test("what was typed is there the next time, in a file of its owner's alone")
    func history() throws {
        try enter("select 'remember me';")
        try screen.wait(for: "1 row")
        try leave()
        let file = home.files.path("own/hark/sql_history")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        try screen.run("$hark sql")
        try screen.wait(for: "hark>")
        try screen.press("Up")
        try screen.wait(for: "hark> select 'remember me';")
        try screen.press("Down")
        try screen.type("select 'new'")
        try screen.wait(for: "hark> select 'new'")
        try screen.press("C-u")
        try leave()
    }

    @Test("pasted lines are entered one after the other")
    func paste() throws {
        try screen.paste("select 'one' as a;\nselect 'two'\n as b;\nselect 'thr")
        try screen.wait(for: "hark> select 'thr")
        let text = try screen.text
        #expect(text.contains("a\none\n") && text.contains("b\ntwo\n"))
        try screen.press("C-c")
        try leave()
    }

    @Test("a table that is too wide is cut, and one with too many columns is a list")
    func narrow() throws {
        try enter("select 'abcdefghijklmnopqrstuvwxyz' as x, '日本語日本語日本語日本語' as y;")
        try screen.wait(for: "1 row")
        #expect(try screen.text.contains("abcdefghijklmnopqr…  日本語日本語日本語"))
        try screen.press("C-l")
        try enter("select * from events where name = 'tap';")
        try screen.wait(for: "1 row")
        #expect(try screen.text.contains("name        tap\n"))
        try leave()
    }

    @Test("a daemon that starts anew is found again")
    func restart() throws {
        try enter("select count(*) from events;")
        try screen.wait(for: "1 row")
        daemon.kill()
        try enter("select count(*) from events;")
        try screen.wait(for: "error: ")
        let next = try home.start()
        try screen.press("C-l")
        try enter("select count(*) + 40 from events;")
        try screen.wait(for: "42")
        try leave()
        next.kill()
    }
}
