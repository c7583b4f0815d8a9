import Foundation
import HarkWire
import Testing

/// `hark sql`: what the tables have, what is refused, and what is shown. That queries give what SQLite gives is
/// `Tests/SQL`'s business.
@Suite(.endToEnd) struct SQLCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    private static let surveys = """
        {"surveys": [
          {"id": "rating", "title": "T", "message": "M", "options": ["Poor", "Good"], "oncePerSession": false,
           "trigger": {"event": {"name": "checkout"}}},
          {"id": "stay", "title": "T", "message": "M", "trigger": {"event": {"name": "visit"}}, "questions": [
            {"id": "what", "type": "multiple", "question": "What?", "options": ["Bed", "Food"]},
            {"id": "how", "type": "rating", "question": "How?"}]}
        ]}
        """

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        try home.files.write(Self.surveys, to: "config/surveys.json")
        daemon = try home.start()
    }

    private func sql(_ text: String, _ options: String...) throws -> ToolRun {
        try home.hark(["sql"] + options + [text])
    }

    private func rows(_ text: String) throws -> [String] {
        let run = try sql(text, "--csv")
        #expect(run.ending == .exited(0), "\(text): \(run.errors)")
        return run.output.split(whereSeparator: \.isNewline).dropFirst().map(String.init)
    }

    @Test("showings and answers of surveys are tables, of several choices a row each, ended or not")
    func surveys() throws {
        let client = try daemon.connect()
        let session = try client.startSession("ada")
        for name in ["checkout", "visit", "checkout"] { try client.record(name) }
        func open(_ survey: String) throws -> String {
            try client.pending(#"{"surveyId":"\#(survey)"}"#).first?["presentationId"]?.stringValue ?? ""
        }
        let rating = try open("rating")
        try home.hark("answer", rating, "--option", "Good")
        let stay = try open("stay")
        try home.hark("answer", stay, "--answers", #"{"what":["Bed","Food"],"how":4}"#)
        #expect(
            try rows("SELECT question, answer, typeof(answer), user FROM answers WHERE survey = 'stay' ORDER BY 1, 2")
                == ["how,4,integer,ada", "what,Bed,text,ada", "what,Food,text,ada"])
        #expect(
            try rows("SELECT survey, answer, presentation FROM answers WHERE survey = 'rating'")
                == ["rating,Good,\(rating)"])
        #expect(
            try rows("SELECT count(*) FROM answers WHERE user = 'bob' OR app = 'other' OR survey = 'none'") == ["0"])
        let states = try rows(
            "SELECT survey, state, session, closed >= presented FROM presentations ORDER BY survey, due LIMIT 3")
        #expect(states.contains("rating,answered,\(session),1") && states.contains("stay,answered,\(session),1"))
        #expect(try rows("SELECT answers ->> '$.how' FROM presentations WHERE id = '\(stay)'") == ["4"])
        #expect(try rows("SELECT count(*) FROM presentations p JOIN answers a ON a.presentation = p.id") == ["4"])
    }

    @Test("counters of every app with a session, and of any app that is named")
    func counters() throws {
        let client = try daemon.connect()
        try client.startSession("ada", app: "shop")
        for (app, name, value) in [("default", "a", "1.5"), ("shop", "b", "[1]"), ("aside", "c", "true")] {
            try client.call("counter.register", #"{"name":"\#(name)","app":"\#(app)"}"#)
            try client.call("counter.set", #"{"name":"\#(name)","app":"\#(app)","value":\#(value)}"#)
        }
        #expect(
            try rows("SELECT app, name, value, typeof(value) FROM counters ORDER BY app")
                == ["default,a,1.5,real", "shop,b,[1],text"])
        #expect(try rows("SELECT name, value FROM counters WHERE app = 'aside'") == ["c,1"])
        #expect(try rows("SELECT name FROM counters WHERE app = '\(String(repeating: "a", count: 300))'").isEmpty)
    }

    @Test("rows are a table, CSV or JSON, and the values keep their types")
    func forms() throws {
        try home.hark("record", "a", "n:=1.5", "text=x, \"y\"", "yes:=true")
        let query = "SELECT name, n, text, yes, missing, x'0aff' AS bytes, name FROM events"
        #expect(
            try sql(query).output.split(separator: "\n").map(String.init)
                == ["name    n  text    yes  missing  bytes    name", "a     1.5  x, \"y\"    1  NULL     x'0aff'  a"])
        #expect(
            try sql(query, "--csv").output
                == "name,n,text,yes,missing,bytes,name\r\na,1.5,\"x, \"\"y\"\"\",1,,0aff,a\r\n")
        #expect(
            try sql(query, "--json").output
                == #"{"name":"a","n":1.5,"text":"x, \"y\"","yes":1,"missing":null,"bytes":"0aff","name:1":"a"}"# + "\n")
        #expect(try sql(query, "--json", "--csv").ending == .exited(64))
        #expect(
            try home.hark(["sql", "--csv"], input: "SELECT 1;\n-- nothing\n;SELECT 2").output == "1\r\n1\r\n2\r\n2\r\n")
        #expect(try home.hark("sql", "SELECT", "1").errors.contains("quotes"))
    }

    @Test(
        "in a table the number 1 and the text 1 do not look alike, nor NULL and a text; for programs they are as they are"
    )
    func alike() throws {
        let query = "SELECT 1, '1', '-1.5e3', 'NULL', NULL, '01', 'one'"
        #expect(try sql(query).lines.last == "1  '1'  '-1.5e3'  'NULL'  NULL  01    one")
        #expect(try sql(query, "--csv").output.hasSuffix("\r\n1,1,-1.5e3,NULL,,01,one\r\n"))
        #expect(try sql(query, "--json").output.contains(#":1,"'1'":"1","#))
    }

    @Test("parameters are values of the statement: by order, by name and from a file, and all of them are there")
    func parameters() throws {
        let nasty = "x'; DROP TABLE events; --"
        try home.hark("record", "a", "note=\(nasty)")
        try home.hark("record", "b", "note=other")
        let names = ["--csv", "SELECT name FROM events WHERE note = ?"]
        #expect(try home.hark(["sql", "--params", "[\"\(nasty)\"]"] + names).output == "name\r\na\r\n")
        #expect(try home.hark(["sql", "--params-file", "-"] + names, input: "[\"other\"]").output == "name\r\nb\r\n")
        let each = "SELECT :a AS a, $b AS b, @c AS c, :d AS d, :e AS e, typeof(:b) AS f; SELECT :a AS a"
        let given = #"{"a": [1, {"x": null}], "b": 1.0, "c": true, "d": null, "e": -9223372036854775808}"#
        #expect(
            try sql(each, "--params", given, "--json").lines == [
                #"{"a":"[1,{\"x\":null}]","b":1.0,"c":1,"d":null,"e":-9223372036854775808,"f":"real"}"#,
                #"{"a":"[1,{\"x\":null}]"}"#,
            ])
        for (text, options, words) in [
            ("SELECT ?", [], "no values are given"), ("SELECT ?", ["--params", "[]"], "1 parameters, and 0 values"),
            ("SELECT 1", ["--params", "[1]"], "0 parameters, and 1 values"),
            ("SELECT :a", ["--params", "{}"], "the parameter :a"), ("SELECT ?", ["--params", "{}"], "without a name"),
            ("SELECT ?", ["--params", "5"], "a JSON array"), ("SELECT ?", ["--params", "[1"], "not JSON"),
            ("SELECT ?", ["--params-file", "/nowhere"], "cannot open"),
        ] {
            let run = try home.hark(["sql", text] + options)
            #expect(run.ending != .exited(0) && run.errors.contains(words), "\(text) \(options): \(run)")
        }
    }

    @Test("for a program, rows are arrays behind the names and the types of their columns")
    func arrays() throws {
        let client = try daemon.connect()
        try client.record("a", #"{"n":1.0}"#)
        let run = try sql("SELECT seq, time, name, n, x'0a' AS raw, NULL, started FROM events, sessions", "--arrays")
        #expect(
            run.lines.first
                == #"{"columns":["seq","time","name","n","raw","NULL","started"],"types":["integer","time","text",null,null,null,"time"]}"#
        )
        #expect(run.lines.last?.contains(#","a",1.0,{"bytes":"0a"},null,""#) == true)
        #expect(
            try sql("SELECT name FROM events WHERE 0", "--arrays").lines == [#"{"columns":["name"],"types":["text"]}"#])
    }

    @Test("a mistake is shown in its place with what to do, and a name that no row has is pointed out")
    func mistakes() throws {
        try home.hark("record", "checkout")
        let syntax = try sql("SELECT name\n  FORM events")
        #expect(syntax.ending == .exited(65))
        #expect(syntax.errors.contains("  " + "  FORM events\n") && syntax.errors.contains("\n         ^\n"))
        #expect(try sql("SELECT * FROM evnts").errors.contains("Did you mean 'events'?"))
        #expect(try sql("SELECT nmae FROM events").errors.contains("did you mean the column 'name'?"))
        let quoted = try sql("SELECT * FROM events WHERE name = \"checkout\"")
        #expect(quoted.ending == .exited(0) && quoted.errors.contains("single quotes: 'checkout'"))
        #expect(try sql("SELECT plan FROM events WHERE name = 'none'").errors == "")
        #expect(try sql("SELECT 1; SELECT nonsense(); SELECT 2", "--csv").output == "1\r\n1\r\n")
    }

    @Test(
        "what would change something is refused",
        arguments: [
            "DELETE FROM events", "DROP TABLE events", "CREATE TABLE t(x)", "ATTACH '/tmp/hark-never' AS a",
            "VACUUM INTO '/tmp/hark-never'", "PRAGMA journal_mode = WAL", "SELECT load_extension('x')", "BEGIN",
            "CREATE VIRTUAL TABLE t USING fts5(x)", "UPDATE events SET name = 'x'",
        ])
    func readOnly(_ text: String) throws {
        let run = try sql(text)
        #expect(run.ending == .exited(77) && run.errors.contains("only reads"), "\(run)")
        #expect(access("/tmp/hark-never", F_OK) != 0)
    }

    @Test("a property is a column in whichever part of a statement it is named, also behind a table's name")
    func properties() throws {
        let client = try daemon.connect()
        try client.call("session.start", #"{"userId":"ada","metadata":{"plan":"pro","amount":7}}"#)
        try client.record("a", #"{"amount":3,"a.b":"dotted","ÄÖ \"q\"":1,"plan":"of the event"}"#)
        #expect(try rows("SELECT amount, \"a.b\", \"ÄÖ \"\"q\"\"\" FROM events") == ["3,dotted,1"])
        #expect(
            try rows("SELECT e.plan, s.plan, e.amount FROM events e JOIN sessions s ON s.id = e.session")
                == ["of the event,pro,3"])
        #expect(
            try rows(
                "SELECT plan FROM sessions WHERE id IN (SELECT session FROM events WHERE amount = 3) AND amount = 7")
                == ["pro"])
        #expect(try rows("SELECT main.events.amount FROM main.events ORDER BY amount") == ["3"])
    }

    @Test("the newest rows are had without the others, and the daemon looks for what it can")
    func filters() throws {
        let client = try daemon.connect()
        let lines = (1...30_000).map {
            #"{"method":"event.record","params":{"name":"n\#($0 % 100)","properties":{"i":\#($0)}}}"#
        }
        try client.send(lines.joined(separator: "\n") + "\n")
        try client.call("event.record", #"{"name":"last"}"#)
        // What it writes into files is no part of what is measured.
        try client.waitForArchive()
        func work(_ query: String) throws -> Int64 {
            let before = try bytesSent()
            _ = try rows(query)
            return try bytesSent() - before
        }
        let all = try work("SELECT count(*) FROM events WHERE length(id || session || properties || time) > 3")
        #expect(all > 2_000_000)
        // Members that are not asked for are not sent.
        let names = try work("SELECT count(*) FROM events WHERE length(name) > 3")
        #expect(names < all / 2)
        for query in [
            "SELECT * FROM events ORDER BY seq DESC LIMIT 10", "SELECT * FROM events WHERE name = 'last'",
            "SELECT * FROM events WHERE seq BETWEEN 100 AND 120", "SELECT * FROM events WHERE name GLOB 'las*'",
            "SELECT * FROM events WHERE time < '2020-01-01'", "SELECT * FROM events LIMIT 3",
            "SELECT * FROM events WHERE user = 'nobody'", "SELECT * FROM events WHERE app = 'none'",
            "SELECT * FROM events WHERE session = 'none'", "SELECT max(seq) FROM events WHERE seq > 29990",
        ] {
            let some = try work(query)
            #expect(some < 150_000, "\(query): \(some) bytes")
        }
    }

    /// So much the daemon has written so far, into sockets among others.
    private func bytesSent() throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/\(daemon.id)/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line.flatMap { Int64($0.dropFirst("wchar: ".count)) } ?? -1
    }

    @Test("a statement has what was there when it began, so it ends while others go on recording")
    func ends() throws {
        let client = try daemon.connect()
        let lines = (1...50_000).map { #"{"method":"event.record","params":{"name":"a","properties":{"i":\#($0)}}}"# }
        try client.send(lines.joined(separator: "\n") + "\n")
        try client.call("event.record", #"{"name":"a"}"#)
        let tool = try RunningTool(home, "sql", "--csv", "SELECT count(*), max(i) FROM events")
        while tool.child.isRunning { try client.call("event.record", #"{"name":"a","properties":{"i":99999999}}"#) }
        let row = try tool.output.split(whereSeparator: \.isNewline).last ?? ""
        #expect(Int(row.split(separator: ",")[0]).map { $0 >= 50_001 } == true, "\(row)")
        #expect(try rows("SELECT count(*) = (SELECT count(*) FROM events) FROM events") == ["1"])
    }

    @Test("without a daemon it says so, and a statement that needs none works")
    func away() throws {
        daemon.kill()
        #expect(try sql("SELECT 1 + 1").output.contains("2"))
        let run = try sql("SELECT * FROM events")
        #expect(run.ending == .exited(69) && run.errors.contains("no daemon answers"))
    }
}
