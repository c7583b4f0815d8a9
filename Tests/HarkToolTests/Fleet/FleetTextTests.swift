import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The state of a fleet, on a terminal and for programs.
@Suite struct FleetTextTests {
    private static let now = Timestamp("2026-11-21T12:00:00.000Z") ?? Timestamp(milliseconds: 0)

    private static let hub = #"""
        {"role":"hub","fleet":"shop","broker":"mqtt://127.0.0.1:1883","state":"serving","problem":null,"hub":"h",
        "documents":[{"kind":"surveys","group":"north","version":"5f1a","pushedAt":"2026-11-21T11:58:00.000Z"}],
        "machines":[],"machineCount":3,"hereCount":2,"refused":0,"next":null}
        """#

    private static let machines = [
        #"{"machine":"kiosk-1","group":"north","log":"l","here":true,"seenAt":"2026-11-21T11:59:57.000Z","cursor":9,"pending":0,"lagSeconds":0.0,"version":"0.2.0","documents":[{"kind":"surveys","version":"59ddc967a8e3820b"}],"note":null}"#,
        #"{"machine":"kiosk-1~2","group":null,"log":"m","here":true,"seenAt":"2026-11-21T11:59:59.900Z","cursor":9,"pending":1234,"lagSeconds":75,"version":"0.2.0","documents":[{"kind":"forms","version":"77","problem":"no form"}],"note":"a copy of kiosk-1's disk"}"#,
        #"{"machine":"kiosk-2","group":null,"log":"n","here":false,"seenAt":null,"cursor":0,"pending":null,"lagSeconds":3,"version":"","documents":[],"note":null}"#,
    ]

    private func text(columns: Int? = nil, isPart: Bool = false, machines: [String] = machines) -> String {
        let report = FleetReport(JSONText(Self.hub), machines: machines.map { JSONText($0) })
        return FleetText(
            report: report, style: TextStyle(coloured: false), columns: columns, now: Self.now, isPart: isPart
        ).text
    }

    @Test("of a hub: what it is, then each machine, then how many are there and behind")
    func hub() {
        #expect(
            text() == """
                fleet     shop at mqtt://127.0.0.1:1883, as its hub
                state     serving the fleet
                document  surveys 5f1a for group north, pushed 2 min ago

                machine    group  connected  seen     waiting  behind      harkd  documents
                kiosk-1    north  yes        3 s ago  0        -           0.2.0  surveys 59ddc967
                kiosk-1~2         yes        now      1,234    1 min 15 s  0.2.0  forms 77
                kiosk-2           no         never    ?        3 s

                kiosk-1~2: a copy of kiosk-1's disk
                kiosk-1~2: forms not in force: no form

