import Foundation
import HarkWire
import Testing

/// What is done as it was asked for and is odd: it is said, and done all the same.
@Suite(.endToEnd) struct DoubtTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
        try home.hark("session", "start", "--user", "ada")
        try home.hark("record", "backup", "exitCode:=0")
        try home.hark("record", "sold", "amount=59.5")
    }

    /// Runs a command that succeeds, and has to say this, or nothing.
    private func expect(_ words: String?, from command: String..., sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let run = try home.hark(command)
        #expect(run.ending == .exited(0), "\(run.errors)", sourceLocation: sourceLocation)
        if let words {
            #expect(run.errors.contains(words), "\(run.errors)", sourceLocation: sourceLocation)
        } else {
            #expect(run.errors.isEmpty, "\(run.errors)", sourceLocation: sourceLocation)
        }
    }

    @Test("a condition on a property that no event has is doubted, with the nearest name")
    func conditions() throws {
        let words = "has a property 'exitcode'; did you mean 'exitCode'?"
        try expect(words, from: "watch", "add", "backup", "--every", "1h", "--where", "exitcode = 0")
        try expect(
            nil, from: "watch", "add", "backup", "--every", "1h", "--where", "exitCode = 0 and not (exitCode > 5)")
        try expect(words, from: "events", "--name", "backup", "--where", "exitcode != 1")
        try expect(words, from: "stats", "backup", "--where", "@user = ada and exitcode exists")
        try expect(nil, from: "events", "--where", "exitCode = 1 or @user = 'exitcode = 5'")
        try expect("did you mean 'backup'?", from: "watch", "add", "bakcup", "--every", "1h")
        try expect(nil, from: "watch", "add", "something_else", "--every", "1h", "--where", "x = 1")
    }

    @Test("files of settings and surveys are doubted where a daemon answers, with the place and the nearest name")
    func documents() throws {
        try home.hark("counter", "register", "opens", "--initial", "1")
        try home.files.write(
            """
            { "surveys": [ { "id": "a", "title": "T", "message": "M", "options": ["Yes"], "trigger": { "event": {
              "name": "backup", "where": "exitcode = 0" } } },
              { "id": "b", "title": "T", "message": "M", "options": ["Yes"], "trigger": { "event": {
              "name": "bakcup", "properties": { "x": 1 } }, "counters": { "oepns": { "op": "gte", "value": 2 } } } } ] }
            """, to: "config/surveys.json")
        try home.configure(
            """
            {
              // JSON5, as settings are
              "destinations": [ { "name": "d", "kind": "http", "url": "http://127.0.0.1:9/", "enabled": false, "kinds": ["event"],
                "names": ["back*", "sold"], "where": { "any": [ { "exitCode": 1 }, { "amuont": { "op": "gt", "value": 5 } } ] } } ],
              "counters": { "fan": {} },
              "executions": [ { "id": "e", "when": { "fan": 3, "oepns": 1 }, "run": { "notify": true } } ],
            }
            """)
        let surveys = home.configuration + "/surveys.json"
        let settings = home.configuration + "/harkd.json"
        var environment = home.environment
        environment["HARK_CONFIG"] = home.configuration
        let whole = try Child.run([Programs.hark, "config", "validate"], environment: environment)
        #expect(whole.ending == .exited(0), "\(whole)")
        let expected = [
            "\(surveys): $.surveys[0].trigger.event.where: warning: none of the newest events called backup has a property "
                + "'exitcode'; did you mean 'exitCode'?",
            "\(surveys): $.surveys[1].trigger.event: warning: no event 'bakcup' came of late; did you mean 'backup'?",
            "\(surveys): $.surveys[1].trigger.counters: warning: there is no counter 'oepns' yet; did you mean 'opens'?",
            "\(settings): $.destinations[0].where: warning: none of the newest events called back*, sold has a property "
                + "'amuont'; did you mean 'amount'?",
            "\(settings): $.executions[0].when: warning: there is no counter 'oepns' yet; did you mean 'opens'?",
        ]
        let said = whole.errors.split(separator: "\n").map(String.init)
        #expect(Set(said) == Set(expected), "\(said)")
        #expect(try home.hark("config", "validate", surveys).errors.split(separator: "\n").count == 3)

        try home.hark("survey", "remove", "b")
        let added = try home.hark("survey", "add", "--on", "sold", "--where", "amuont > 5", "What for?", "--text")
        #expect(added.ending == .exited(0) && added.errors.contains("did you mean 'amount'?"), "\(added)")
        daemon.kill()
        #expect(try home.hark("config", "validate", surveys).errors.isEmpty)
    }

    @Test("an execution on a counter that is not there is doubted, one on a counter that is there is not")
    func counters() throws {
        try home.hark("counter", "register", "opens", "--initial", "1")
        try expect(
            "no counter 'oepns' yet; did you mean 'opens'?", from: "execution", "add", "a", "--when", "oepns > 3",
            "--notify")
        try expect(nil, from: "execution", "add", "b", "--when", "opens > 3", "--notify")
        try expect("was the number 1, and becomes a text", from: "counter", "set", "opens", "5O")
        try expect(nil, from: "counter", "set", "opens", "6")
        try expect(nil, from: "counter", "set", "opens", "x", "--quiet")
    }

    @Test("a clear of somebody who is not there says so, with the nearest name")
    func users() throws {
        try expect("nothing of a user 'adda'; did you mean 'ada'?", from: "clear", "--user", "adda", "--yes")
        try expect(nil, from: "clear", "--user", "ada", "--yes")
    }

    @Test("a time far ahead is doubted by the daemon, and kept")
    func ahead() throws {
        try expect("more than a day ahead", from: "record", "x", "--timestamp", "2099-01-01T00:00:00Z")
        try expect(nil, from: "record", "x", "--timestamp", "2001-01-01T00:00:00Z")
        let run = try home.hark(["record", "--stdin"], input: #"{"name":"y","timestamp":"2099-01-01T00:00:00Z"}"#)
        #expect(run.ending == .exited(0) && run.errors.contains("ahead"))
        #expect(try home.hark("events", "--since", "2098-01-01", "--json").lines.count == 2)
    }

    @Test("a number that was recorded as a text looks like one, and statistics say how to record a number")
    func numbers() throws {
        try home.hark("record", "sold", "amount:=7")
        let lines = try home.hark("events", "--name", "sold").lines
        #expect(
            lines.first?.hasSuffix(#"amount="59.5""#) == true && lines.last?.hasSuffix("amount=7") == true, "\(lines)")
        try home.hark("record", "kind", "n=1")
        try home.hark("record", "kind", "n:=1")
        let groups = try home.hark("stats", "kind", "--by", "n").output
        #expect(groups.contains("\"1\"") && groups.split(separator: "\n").count == 3, "\(groups)")
        try home.hark("record", "text", "v=5")
        try expect("v:=5 a number", from: "stats", "text", "v")
    }

    @Test("for a spreadsheet texts are no formulas, and the file begins with a mark")
    func spreadsheet() throws {
        try home.hark("record", "=cmd|' /C calc'!A0", "a==1+1", "b=+5", "c:=-5", "d=plain", "e=@x")
        let query = ["events", "--where", "d = plain"]
        let table = try home.hark(query + ["--spreadsheet"]).output
        #expect(table.unicodeScalars.first == "\u{FEFF}")
        for text in [",'=cmd|' /C calc'!A0,", ",'=1+1,'+5,-5,plain,'@x"] { #expect(table.contains(text), "\(table)") }
        let plain = try home.hark(query + ["--csv"]).output
        #expect(plain.hasPrefix("seq,") && plain.contains(",=1+1,+5,-5,plain,@x"))
        let sql = try home.hark("sql", "--spreadsheet", "SELECT a, c FROM events WHERE d = 'plain'").output
        #expect(sql == "\u{FEFF}a,c\r\n'=1+1,-5\r\n")
        let named = try home.hark("sql", "--spreadsheet", "SELECT 1 AS \"=1+1\"").output
        #expect(named == "\u{FEFF}'=1+1\r\n1\r\n", "names of columns are texts too")
        let grouped = try home.hark("stats", "--by", "=1+1", "--spreadsheet").output
        #expect(grouped.hasPrefix("\u{FEFF}'=1+1,count\r\n"), "\(grouped)")
        let stats = try home.hark("stats", "--by", "@name", "--spreadsheet").output
        #expect(stats.hasPrefix("\u{FEFF}") && stats.contains("\r\n'=cmd"))
    }

    @Test("days of a table for other programs begin at midnight here, with the offset behind them")
    func days() throws {
        try home.hark("record", "day", "--timestamp", "2026-01-05T23:30:00Z")
        let run = try home.shell("TZ=Europe/Berlin hark stats day --every 1d --csv")
        #expect(
            run.output.contains("\r\n2026-01-06T00:00:00.000+01:00,2026-01-07T00:00:00.000+01:00,1"), "\(run.output)")
    }
}
