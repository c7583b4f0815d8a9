import Foundation
import HarkTesting
import HarkWire
import Testing

/// `hark ask` on a real terminal (row S14).
@Suite(.endToEnd) struct AskTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    private static let surveys = """
        {"surveys": [
          {"id": "visit", "title": "How was your visit?", "message": "We'd love to hear.",
           "response": {"type": "combined", "options": ["Poor", "Fair", "Good", "Great", "Excellent"],
             "textField": {"label": "Tell us more", "maxLength": 40}, "submitLabel": "Send it"},
           "trigger": {"event": {"name": "visit"}}},
          {"id": "quick", "title": "Quick", "message": "Well?", "options": ["Yes", "No"],
           "trigger": {"event": {"name": "quick"}}},
          {"id": "many", "title": "Many", "message": "A few.", "trigger": {"event": {"name": "many"}}, "questions": [
            {"id": "score", "type": "nps", "question": "Recommend it?",
             "next": [{"when": {"op": "gte", "value": 9}, "to": "look"}]},
            {"id": "why", "type": "text", "question": "What is missing?", "required": false},
            {"id": "look", "type": "rating", "question": "And the look?"}]}
        ]}
        """

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        try home.files.write(Self.surveys, to: "config/surveys.json")
        daemon = try home.start()
        try home.hark("session", "start", "--user", "ada")
    }

    /// The newest event of that name.
    private func event(_ name: String) throws -> JSONValue? {
        let lines = try home.hark("events", "--json", "--name", name).lines
        return try lines.last.map { try JSONReader.read($0) }
    }

    @Test("a choice and a text go to the store, and the terminal is as it was")
    func combined() throws {
        try home.hark("record", "visit")
        let screen = try TmuxScreen(home)
        try screen.run(#"before=$(stty -g); $hark ask; echo "exit $?"; [ "$before" = "$(stty -g)" ] && echo same"#)
        try screen.wait(for: "  1  ○ 😞  Poor")
        try screen.press("C-d")
        try screen.wait(for: "Choose an answer first.")
        try screen.press("4", "Enter")
        try screen.type("Fast and 日本語 👍, ne\u{301}!")
        try screen.paste("\npasted\tline")
        try screen.wait(for: "pasted line")
        #expect(try screen.text.contains("│ Fast and 日本語 👍, ne\u{301}!"))
        #expect(try screen.text.contains(" 31/40 ─╯"))
        try screen.press("Tab")
        try screen.wait(for: "▸ [ Send it ]")
        try screen.press("Enter")
        try screen.wait(for: "exit 0\nsame")
        let response = try event("survey_response")
        #expect(response?["properties"]?["text"]?.stringValue == "Great||Fast and 日本語 👍, ne\u{301}!\npasted line")
    }

    @Test("a text that breaks a rule stays until it keeps it")
    func tooLong() throws {
        try home.hark("record", "visit")
        let screen = try TmuxScreen(home)
        try screen.run("$hark ask")
        try screen.wait(for: "Poor")
        try screen.press("5", "Enter")
        try screen.type(String(repeating: "x", count: 42))
        try screen.press("C-d")
        try screen.wait(for: "Write at most 40 characters, 2 fewer.")
        try screen.press("BSpace", "BSpace", "C-d")
        try screen.wait(for: "Thank you!")
    }

    @Test("a window of 20 columns and 5 rows works, and grows into a large one")
    func small() throws {
        try home.hark("record", "visit")
        let screen = try TmuxScreen(home, columns: 20, rows: 5)
        try screen.run(#"$hark ask; echo "exit $?""#)
        try screen.wait(for: "How was your visit?")
        try screen.press("Down", "Down", "Down", "Enter")
        try screen.type("some words here and more")
        try screen.wait(for: "24/40")
        try screen.resize(columns: 80, rows: 24)
        try screen.wait(for: "3  ● 🙂  Good")
        try screen.wait(for: "│ some words here and more")
        try screen.press("Escape")
        try screen.wait(for: "Throw away what you answered?")
        try screen.press("n")
        try screen.wait(for: "Esc dismiss")
        try screen.press("Escape")
        try screen.wait(for: "Throw away what you answered?")
        try screen.press("y")
        try screen.wait(for: "exit 1")
        #expect(try event("survey_dismissed")?["properties"]?["id"]?.stringValue == "visit")
    }

    @Test("Ctrl-Z goes to the shell and fg comes back with everything; SIGTERM leaves the terminal as it was")
    func stopped() throws {
        try home.hark("record", "visit")
        let screen = try TmuxScreen(home)
        try screen.run("before=$(stty -g); $hark ask")
        try screen.wait(for: "Poor")
        try screen.press("2", "Enter")
        try screen.type("kept")
        try screen.press("C-z")
        try screen.wait(for: "Stopped")
        try screen.run(#"[ "$before" = "$(stty -g)" ] && echo same"#)
        try screen.wait(for: "same")
        try screen.run("fg")
        try screen.wait(for: "│ kept")
        #expect(try screen.text.contains("2  ● 😐  Fair"))
        try screen.press("C-z")
        try screen.wait(for: "Stopped")
        let file = home.files.path("pid")
        try screen.run(#"jobs -p > \#(file); fg; [ "$before" = "$(stty -g)" ] && echo same"#)
        try screen.wait(for: "│ kept")
        let pid = pid_t(try home.files.text("pid").filter(\.isNumber)) ?? 0
        try #require(pid > 1)
        kill(pid, SIGTERM)
        try screen.wait(for: "Terminated")
        try screen.wait(for: "same")
        // What it was showing is ready again.
        try waitUntil("the survey is given back") { try home.hark("surveys").output.contains("ready") }
    }

    @Test("what was written stays while the daemon starts anew, and is sent then")
    func restart() throws {
        try home.hark("record", "visit")
        let screen = try TmuxScreen(home)
        try screen.run("$hark ask")
        try screen.wait(for: "Poor")
        try screen.press("1", "Enter")
        try screen.type("before")
        daemon.kill()
        try screen.wait(for: "The daemon is away")
        let next = try home.start()
        defer { next.kill() }
        try waitUntil("the daemon is back") { try !screen.text.contains("The daemon is away") }
        try screen.type(" and after")
        try screen.press("C-d")
        try screen.wait(for: "Thank you!")
        #expect(try event("survey_response")?["properties"]?["text"]?.stringValue == "Poor||before and after")
        #expect(try home.hark("events", "--name", "survey_presented").lines.count == 1)
    }

    @Test("a survey that ends elsewhere goes, and hark says why")
    func elsewhere() throws {
        try home.hark("record", "quick")
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark ask quick; echo "exit $?""#)
        try screen.wait(for: "  1  Yes")
        let id = try presentation()
        #expect(try home.hark("ask").ending == .exited(66))
        try home.hark("answer", id, "--option", "No")
        try screen.wait(for: "it was answered elsewhere")
        try screen.wait(for: "exit 66")
        #expect(try home.hark("ask", id).ending == .exited(66))
    }

    private func presentation() throws -> String {
        let pending = try JSONReader.read(home.hark("surveys", "--json").output)
        return pending["surveys"]?[0]?["presentationId"]?.stringValue ?? ""
    }

    @Test("--wait shows what is ready, or comes; Ctrl-C puts it off")
    func waiting() throws {
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark ask --wait; echo "exit $?""#)
        try waitUntil("it waits") { try home.hark("status", "--json").output.contains(#""connections":2"#) }
        try home.hark("record", "quick")
        try screen.wait(for: "  1  Yes")
        try screen.press("C-c")
        try screen.wait(for: "exit 1")
        try screen.run(#"$hark ask --wait; echo "exit $?""#)
        try screen.wait(for: "  1  Yes")
        try screen.press("2")
        try screen.wait(for: "exit 0")
        #expect(try event("survey_response")?["properties"]?["option"]?.stringValue == "No")
        #expect(try home.hark("events", "--name", "survey_presented").lines.count == 1)
    }

    @Test("S17: questions follow their branches, and what was answered is kept over an interruption")
    func questions() throws {
        try home.hark("record", "many")
        let screen = try TmuxScreen(home)
        try screen.run("$hark ask")
        try screen.wait(for: "Recommend it?")
        try screen.press("3", "Enter")
        try screen.wait(for: "What is missing? (optional)")
        try screen.type("Speed")
        try screen.press("Tab", "Enter")
        try screen.wait(for: "Recommend it?")
        try screen.press("9", "Enter")
        try screen.wait(for: "And the look?")
        try screen.press("C-c")
        try screen.wait(for: "put off")
        try screen.run("$hark ask")
        try screen.wait(for: "And the look?")
        try screen.press("5", "Enter")
        try screen.wait(for: "Thank you!")
        let properties = try event("survey_response")?["properties"]
        #expect(properties?["answer.score"]?.intValue == 9)
        #expect(properties?["answer.look"]?.intValue == 5)
        #expect(properties?["answer.why"] == nil)
    }

    @Test("without a terminal, and on one without a cursor, lines are read")
    func lines() throws {
        try home.hark("record", "visit")
        let piped = try home.hark(["ask"], input: "9\ngreat\nnice\n")
        #expect(piped.ending == .exited(0))
        #expect(piped.output.contains("  4) 😊 Great\n"))
        #expect(piped.output.contains("'9' is none of the answers."))
        #expect(!piped.output.contains("\u{1B}"))
        #expect(try event("survey_response")?["properties"]?["text"]?.stringValue == "Great||nice")
        try home.hark("record", "quick")
        #expect(try home.hark(["ask"], input: "").ending == .exited(66))
        let screen = try TmuxScreen(home, environment: ["TERM": "dumb"])
        try screen.run(#"TERM=dumb $hark ask; echo "exit $?""#)
        try screen.wait(for: "Your choice (d dismisses, never: not again):")
        try screen.type("d")
        try screen.press("Enter")
        try screen.wait(for: "exit 1")
    }

    private func attempts(_ survey: String) throws -> Int {
        try home.hark("events", "--json", "--name", "survey_presented").lines.count { $0.contains("\"\(survey)\"") }
    }

    @Test(
        "one line answers a choice with a text that need not be written, by number, label, and a part of either way",
        arguments: ["4\n", "great\n", "Great", "4\n\n"])
    func oneLine(input: String) throws {
        try home.hark("record", "visit")
        #expect(try home.hark(["ask"], input: input).ending == .exited(0))
        let properties = try event("survey_response")?["properties"]
        #expect(properties?["text"] == "Great" && properties?["option"] == "Great" && properties?["comment"] == nil)
        #expect(try attempts("visit") == 1)
    }

    @Test(
        "an input that does not answer it all is refused before the survey counts as shown",
        arguments: ["", "9\n", "9\nno\n"])
    func refusedBefore(input: String) throws {
        try home.hark("record", "visit")
        let run = try home.hark(["ask"], input: input)
        #expect(run.ending == .exited(66) && run.errors.contains("the input ended before everything was answered"))
        #expect(try attempts("visit") == 0)
        #expect(try home.hark(["ask"], input: "1").ending == .exited(0))
    }

    @Test("of several questions, lines answer those that come up on the way, and nothing counts before the last")
    func linesOfMany() throws {
        try home.hark("record", "many")
        #expect(try home.hark(["ask"], input: "9\n").ending == .exited(66))
        #expect(try home.hark(["ask"], input: "8\nMore maps\n").ending == .exited(66))
        #expect(try attempts("many") == 0)
        let run = try home.hark(["ask", "many"], input: "9\n5\n")
        #expect(run.ending == .exited(0) && !run.output.contains("What is missing?"), "\(run)")
        let properties = try event("survey_response")?["properties"]
        #expect(properties?["answer.score"] == 9 && properties?["answer.look"] == 5)
        #expect(try attempts("many") == 1)
    }

    @Test("a line that dismisses counts as shown")
    func dismissedByLine() throws {
        try home.hark("record", "quick")
        #expect(try home.hark(["ask"], input: "d\n").ending == .exited(1))
        #expect(try attempts("quick") == 1)
        #expect(try event("survey_dismissed") != nil)
    }
}