                2 of 3 machines are connected; 1 is behind
                """)
    }

    @Test("a hub without machines has no table, and no gap in its place")
    func noMachines() {
        let hub = Self.hub.replacing("\"machineCount\":3,\"hereCount\":2", with: "\"machineCount\":0,\"hereCount\":0")
        let report = FleetReport(JSONText(hub), machines: [])
        let text = FleetText(report: report, style: TextStyle(coloured: false), columns: nil, now: Self.now).text
        #expect(text.hasSuffix("2 min ago\n\nno machine has been heard of yet"), "\(text)")
    }

    @Test("where only some are asked for, nothing is said of the whole")
    func part() {
        #expect(text(isPart: true, machines: [Self.machines[0]]).hasPrefix("machine  group"))
        #expect(
            text(isPart: true, machines: [Self.machines[0]]).hasSuffix("1 of 1 machine is connected; none is behind"))
        #expect(text(machines: []).hasSuffix("no machine has been heard of yet"))
    }

    @Test("of more machines than anybody reads some are shown, and all are counted")
    func cut() {
        var report = FleetReport(
            JSONText(
                #"{"role":"hub","state":"serving","machineCount":9000,"hereCount":8000,"behindCount":2,"machines":[]}"#),
            machines: Self.machines.map { JSONText($0) })
        report.isCut = true
        let text = FleetText(report: report, style: TextStyle(coloured: false), columns: nil, now: Self.now).text
        #expect(text.contains("8,000 of 9,000 machines are connected; 2 are behind"))
        #expect(text.contains("These are the first 3."))
    }

    @Test("what waits to be cleared stands with the command that removes it")
    func clears() {
        let status = #"""
            {"role":"hub","state":"serving","clears":[
            {"machine":"kiosk-1","target":"user","userId":"ada l.","sessions":3,"clearedAt":"2026-11-21T11:58:00.000Z"},
            {"machine":"kiosk-1~2","target":"user","userId":null,"sessions":1,"clearedAt":"2026-11-21T11:58:00.000Z"},
            {"machine":"kiosk-3","target":"all","sessions":2,"clearedAt":"2026-11-21T11:58:00.000Z"}]}
            """#
        let report = FleetReport(JSONText(status), machines: [])
        let lines = FleetText(report: report, style: TextStyle(coloured: false), columns: nil, now: Self.now).text
            .split(separator: "\n").filter { $0.hasPrefix("to clear") }
        #expect(
            lines == [
                "to clear  kiosk-1: user \"ada l.\", 3 sessions, cleared 2 min ago: hark clear --machine kiosk-1 --user 'ada l.'",
                "to clear  kiosk-1~2: all anonymous users, 1 session, cleared 2 min ago: "
                    + "hark clear --machine 'kiosk-1~2' --anonymous",
                "to clear  kiosk-3: all, 2 sessions, cleared 2 min ago: hark clear --machine kiosk-3",
            ])
    }

    @Test("a terminal of few columns gets the columns there is room for", arguments: [78, 60, 40, 20, 8])
    func narrow(_ columns: Int) {
        let lines = text(columns: columns, isPart: true).split(separator: "\n", omittingEmptySubsequences: false)
        let table = lines.prefix { !$0.isEmpty }
        #expect(table.count == 4)
        for line in table { #expect(TextWidth.of(line) <= columns, "\(line)") }
        #expect(table[1].hasPrefix("kiosk-1"))
    }

    @Test("of a machine: broker, hub, what was sent and what waits, what came from the hub, what is wrong")
    func machine() {
        let status = #"""
            {"role":"machine","fleet":"shop","broker":"mqtt://b:1883","state":"alone","problem":"no hub was ever here","hub":null,
            "documents":[{"kind":"flags","version":"9","problem":"not JSON"}],"machine":"kiosk-1","group":"north","log":"l",
            "cursor":1200,"pending":1,"acknowledgedAt":"2026-11-21T11:00:00.000Z","notes":["another has its disk"]}
            """#
        let report = FleetReport(JSONText(status), machines: [])
        let text = FleetText(report: report, style: TextStyle(coloured: false), columns: 80, now: Self.now).text
        #expect(
            text == """
                fleet     shop at mqtt://b:1883
                machine   kiosk-1, in group north
                state     the broker is reached, but there is no hub
                problem   no hub was ever here
                sent      up to #1200, 1 record waits, acknowledged 1 h ago
                document  flags 9; not in force: not JSON
                note      another has its disk
                """)
    }

    @Test("all pages are one, also as JSON")
    func pages() throws {
        let daemon = MadeUpDaemon { _, params in
            let after = params["after"]?.stringValue
            let name = params["machine"]?.stringValue ?? "-"
            return .result(
                after == nil
                    ? #"{"role":"hub","machines":[{"machine":"a \#(name)"}],"next":"x"}"#
                    : #"{"role":"hub","machines":[{"machine":"b \#(name)"}],"next":null}"#)
        }
        var connection = Connection(adopting: daemon.descriptor)
        let report = try FleetReport(&connection, machine: "k*")
        #expect(report.json == #"{"role":"hub","machines":[{"machine":"a k*"},{"machine":"b k*"}],"next":null}"#)
        #expect(daemon.methods.count == 2)
        let none = MadeUpDaemon { _, _ in .result(#"{"role":null}"#) }
        var other = Connection(adopting: none.descriptor)
        #expect(try FleetReport(&other, machine: nil).json == #"{"role":null}"#)
    }

    private static let held =
        #"{"id":"nps","member":"quota","version":"0.2.0","whole":true},{"id":"b c","member":"thanks","version":"0.2.0","whole":false}"#

    @Test("of machines with an older Hark: how much is held back; of one that is asked for, what")
    func held() {
        let machine =
            #"{"machine":"kiosk-1","here":true,"pending":0,"version":"0.1.0","documents":[{"kind":"surveys","version":"59","heldCount":3,"held":[HELD]},{"kind":"forms","version":"60","heldCount":1,"held":[]}]}"#
        let many = text(machines: [machine.replacing("HELD", with: ""), Self.machines[0]])
        #expect(many.contains("held back"))
        #expect(many.contains("3 surveys, 1 form"))
        #expect(
            many.hasSuffix(
                """
                2 of 2 machines are connected; none is behind
                1 machine has an older Hark, which cannot read everything that is pushed: hark fleet status MACHINE shows what is held back
                """))
        let one = text(isPart: true, machines: [machine.replacing("HELD", with: Self.held)])
        #expect(
            one.contains(
                """
                kiosk-1: survey nps needs Hark 0.2.0 (quota)
                kiosk-1: survey "b c" goes without thanks (Hark 0.2.0)
                kiosk-1: 2 surveys more
                """), "\(one)")
        #expect(!text().contains("held back") && !text().contains("older"))
    }

    @Test("a machine tells what its Hark cannot read, and of a whole file that it is the whole")
    func ownHeld() {
        let status = #"""
            {"role":"machine","fleet":"shop","broker":"b","state":"ready","documents":[
            {"kind":"surveys","version":"9","problem":null,"heldCount":1,"held":[HELD]},
            {"kind":"forms","version":"8","problem":null,"heldCount":4,"held":[
            {"id":null,"member":"atMost","version":"0.3.0","whole":true}]}],"machine":"kiosk-1","pending":0}
            """#.replacing("HELD", with: Self.held)
        let lines = FleetText(
            report: FleetReport(JSONText(status), machines: []), style: TextStyle(coloured: false), columns: nil,
            now: Self.now
        ).text.split(separator: "\n").filter { $0.hasPrefix("held back") }
        #expect(
            lines == [
                "held back survey nps needs Hark 0.2.0 (quota)",
                #"held back survey "b c" goes without thanks (Hark 0.2.0)"#,
                "held back all forms need Hark 0.3.0 (atMost)",
            ])
    }

    @Test("what others wrote moves no cursor")
    func harmless() {
        let machine = #"{"machine":"a\u001b[2J","here":true,"documents":[],"note":"b\u0007"}"#
        let shown = text(machines: [machine])
        #expect(!shown.contains("\u{1B}") && !shown.contains("\u{7}"))
    }
}
