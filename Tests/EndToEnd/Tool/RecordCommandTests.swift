import Foundation
import HarkWire
import Testing

/// `hark record` and `hark record --stdin` against the real daemon.
@Suite(.endToEnd) struct RecordCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    private func events() throws -> [JSONValue] {
        try home.hark("events", "--json").lines.map { try SocketClient.parse(Array($0.utf8)) }
    }

    @Test("E3: what is recorded from a shell is there with its types, and a script hears nothing")
    func types() throws {
        let run = try home.hark(
            "record", "backup.done", "host=nas 1", "size:=12.5", "count:=3", "ok:=true", #"q:="\u00e9""#)
        #expect(run.ending == .exited(0))
        #expect(run.output + run.errors == "")
        let event = try #require(try events().first)
        #expect(event["name"] == "backup.done")
        #expect(event["properties"] == ["host": "nas 1", "size": 12.5, "count": 3, "ok": true, "q": "é"])
    }

    @Test("--json prints the daemon's answer")
    func reply() throws {
        let answer = try SocketClient.parse(Array(try home.hark("record", "a", "--json").lines[0].utf8))
        #expect(try answer["id"] == events().first?["id"])
        #expect(answer["seq"] != nil)
    }

    @Test("without a daemon the exit code is 69, and the error says where it looked and what to do")
    func noDaemon() throws {
        daemon.kill()
        let run = try home.hark("record", "a")
        #expect(run.ending == .exited(69))
        #expect(run.errors.contains(home.socket))
        #expect(run.errors.contains("systemctl --user start harkd"))
    }

    @Test(
        "a wrong command line is refused with what to do instead, and nothing is recorded",
        arguments: [
            (["record"], "NAME"), (["record", "a", "b"], "b=text"), (["record", "a", "b:=x"], "'b=x'"),
            (["record", "a", "b=1", "b=2"], "twice"), (["record", "a", "--nope"], "--nope"),
            (["record", "a", "--name", "b"], "--stdin"), (["recrod", "a"], "'record'"),
            (["record", "--stdin", "a"], "'a'"),
        ])
    func wrongCommandLine(words: [String], expected: String) throws {
        let run = try home.hark(words)
        #expect(run.ending == .exited(64))
        #expect(run.errors.contains(expected))
        #expect(try events().isEmpty)
    }

    @Test("what the daemon refuses exits with 65 and names the member")
    func refused() throws {
        let run = try home.hark("record", String(repeating: "x", count: 300))
        #expect(run.ending == .exited(65))
        #expect(run.errors.contains("(NAME)"))
    }

    @Test("of many lines the wrong ones are named with their numbers, and the others recorded")
    func someLinesWrong() throws {
        let run = try home.hark(
            ["record", "--stdin", "--app", "kiosk"],
            input: """
                {"name":"one"}

                no object
                {"name":"two","properties":{"n":[1]}}
                {"name":"three","propertis":{}}
                {"name":"four",}
                {"name":"five"},"method":"event.clear","params":{"all":true}
                {"name":"six","app":"other"}
                {"name":"seven"}
                """)
        #expect(run.ending == .exited(65))
        #expect(try events().map { $0["name"]?.stringValue } == ["one", "three", "seven"])
        for (line, word) in [
            (3, "JSON object"), (4, "'n'"), (5, "warning"), (6, "JSON"), (7, "more follows"), (8, "'app'"),
        ] {
            let said = run.errors.split(separator: "\n").first { $0.hasPrefix("stdin:\(line): ") }
            #expect(said?.contains(word) == true, "line \(line): \(said ?? "nothing")")
        }
        #expect(!run.errors.contains("stdin:1:") && !run.errors.contains("stdin:9:"))
    }

    @Test("of ten thousand refused lines the first are told, and the others counted by what is wrong")
    func manyWrong() throws {
        let lines = (0..<10_000).map { $0 % 4 == 0 ? "no object" : #"{"name":"a","properties":{"p\#($0)":[]}}"# }
        let run = try home.hark(
            ["record", "--stdin"], input: lines.joined(separator: "\n") + "\n{\"name\":\"last\"}\n")
        #expect(run.ending == .exited(65))
        let said = run.errors.split(separator: "\n")
        #expect(said.count == 13, "\(run.errors.prefix(2_000))")
        #expect(said.prefix(10).allSatisfy { $0.hasPrefix("stdin:") })
        #expect(run.errors.contains("and 9,990 more:") && run.errors.contains("times, first stdin:"))
        #expect(try events().map { $0["name"] } == ["last"])
    }

    @Test("a byte order mark is no part of the first line, in whichever form it is")
    func mark() throws {
        #expect(try home.hark(["record", "--stdin"], input: "\u{FEFF}{\"name\":\"a\"}\n").ending == .exited(0))
        #expect(try home.hark(["record", "--stdin", "--bare"], input: "\u{FEFF}b\n").ending == .exited(0))
        #expect(try home.hark(["record", "--stdin", "--csv"], input: "\u{FEFF}name,n\nc,1\n").ending == .exited(0))
        #expect(try events().map { $0["name"] } == ["a", "b", "c"])
    }

    @Test("null is no property, wherever it stands, and the reply names it")
    func null() throws {
        #expect(try home.hark("record", "a", "x:=null", "y:=1").ending == .exited(0))
        let run = try home.hark(["record", "--stdin"], input: #"{"name":"b","properties":{"x":null,"y":2}}"# + "\n")
        #expect(run.ending == .exited(0) && run.errors.isEmpty, "\(run.errors)")
        #expect(try events().map { $0["properties"] } == [["y": 1], ["y": 2]])
        let client = try daemon.connect()
        let reply = try client.ask("event.record", #"{"name":"c","properties":{"x":null}}"#)
        #expect(reply.result?["droppedProperties"] == ["x"])
        let session = try client.ask("session.start", #"{"metadata":{"x":null,"y":1}}"#)
        #expect(session.result?["session"]?["metadata"] == ["y": 1])
        #expect(session.result?["droppedMetadata"] == ["x"])
    }

    @Test("--timestamp takes just what \"timestamp\" takes in JSON")
    func oneReader() throws {
        let texts = [
            "2026-11-21T12:08:00+01:00", "2026-11-21 12:08:00+0100", "2026-11-21 12:08", "@1700000000.5",
            "Sat Nov 21 11:08:00 UTC 2026", "Sat, 21 Nov 2026 12:08:00 +0100", "2026-11-21", "yesterday", "later",
            "2026-02-30",
            "2026-11-21 12:08:00 XYZT", "1700000000", "",
        ]
        for text in texts {
            let option = try home.hark("record", "a", "--timestamp", text)
            let line = try home.hark(["record", "--stdin"], input: #"{"name":"a","timestamp":"\#(text)"}"# + "\n")
            #expect(
                (option.ending == .exited(0)) == (line.ending == .exited(0)), "\(text): \(option.errors) \(line.errors)"
            )
        }
        let times = try events().compactMap { $0["timestamp"]?.stringValue }
        #expect(times.count == 14)
        for place in stride(from: 0, to: times.count, by: 2) { #expect(times[place] == times[place + 1]) }
    }

    @Test("nested objects are refused with the option that flattens them")
    func nested() throws {
        let line = #"{"name":"a","properties":{"a":{"b":1}}}"# + "\n"
        let refused = try home.hark(["record", "--stdin"], input: line)
        #expect(refused.ending == .exited(65) && refused.errors.contains("--flatten"))
        #expect(try home.hark(["record", "--stdin", "--flatten"], input: line).ending == .exited(0))
        #expect(try events().map { $0["properties"] } == [["a.b": 1]])
    }

    @Test("a table becomes events, once each")
    func table() throws {
        let rows = "date;kind;amount\n2026-11-21 11:08:00Z;sale;\"1,5\"\n@0;\"a\nb\";2\n"
        let run = try home.hark(
            ["record", "--stdin", "--csv", "--name-from", "kind", "--time-from", "date"], input: rows)
        #expect(run.ending == .exited(0), "\(run.errors)")
        #expect(try events().map { $0["name"] } == ["sale", "a\nb"])
        #expect(try events().map { $0["properties"] } == [["amount": 1.5], ["amount": 2]])
        #expect(try events()[1]["timestamp"] == "1970-01-01T00:00:00.000Z")
        let wrong = try home.hark(["record", "--stdin", "--csv"], input: "a,b\n1,2\n")
        #expect(wrong.ending == .exited(65) && wrong.errors.contains("--name-from"))
    }

    @Test("lines of standard input become messages of the log")
    func logLines() throws {
        let run = try home.hark(
            ["log", "--stdin", "--level", "warning", "job=b"], input: "one\n\n two \u{e4}\r\nthree")
        #expect(run.ending == .exited(0) && run.errors.isEmpty, "\(run.errors)")
        let entries = try home.hark("logs", "--json").lines.map { try SocketClient.parse(Array($0.utf8)) }
        #expect(entries.map { $0["message"] } == ["one", " two ä", "three"])
        #expect(entries.allSatisfy { $0["level"] == "warning" && $0["metadata"] == ["job": "b"] })
        let none = try home.hark("log")
        #expect(none.ending == .exited(64) && none.errors.contains("--stdin"))
    }

    @Test("lines of properties and bare names become events too")
    func otherForms() throws {
        #expect(try home.hark(["record", "--stdin", "--name", "cpu"], input: "{\"load\":1.5}\n").ending == .exited(0))
        #expect(try home.hark(["record", "--stdin", "--bare"], input: "door \"2\"\n").ending == .exited(0))
        #expect(try events().map { $0["name"] } == ["cpu", "door \"2\""])
        #expect(try events()[0]["properties"] == ["load": 1.5])
    }

    @Test("E4: 20,000 lines are recorded in their order")
    func many() throws {
        let input = (1...20_000).map { "{\"name\":\"n\",\"properties\":{\"i\":\($0)}}\n" }.joined()
        #expect(try home.hark(["record", "--stdin"], input: input).ending == .exited(0))
        #expect(try events().map { $0["properties"]?["i"]?.intValue } == (1...20_000).map { Int64($0) })
    }

    @Test("each line is recorded when it comes, and Ctrl-C tells how many are safe")
    func interrupted() throws {
        let tool = try RunningTool(home, "record", "--stdin")
        try tool.write("{\"name\":\"a\"}\n{\"name\":\"b\"}\n{\"name\":\"unfinished")
        try waitUntil("two events are there") { try events().count == 2 }
        tool.child.signal(SIGINT)
        #expect(try tool.child.wait() == .signaled(SIGINT))
        #expect(try tool.errors.contains("interrupted; 2 of 2 lines are safely recorded"))
    }

    @Test("when the daemon is killed and stays away, what is called safe is there afterwards")
    func daemonKilled() throws {
        let endless = #"yes '{"name":"n","properties":{"text":"not much"}}' | "$0" record --stdin --wait 1"#
        let tool = try RunningTool(home, command: ["bash", "-c", endless, Programs.hark])
        try waitUntil("events come in") { try home.hark("events", "--limit", "1", "--json").lines.count == 1 }
        daemon.kill()
        #expect(try tool.child.wait() == .exited(69))
        let errors = try tool.errors
        let match = try #require(
            errors.firstMatch(of: /the daemon went away; ([\d,]+) of [\d,]+ lines? (?:is|are) safely/))
        let safe = try #require(Int(match.1.replacing(",", with: "")))
        let again = try home.start()
        let stored = try again.connect().call("daemon.status")["store"]?["events"]?.intValue
        #expect(safe > 0)
        #expect(try #require(stored) >= Int64(safe))
    }

    @Test("E11: while the daemon is killed again and again, each line is recorded once and in order")
    func killedAgainAndAgain() throws {
        let lines = 200_000
        let feed = """
            seq -f '{"name":"n","properties":{"i":%.0f}}' \(lines) | "$0" record --stdin
            """
        let tool = try RunningTool(home, command: ["bash", "-c", feed, Programs.hark])
        var running = daemon
        for round in 1...5 {
            try waitUntil("more comes in") {
                let client = try running.connect()
                return try client.call("daemon.status")["store"]?["lastSeq"]?.intValue ?? 0 > Int64(round * 20_000)
            }
            running.kill()
            running = try home.start()
        }
        #expect(try tool.child.wait() == .exited(0))
        let errors = try tool.errors
        #expect(errors.contains("went away; waiting") && errors.contains("is back"))
        #expect(try events().map { $0["properties"]?["i"]?.intValue } == (1...lines).map { Int64($0) })
    }

    @Test("Ctrl-C ends the wait for a daemon that went away")
    func interruptedWhileAway() throws {
        let tool = try RunningTool(home, "record", "--stdin")
        try tool.write("{\"name\":\"a\"}\n")
        try waitUntil("the event is there") { try events().count == 1 }
        daemon.kill()
        try waitUntil("it waits") { try tool.errors.contains("waiting for it") }
        tool.child.signal(SIGINT)
        #expect(try tool.child.wait() == .signaled(SIGINT))
        #expect(try tool.errors.contains("interrupted; 1 of 1 line is safely recorded"))
    }

    @Test("E11: an event keeps the time it is given, and a line of many its own")
    func ownTime() throws {
        #expect(try home.hark("record", "a", "--timestamp", "2001-02-03T05:05:06+01:00").ending == .exited(0))
        let line = #"{"name":"b","timestamp":"2001-02-03T04:05:07.500Z"}"#
        #expect(try home.hark(["record", "--stdin"], input: line + "\n").ending == .exited(0))
        #expect(
            try events().map { $0["timestamp"]?.stringValue } == [
                "2001-02-03T04:05:06.000Z", "2001-02-03T04:05:07.500Z",
            ])
        let wrong = try home.hark("record", "c", "--timestamp", "later")
        #expect(wrong.ending == .exited(64) && wrong.errors.contains("2026-11-21T14:30:00Z"))
        #expect(try home.hark(["record", "--stdin", "--timestamp", "10m"], input: "").ending == .exited(64))
    }

    @Test(
        "a missing or full standard stream is an error where it is needed, and nothing else",
        arguments: [
            ("$hark record a <&-", 0), ("$hark record a >&-", 0), ("$hark record --stdin <&-", 66),
            ("$hark record a --json >&-", 74), ("$hark record a --json >/dev/full", 74), ("$hark recrod 2>&-", 64),
        ] as [(String, Int32)])
    func standardStreams(line: String, code: Int32) throws {
        #expect(try home.shell(line).ending == .exited(code))
    }
}
