import Foundation
import HarkTesting
import HarkWire
import Testing

/// `hark stats`, `hark chart` and `hark events --where` against the real daemon.
@Suite(.endToEnd) struct StatisticsCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"retention":"none"}"#)
        daemon = try home.start()
    }

    /// Records sales of several days: of numbers of all sizes, and of what is no number.
    private func fill() throws {
        var random = SplitMix64(state: 9)
        for user in ["ada", "bob"] {
            try home.hark("session", "start", "--user", user)
            var lines = ""
            for number in 0..<1_500 {
                let amount =
                    [
                        "\(Int.random(in: -50...50, using: &random))",
                        "\(Double.random(in: 0...1, using: &random) * pow(10, Double.random(in: -3...4, using: &random)))",
                        #""none""#, "true",
                    ][min(3, Int.random(in: 0..<20, using: &random) / 8)]
                let plan = ["", #","plan":"pro""#, #","plan":"frée""#, #","plan":3"#][number % 4]
                lines +=
                    #"{"name":"\#(number % 10 == 0 ? "lost" : "sold")","timestamp":"2026-03-\#(String(format: "%02d", Int.random(in: 1...5, using: &random)))T\#(String(format: "%02d", Int.random(in: 0...23, using: &random))):30:00Z","properties":{"amount":\#(amount),"item":\#(Int.random(in: 0..<2_000, using: &random))\#(plan)}}"#
                    + "\n"
            }
            #expect(try home.hark(["record", "--stdin"], input: lines).ending == .exited(0))
        }
    }

    @Test("A1: counts, sums, percentiles and different values are those of a plain walk in Python over the same events")
    func againstPython() throws {
        try fill()
        let events = try home.hark("events", "--json").output
        let stats = try home.hark(
            "stats", "sold", "amount", "--by", "plan,@user", "--distinct", "item", "--percentiles", "0,50,95,100",
            "--every",
            "1d", "--json"
        ).output
        try home.files.write(events, to: "events.jsonl")
        try home.files.write(stats, to: "stats.json")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/statistics_check.py"
        let check = try Child.run(["python3", script, home.files.path("events.jsonl"), home.files.path("stats.json")])
        #expect(check.ending == .exited(0), "\(check)")
        #expect(check.output.hasPrefix("2700 events in 8 groups"), "\(check)")
    }

    @Test("A1: a table has a row a group, and each bucket of time, empty ones as well")
    func table() throws {
        for (day, plan, amount) in [("01", "pro", 5), ("01", "free", 7), ("03", "pro", 10)] {
            try home.hark(
                "record", "sold", "plan=\(plan)", "amount:=\(amount)", "--timestamp", "2026-03-\(day)T12:00:00Z")
        }
        #expect(
            try home.hark("stats").lines == ["@name  count", "sold       3"])
        #expect(
            try home.hark("stats", "sold", "amount", "--every", "1d", "--percentiles", "50").lines == [
                "time        count  sum  mean  min  p50  max",
                "2026-03-01      2   12     6    5    5    7  ████████████████████████████████████████",
                "2026-03-02      0    -     -    -    -    -",
                "2026-03-03      1   10    10   10   10   10  ████████████████████",
            ])
        #expect(
            try home.hark("stats", "sold", "--by", "plan", "--every", "1d", "--csv").output
                == "from,to,plan,count\r\n2026-03-01T00:00:00.000Z,2026-03-02T00:00:00.000Z,pro,1\r\n"
                + "2026-03-02T00:00:00.000Z,2026-03-03T00:00:00.000Z,pro,0\r\n"
                + "2026-03-03T00:00:00.000Z,2026-03-04T00:00:00.000Z,pro,1\r\n"
                + "2026-03-01T00:00:00.000Z,2026-03-02T00:00:00.000Z,free,1\r\n"
                + "2026-03-02T00:00:00.000Z,2026-03-03T00:00:00.000Z,free,0\r\n"
                + "2026-03-03T00:00:00.000Z,2026-03-04T00:00:00.000Z,free,0\r\n")
        #expect(try home.hark("stats", "--by", "user").errors.contains("'@user'"))
    }

    @Test("A2: a chart shows every bucket, and its picture is XML without anything that somebody recorded in it")
    func chart() throws {
        for day in ["01", "03"] {
            try home.hark("record", "sold", "plan=<b>&\u{1}", "--timestamp", "2026-03-\(day)T12:00:00Z")
        }
        let lines = try home.hark("chart", "sold", "--every", "1d").lines
        #expect(lines.first == "sold: events, every day")
        #expect(lines.contains("0 │█████       █████"), "\(lines)")
        let picture = home.files.path("chart.svg")
        #expect(try home.hark("chart", "sold", "--every", "1d", "--by", "plan", "--svg", picture).ending == .exited(0))
        let check = try Child.run([
            "python3", "-c",
            "import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); print(len(d.getElementsByTagName('rect')), "
                + "[t.firstChild.data for t in d.getElementsByTagName('text')][1])", picture,
        ])
        #expect(check.output == "2 <b>&\\x01\n", "\(check)")
        let refused = try home.hark("chart", "sold", "--every", "1d", "--svg", home.files.path("none/chart.svg"))
        #expect(refused.ending == .exited(73))
    }

    @Test("A5: --where and --csv show the events that are so, with a column for each property there is")
    func events() throws {
        try home.hark("session", "start", "--user", "ada")
        try home.hark("record", "sold", "amount:=60", "plan=pro")
        try home.hark("record", "sold", "amount:=40", "plan=pro")
        try home.hark("record", "sold", "amount:=70", "name=a,\"b\"")
        let lines = try home.hark("events", "--where", "amount > 50 and @user = ada", "--csv").output
            .split(whereSeparator: \.isNewline)
        #expect(lines.count == 3)
        #expect(lines.first == "seq,timestamp,name,userId,sessionId,uid,pid,amount,plan,properties.name")
        #expect(lines[1].hasSuffix(",60,pro,") && lines[2].hasSuffix(",70,,\"a,\"\"b\"\"\""))
        let refused = try home.hark("events", "--where", "amount > 50 an")
        #expect(refused.ending == .exited(65) && refused.errors.contains("at character 13, 'an'"), "\(refused)")
        #expect(refused.errors.contains("--where"))
    }
}
