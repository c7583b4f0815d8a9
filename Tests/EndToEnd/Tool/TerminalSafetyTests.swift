import Foundation
import HarkWire
import Testing

/// A terminal shows all recorded text and never obeys it; a pipe gets it unchanged.
@Suite(.endToEnd) struct TerminalSafetyTests {
    private let home: DaemonHome

    /// A title for the window, a colour in eight bits, a deletion, and four ways to turn text around.
    private static let nasty = "a\u{1B}]0;own\u{7}\u{9B}31mb\u{7F}\u{202E}\u{2066}\u{200F}\u{61C}\u{8}\r\nz"
    private static let text = JSONValue.string(nasty).description

    init() throws {
        home = try DaemonHome()
        try home.configure(
            """
            {"notify": null, "flags": {"file": "flags.json"}, \(Self.text): 1,
             "destinations": [{"name": "d", "kind": "http", "url": "http://127.0.0.1:9/", "names": [\(Self.text)]}]}
            """)
        try home.files.write("{\"flag\": \(Self.text), \(Self.text): 1}", to: "config/flags.json")
        try home.files.write(
            """
            {"surveys": [
              {"id": "words", "title": \(Self.text), "message": \(Self.text), "response": {"type": "text"},
               "oncePerSession": false, "trigger": {"event": {"name": "go"}}},
              {"id": "later", "title": \(Self.text), "message": "m", "options": [\(Self.text), "Good"],
               "trigger": {"event": {"name": "go", "scheduleAfterSeconds": 3600}}}]}
            """, to: "config/surveys.json")
        try home.files.write(
            """
            {"forms": [{"id": "f", "title": \(Self.text), "questions": [
              {"id": "q", "question": \(Self.text), "type": "text"}]}]}
            """, to: "config/forms.json")
    }

