import Foundation
import HarkWire
import Testing

/// `kill -9` between a trigger and the program it fires: each ran exactly once, or is reported.
@Suite(.endToEnd) struct ExecutionKillTests {
    private static let rounds = 40
    private static let each = 24

    private let home: DaemonHome
    private let ran: String

    init() throws {
        home = try DaemonHome()
        ran = home.files.path("ran")
        try home.files.write("", to: "ran")
        try home.configure(#"{"notify":null,"retention":"none"}"#)
    }

    /// How often each execution's program ran.
    private func counts() throws -> [String: Int] {
        try String(contentsOfFile: ran, encoding: .utf8).split(separator: "\n").reduce(into: [:]) {
            $0[String($1), default: 0] += 1
        }
    }

    @Test(
        "C2 C4: 40 × kill -9 between triggers and programs: no program runs twice, none is forgotten, no count is lost")
    func kills() throws {
        var daemon = try home.start()
        var interrupted: Set<String> = []
        for round in 0..<Self.rounds {
            let client = try daemon.connect()
            let app = "app-\(round)"
            try client.call("counter.register", #"{"name":"c","app":"\#(app)"}"#)
            // One line of shell appends its id at once, so that a program has run or has not.
            for number in 0..<Self.each {
                try client.call(
                    "execution.add",
                    #"{"id":"\#(round)-\#(number)","app":"\#(app)","when":{"c":{"op":"gte","value":\#(number / 3 + 1)}},"#
                        + #""run":{"exec":["sh","-c","echo $HARK_EXECUTION_ID >> \#(ran)"]}}"#)
            }
            let lines = (0..<8).map {
                #"{"id":\#($0),"method":"counter.trigger","params":{"name":"c","app":"\#(app)"}}"#
            }
            var acknowledged = 0
            for line in lines {
                try client.send(line + "\n")
                if Bool.random() { acknowledged = Int(try client.reply().result?["value"]?.intValue ?? -1) }
            }
            pass(milliseconds: 0...30)
            daemon.kill()
            daemon = try home.start()

            let again = try daemon.connect()
            let value = try again.call("counter.get", #"{"name":"c","app":"\#(app)"}"#)["value"]?.intValue ?? -1
            #expect(value >= acknowledged && value <= 8, "\(acknowledged) were acknowledged, there are \(value)")
            // Executions that did not fire yet fire now; then all come to an end.
            try again.call("counter.set", #"{"name":"c","app":"\#(app)","value":\#(Self.each)}"#)
            var states: [JSONValue: Int] = [:]
            try waitUntil("all runs of round \(round) have ended: \(states)", within: 30) {
                let list = try again.call("execution.list", #"{"app":"\#(app)","limit":1000}"#)
                #expect(list["executions"] == [])
                let runs = list["runs"]?.arrayValue ?? []
                states = runs.reduce(into: [:]) { $0[$1["state"] ?? .null, default: 0] += 1 }
                interrupted.formUnion(
                    runs.filter { $0["state"] == "interrupted" }.compactMap { $0["executionId"]?.stringValue })
                return runs.count == Self.each && states.keys.allSatisfy { ["done", "interrupted"].contains($0) }
            }
        }
        let counts = try counts()
        for round in 0..<Self.rounds {
            for number in 0..<Self.each {
                let id = "\(round)-\(number)"
                let count = counts[id] ?? 0
                #expect(count == 1 || count == 0 && interrupted.contains(id), "\(id) ran \(count) times")
            }
        }
        // It is no proof if the kills never met a program.
        #expect(!interrupted.isEmpty)
        let reported = try daemon.connect().call("execution.list", #"{"limit":1000}"#)["runs"]?.arrayValue ?? []
        #expect(
            Set(reported.filter { $0["state"] == "interrupted" }.compactMap { $0["executionId"]?.stringValue })
                == interrupted)
    }
}
