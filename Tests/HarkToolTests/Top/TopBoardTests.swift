import HarkAsking
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

@Suite struct TopBoardTests {
    private func board(_ ticks: [[(name: String, count: Int64)]], seconds: Double = 1) -> TopBoard {
        var board = TopBoard()
        for tick in ticks { board.take(tick, seconds: seconds) }
        return board
    }

    @Test("rates are by the second, what comes later was quiet before, and what is quiet goes on as nothing")
    func rates() {
        let board = board([[("a", 10)], [("a", 4), ("b", 2)], [("b", 6)]], seconds: 2)
        #expect(board.rows["a"]?.rates == [5, 2, 0])
        #expect(board.rows["b"]?.rates == [0, 1, 3])
        #expect(board.rows["a"]?.total == 14)
        #expect(board.sums == [5, 3, 3])
    }

    @Test("the order is by rate, number or name")
    func order() {
        var board = board([[("a", 9), ("b", 1), ("c", 5)], [("b", 3), ("c", 3)]])
        #expect(board.ordered.map(\.name) == ["c", "b", "a"])
        board.order = .total
        #expect(board.ordered.map(\.name) == ["a", "c", "b"])
        board.order = .name
        #expect(board.ordered.map(\.name) == ["a", "b", "c"])
    }

    @Test("however many names there are, a bounded number is kept, and those that come most are among them")
    func bound() {
        var board = TopBoard()
        for tick in 0..<5 {
            board.take([("often", 100)] + (0..<1_000).map { ("n\(tick * 1_000 + $0)", 1) }, seconds: 1)
        }
        #expect(board.rows.count == TopBoard.names)
        #expect(board.rows["often"]?.total == 500)
        for _ in 0..<200 { board.take([], seconds: 1) }
        #expect(board.rows["often"]?.rates.count == TopBoard.ticks)
    }

    @Test("a line of heights is as wide as it is to be, with blanks for nothing")
    func sparkline() {
        #expect(TopScreen.sparkline([0, 1, 4, 8], width: 6) == "   ▂▅█")
        #expect(TopScreen.sparkline([1, 2, 3], width: 2) == "▆█")
        #expect(TopScreen.sparkline([0, 0], width: 3) == "   ")
    }

    @Test("everything fits on a terminal of 40 columns and 15 rows, with a long name and a destination that lags")
    func narrow() {
        let status = DaemonStatusInfo(
            JSONText(
                """
                {"version":"0.1.0","uptimeSeconds":7200,"degradedReason":"the disk of /var/lib/hark is full; free some of it",\
                "commit":{"p50Microseconds":300,"p99Microseconds":1200},"destinations":[{"name":"hook","kind":"webhook",\
                "state":"waiting","pending":1200,"lastError":"connection refused"}],"problems":[]}
                """))
        let name = String(repeating: "長い名前", count: 20)
        let screen = TopScreen(
            board: board([[(name, 1_234_567), ("x", 1)]]), status: status, surveys: (2, false),
            size: TerminalSize(rows: 15, columns: 40))
        let lines = screen.frame.lines
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.width <= 40 })
        let text = lines.map(\.text).joined(separator: "\n")
        for part in ["0.1.0", "is full", "2 surveys wait", "hook: waiting, 1,200 wait", "1,234,567", "q ends"] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test("what a record is called moves no cursor")
    func control() {
        let screen = TopScreen(
            board: board([[("a\u{1B}[2Jb", 1)]]), status: DaemonStatusInfo(JSONText("{}")), surveys: (0, false),
            size: TerminalSize(rows: 24, columns: 80))
        #expect(!screen.printed.contains { $0.contains("\u{1B}") })
    }

    @Test("an archive that is off by choice is dim, behind what lags, and all names have a row together")
    func off() throws {
        let status = DaemonStatusInfo(
            JSONText(
                """
                {"version":"0.1.0","destinations":[{"name":"archive","kind":"archive","state":"off","pending":9},\
                {"name":"hook","kind":"http","state":"open","pending":2}]}
                """))
        let screen = TopScreen(
            board: board([[("x", 4), ("y", 2)]]), status: status, surveys: (0, false),
            size: TerminalSize(rows: 24, columns: 80), selected: "y")
        let lines = screen.frame.lines
        let texts = lines.map(\.text)
        let hook = try #require(texts.firstIndex { $0.hasPrefix("hook: open") })
        #expect(texts[hook + 1] == "archive: off, 9 wait")
        #expect(lines[hook].spans.map(\.look) == [.plain, .warning])
        #expect(lines[hook + 1].spans.map(\.look) == [.plain, .dim])
        let all = try #require(texts.first { $0.hasPrefix("all ") })
        #expect(all.contains(" 6.0 ") && all.hasSuffix("█"))
        #expect(texts.contains { $0.hasPrefix("▸ y ") } && texts.contains { $0.hasPrefix("x ") })
        #expect(lines.last?.spans.first?.look == .bar && lines.last?.width == 80)
        // A pipe gets neither.
        #expect(!screen.printed.contains { $0.hasPrefix("all ") })
    }

    @Test("keys select names in their order, and stop at the ends")
    func selection() {
        let board = board([[("a", 3), ("b", 2), ("c", 1)]])
        #expect(board.name(1, below: nil) == "a")
        #expect(board.name(1, below: "a") == "b")
        #expect(board.name(9, below: "a") == "c")
        #expect(board.name(-9, below: "c") == "a")
        #expect(TopBoard().name(1, below: nil) == nil)
    }
}