    /// Records such text wherever a client can.
    private func record(_ daemon: DaemonProcess) throws {
        let client = try daemon.connect()
        try client.call("session.start", #"{"userId":\#(Self.text),"metadata":{"k":\#(Self.text)}}"#)
        try client.call("event.record", #"{"name":\#(Self.text),"properties":{"k":\#(Self.text),\#(Self.text):1}}"#)
        try client.call("counter.register", #"{"name":"c","initial":\#(Self.text)}"#)
        try client.call("counter.register", #"{"name":\#(Self.text)}"#)
        try client.call(
            "execution.add", #"{"id":\#(Self.text),"when":{"c":\#(Self.text)},"run":{"notify":true},"keepAlive":true}"#)
        try client.call("event.record", #"{"name":"go"}"#)
        let id = try client.waitForOne("ready", #"{"limit":1}"#)["presentationId"]?.stringValue ?? ""
        try client.call("survey.present", #"{"presentationId":"\#(id)"}"#)
        try client.call("survey.answer", #"{"presentationId":"\#(id)","text":\#(Self.text)}"#)
        try client.call("form.answer", #"{"formId":"f","answers":{"q":\#(Self.text)}}"#)
        try client.call("event.record", #"{"name":"go"}"#)
    }

    /// Commands that print what users recorded, what somebody configured, or what was typed.
    private static let commands: [[String]] = [
        ["events"], ["events", "--json"], ["events", "--name", nasty], ["record", nasty],
        ["record", "e", "k=" + nasty],
        ["session", "list"], ["session", "list", "--json"], ["session", "show"], ["session", "show", "--json"],
        ["session", "show", nasty], ["surveys"], ["surveys", "--json"], ["surveys", "--rules"],
        ["surveys", "--rules", "--json"], ["explain", "words"], ["explain", "words", "--json"], ["explain", nasty],
        ["results", "words"], ["results", "words", "--csv"], ["results", "words", "--json"], ["results", nasty],
        ["answer", nasty, "--text", "x"], ["dismiss", nasty], ["snooze", nasty, "1h"], ["ask", nasty], ["ask"],
        ["counter", "list"], ["counter", "list", "--app", nasty], ["counter", "list", "--json"],
        ["counter", "get", "c"], ["counter", "get", "c", "--json"],
        ["counter", "set", "c", nasty], ["counter", "trigger", "c"], ["counter", "register", nasty],
        ["execution", "list"], ["execution", "list", "--json"], ["execution", "remove", "x" + nasty],
        ["flags"], ["flags", "--json"], ["flags", "get", "flag"], ["flags", "get", "flag", "--type", "raw"],
        ["flags", "get", nasty, "--default", nasty], ["flags", "get", "x" + nasty],
        ["forms"], ["forms", "--json"], ["form", "f", "--answers", "{\(text):1}"], ["form", nasty], ["profile"],
        ["profile", "get", nasty], ["delivery"], ["delivery", "--json"], ["delivery", "resume", nasty],
        ["config", "show"], ["config", "show", "--json"], ["config", "validate"], ["config", "validate", "--json"],
        ["config", "validate", nasty], ["call", "event.list"], ["call", "session.list"], ["call", nasty],
        ["call", "event.record", "{\(text):1,\"name\":\"x\"}"], ["status"], ["status", "--json"],
        ["status", "--metrics"],
        ["log", nasty], ["export", "/proc/" + nasty], ["import", nasty], ["retention", "apply", "--policy", nasty],
        ["debug", nasty], [nasty], ["help", nasty], ["events", "--since", nasty], ["events", "--" + nasty], ["network"],
        ["clear", "--user", nasty, "--yes"],
    ]

    @Test(
        "on a terminal no command prints what the terminal would obey",
        arguments: [["TERM": "xterm"], ["TERM": "dumb"]])
    func everyCommand(variables: [String: String]) throws {
        let daemon = try home.start()
        try record(daemon)
        var shown = 0
        for words in Self.commands {
            let terminal = try Pseudoterminal()
            let run = try terminal.run(
                [Programs.hark] + words,
                environment: home.environment.merging(["HARK_CONFIG": home.configuration]) { $1 }.merging(variables) {
                    $1
                })
            let obeyed = Self.obeyed(run.screen)
            #expect(obeyed == [], "\(words): \(run.screen.debugDescription)")
            if run.screen.contains("own") { shown += 1 }
        }
        // Otherwise nothing was tried.
        #expect(shown > 40)
    }

    /// What a terminal would obey, but for line ends, the colours of the tool's own and its line of progress.
    private static func obeyed(_ screen: String) -> [String] {
        let plain = screen.replacing("\r\n", with: "\n")
            .replacing("\r\u{1B}[K", with: "")
            .replacingOccurrences(of: "\u{1B}\\[(0|1|2|3[0-9]|1;3[0-9])m", with: "", options: .regularExpression)
        return plain.unicodeScalars.filter { $0 != "\n" && VisibleText.isHidden($0) }.map { VisibleText.escape($0) }
    }

    @Test("a stream is no exception, and neither are the daemon's log and its check of settings")
    func streams() throws {
        let daemon = try home.start()
        try record(daemon)
        for words in [["events", "--follow", "--after", "0"], ["events", "--follow", "--after", "0", "--json"]] {
            let run = try Pseudoterminal().run([Programs.hark] + words, environment: home.environment) {
                $0.contains("own") || $0.contains("Usage")
            }
            #expect(run.screen.contains("own") && Self.obeyed(run.screen) == [], "\(run.screen.debugDescription)")
        }
        daemon.kill()
        let places = ["--socket", home.socket, "--state", home.state, "--config", home.configuration]
        for more in [[], ["--check"], ["--check", "--json"], [Self.nasty]] {
            let run = try Pseudoterminal().run([Programs.harkd] + places + more, environment: [:]) {
                $0.contains("own")
            }
            #expect(run.screen.contains("own") && Self.obeyed(run.screen) == [], "\(run.screen.debugDescription)")
        }
    }

    @Test("standard error and the daemon's log hold nothing a terminal would obey, whatever they lead to")
    func files() throws {
        let daemon = try home.start()
        try record(daemon)
        func hidden(_ text: String) -> [String] {
            text.unicodeScalars.filter { $0 != "\n" && VisibleText.isHidden($0) }.map { VisibleText.escape($0) }
        }
        var told = 0
        for words in Self.commands {
            let run = try home.hark(words)
            #expect(hidden(run.errors) == [], "\(words): \(run.errors.debugDescription)")
            if run.errors.contains("own") { told += 1 }
        }
        #expect(told > 15, "\(told)")
        let client = try daemon.connect()
        try client.call("counter.register", #"{"name":"n","initial":0}"#)
        let program = JSONValue.array(["/bin/sh", "-c", "printf '%s\\n' \"$0\" >&2; exit 3", .string(Self.nasty)])
        try client.call(
            "execution.add",
            #"{"id":\#(JSONValue.string("run" + Self.nasty)),"when":{"n":1},"run":{"exec":\#(program)}}"#)
        try client.call("counter.trigger", #"{"name":"n"}"#)
        try waitUntil("the daemon has told of it") { try daemon.errors.contains("the program of an execution failed") }
        let log = try daemon.errors
        #expect(log.contains("own") && hidden(log) == [], "\(log.debugDescription)")
    }

    @Test("in a pipe everything is as it was recorded")
    func pipe() throws {
        let daemon = try home.start()
        try record(daemon)
        let lines = try daemon.connect().lines().joined(separator: "\n")
        #expect(try home.hark("events", "--json").output == lines + "\n")
        #expect(try home.hark("flags", "get", "flag").output == Self.nasty + "\n")
        #expect(try home.hark("counter", "get", "c").output == Self.nasty + "\n")
        let csv = try home.hark("results", "words", "--csv").output
        let field = Array(",\"\(Self.nasty)\",,".utf8)
        #expect(csv.utf8.contains(0x1B) && csv.utf8.firstRange(of: field) != nil, "\(csv.debugDescription)")
    }
}
