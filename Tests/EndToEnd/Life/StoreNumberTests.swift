import Foundation
import HarkTesting
import HarkWire
import Testing

/// Numbers that SQLite keeps and the daemon could not have written.
@Suite(.endToEnd) struct StoreNumberTests {
    private let home: DaemonHome
    private let file: StoreFile

    private static let surveys = """
        {"surveys":[{"id":"s","title":"Well?","message":"?","response":{"type":"options","options":["a"]},
          "trigger":{"event":{"name":"done"}}}]}
        """
    private static let forms = """
        {"forms":[{"id":"f","title":"F","submitURL":"http://127.0.0.1:9/",
          "questions":[{"id":"q","type":"text","question":"?"}]}]}
        """
    private static let numbers: [Int64] = [-1, .min, .max, 1 << 32]

    init() throws {
        home = try DaemonHome()
        file = StoreFile(of: home)
        try home.configure(
            """
            {"retention":"none","destinations":[{"name":"x","kind":"http","url":"http://127.0.0.1:9/"}],
             "executions":[{"id":"configured","listensTo":["c"],"keepAlive":true,"run":{"notify":true}}]}
            """)
        try home.files.write(Self.surveys, to: "config/surveys.json")
        try home.files.write(Self.forms, to: "config/forms.json")
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("session.start", #"{"userId":"ada"}"#)
        for name in ["done", "e"] { try client.call("event.record", #"{"name":"\#(name)"}"#) }
        let presenter = try daemon.connect()
        try presenter.call("survey.subscribe", #"{"presenter":true}"#)
        _ = try presenter.notification()
        try client.call("form.answer", #"{"formId":"f","questionId":"q","answer":"x"}"#)
        try client.call("counter.register", #"{"name":"c"}"#)
        for (id, run) in [("e", #"{"notify":true}"#), ("sleeper", #"{"exec":["sleep","100"]}"#)] {
            try client.call(
                "execution.add",
                #"{"id":"\#(id)","keepAlive":true,"run":\#(run),"when":{"c":{"op":"gte","value":0}}}"#)
        }
        for _ in 0..<3 { try client.call("counter.trigger", #"{"name":"c"}"#) }
        try waitUntil("the destinations have come somewhere") { try file.query("SELECT 1 FROM destination").count > 1 }
        try daemon.stop()
        try file.execute("INSERT INTO deadLetter VALUES ('x', 1, 'events', 1, 0, 'refused', 400, 'no', 1)")
        for key in ["lastSequence", "lastSessionRow", "lastRun"] {
            try file.execute("INSERT OR IGNORE INTO meta(key, value) VALUES ('\(key)', 1)")
        }
    }

    /// Starts a daemon on the data: it refuses with a remedy, or it answers every request.
    private func start(_ edit: String) throws {
        let copy = home.files.path("copy.db")
        try FileManager.default.copyItem(atPath: file.path, toPath: copy)
        defer {
            try? FileManager.default.removeItem(atPath: file.path)
            try? FileManager.default.moveItem(atPath: copy, toPath: file.path)
        }
        // Rows that refer to each other, and what only some values fit.
        try file.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; \(edit)")
        let daemon = try home.launch()
        try waitUntil("it serves or has ended", within: 120) {
            guard daemon.child.isRunning else { return true }
            return (try? daemon.connect().call("hello")) != nil
        }
        if daemon.child.isRunning {
            try use(try daemon.connect(), edit)
            #expect(try daemon.stop().ending == .exited(0), "\(edit): \((try? daemon.errors) ?? "")")
        } else {
            let errors = try daemon.errors
            let ending = try daemon.child.wait()
            #expect(ending == .exited(74), "\(edit): \(errors)")
            #expect(errors.contains("hark.db"), "\(edit): \(errors)")
        }
    }

    /// Every request has an answer of some kind.
    private func use(_ client: SocketClient, _ edit: String) throws {
        let requests = [
            ("event.record", #"{"name":"done"}"#), ("event.list", "{}"), ("session.list", "{}"),
            ("session.current", "{}"), ("counter.list", "{}"), ("counter.trigger", #"{"name":"c"}"#),
            ("execution.list", "{}"), ("survey.pending", "{}"), ("survey.explain", #"{"surveyId":"s"}"#),
            ("survey.results", #"{"surveyId":"s"}"#), ("survey.subscribe", #"{"presenter":true}"#),
            ("form.answer", #"{"formId":"f","questionId":"q","answer":"y"}"#), ("form.list", "{}"),
            ("delivery.status", "{}"), ("delivery.deadletters", "{}"), ("delivery.replay", #"{"destination":"x"}"#),
            ("event.subscribe", #"{"afterSeq":0}"#), ("daemon.status", "{}"), ("session.end", "{}"),
            ("retention.apply", #"{"policy":{"maxSessionsPerUser":1}}"#), ("event.clear", #"{"all":true}"#),
            ("event.record", #"{"name":"after"}"#), ("daemon.status", "{}"),
        ]
        for (method, params) in requests {
            do {
                _ = try client.ask(method, params, within: 120)
            } catch {
                Issue.record("\(edit): \(method): \(error)")
                return
            }
        }
    }

    @Test(
        "numbers of any column that cannot be are refused with what to do, or do no harm",
        arguments: [
            "session", "current", "block", "destination", "presentation", "gating", "deadLetter", "form",
            "form_answer", "counter", "execution", "listening", "configured", "run", "stretch",
        ])
    func columns(table: String) throws {
        if table == "stretch" {
            // The rest of a run becomes a stretch after the next start.
            let daemon = try home.start()
            try waitUntil("there is a stretch") { try !file.query("SELECT 1 FROM stretch").isEmpty }
            try daemon.stop()
        }
        let columns = try file.texts("SELECT name FROM pragma_table_info('\(table)') WHERE type = 'INTEGER'")
        #expect(!columns.isEmpty)
        let rows = try file.query("SELECT count(*) FROM \(table)")
        #expect(!rows.isEmpty)
        for (place, column) in columns.enumerated() {
            // Each column has one of the numbers, and all of them with the next.
            let number = Self.numbers[place % Self.numbers.count]
            try start("UPDATE OR IGNORE \(table) SET \(column) = \(Self.literal(number))")
        }
        for number in [Int64.min, .max] {
            let all = columns.map { "\($0) = \(Self.literal(number))" }.joined(separator: ", ")
            try start("UPDATE OR IGNORE \(table) SET \(all)")
        }
    }

    @Test(
        "numbers that all others are counted on from, and where a destination is, are refused in the same way",
        arguments: ["lastSequence", "lastSessionRow", "lastRun", "cursor", "version"])
    func counted(name: String) throws {
        for number in Self.numbers {
            switch name {
            case "cursor": try start("UPDATE destination SET cursor = \(Self.literal(number))")
            case "version": try start("PRAGMA user_version = \(Int32(truncatingIfNeeded: number))")
            default: try start("UPDATE meta SET value = \(Self.literal(number)) WHERE key = '\(name)'")
            }
        }
    }

    @Test("what the last number must not be is said, with the number, its name and what to do")
    func message() throws {
        try file.execute("UPDATE meta SET value = \(Int64.max) WHERE key = 'lastSequence'")
        let daemon = try home.launch()
        #expect(try daemon.child.wait() == .exited(74))
        let errors = try daemon.errors
        for hint in ["9223372036854775807", "lastSequence", "sqlite3", "backup", "hark import"] {
            #expect(errors.contains(hint), "\(errors)")
        }
    }

    /// SQLite reads the smallest number as a real when it is written out.
    private static func literal(_ number: Int64) -> String {
        number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
    }
}
