import Foundation
import HarkTesting
import HarkWire
import Testing

/// `hark agent` with a notify-send that a test plays.
@Suite(.endToEnd) struct AgentTests {
    private let home: DaemonHome
    private let desktop: TemporaryFiles

    /// Writes down how it was called, tells its number, waits for a choice and prints it; an interrupt closes it, as the real one.
    private static let notifySend = """
        #!/bin/sh
        trap 'echo closed >> "$DESKTOP/log"; exit 0' INT
        [ -e "$DESKTOP/broken" ] && exit 1
        echo 7
        for word; do :; done
        echo "shown $word" >> "$DESKTOP/log"
        while [ ! -e "$DESKTOP/choice" ]; do sleep 0.02; done
        cat "$DESKTOP/choice"; rm "$DESKTOP/choice"
        """
    private static let terminal = """
        #!/bin/sh
        echo "$@" >> "$DESKTOP/terminal"
        """
    private static let surveys = """
        {"surveys": [
          {"id": "a", "title": "A", "message": "Is it a?", "options": ["Yes", "No"], "oncePerSession": false,
           "trigger": {"event": {"name": "a"}}},
          {"id": "b", "title": "B", "message": "What is b?", "response": {"type": "text"}, "oncePerSession": false,
           "trigger": {"event": {"name": "b"}}}
        ]}
        """

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        try home.files.write(Self.surveys, to: "config/surveys.json")
        desktop = try TemporaryFiles()
        for (name, text) in [("notify-send", Self.notifySend), ("play-terminal", Self.terminal)] {
            try desktop.write(text, to: name)
            try check("chmod") { chmod(desktop.path(name), 0o755) }
        }
        try desktop.write("", to: "log")
    }

    private func startAgent(_ words: String..., environment: [String: String] = [:]) throws -> RunningTool {
        var variables = [
            "PATH": "\(desktop.path):/usr/bin:/bin", "DESKTOP": desktop.path, "TERMINAL": desktop.path("play-terminal"),
        ]
        variables.merge(environment) { $1 }
        return try RunningTool(home, command: [Programs.hark, "agent"] + words, environment: variables)
    }

    private func waitForLog(_ lines: String...) throws {
        try waitUntil("the desktop shows \(lines); it has \((try? desktop.text("log")) ?? "")") {
            try desktop.text("log").split(separator: "\n").map(String.init) == lines
        }
    }

    /// Puts the choice where the notification looks for it, whole at once.
    private func choose(_ word: String) throws {
        try desktop.write(word + "\n", to: "choice.new")
        try check("rename") { rename(desktop.path("choice.new"), desktop.path("choice")) }
    }

    private func waitForState(_ state: String) throws {
        try waitUntil("the survey is \(state)") { try home.hark("surveys").output.contains(state) }
    }

    @Test("S9: a button of the notification is the answer")
    func button() throws {
        let daemon = try home.start()
        let agent = try startAgent()
        try home.hark("record", "a")
        try waitForLog("shown Is it a?")
        try choose("o1")
        try waitUntil("the answer is there") {
            try home.hark("events", "--name", "survey_response").output.contains("option=No")
        }
        agent.child.signal(SIGTERM)
        #expect(try agent.child.wait() == .signaled(SIGTERM))
        daemon.kill()
    }

    @Test("where no desktop is, a survey counts as notified once something is chosen, and not after two seconds")
    func withoutDesktop() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        func isNotified() throws -> Bool {
            let showing = try client.call("survey.history")["presentations"]?.arrayValue?.first
            return try #require(showing)["times"]?["notifiedAt"] != nil
        }
        let agent = try startAgent()
        try home.hark("record", "a")
        try waitForLog("shown Is it a?")
        usleep(4_000_000)
        #expect(try !isNotified())
        try choose("o1")
        try waitUntil("it counts, as somebody chose; \((try? agent.errors) ?? "")") { try isNotified() }
        daemon.kill()
    }

    @Test("where a display is, a survey counts as notified after two seconds")
    func withDisplay() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        let agent = try startAgent(environment: ["DISPLAY": ":9"])
        try home.hark("record", "a")
        try waitForLog("shown Is it a?")
        try waitUntil("it counts; \((try? agent.errors) ?? "")") {
            try client.call("survey.history")["presentations"]?.arrayValue?.first?["times"]?["notifiedAt"] != nil
        }
        daemon.kill()
    }

    @Test("a survey whose answer the store refuses is shown again")
    func refused() throws {
        let daemon = try home.start()
        let agent = try startAgent()
        // Answered: 3.
        try StoreFile(of: home).execute(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON presentation WHEN NEW.state = 3
            BEGIN SELECT RAISE(ABORT, 'not now'); END
            """)
        try home.hark("record", "a")
        try waitForLog("shown Is it a?")
        try choose("o1")
        try waitUntil("that is said") { try agent.errors.contains("not now") }
        try waitUntil("it comes again") { try agent.errors.contains("next attempt in 30 s") }
        daemon.kill()
    }

    @Test("a survey that ends elsewhere takes its notification along, and so does the agent")
    func elsewhere() throws {
        let daemon = try home.start()
        let agent = try startAgent()
        try home.hark("record", "a")
        try waitForLog("shown Is it a?")
        try home.hark("dismiss", try presentation())
        try waitForLog("shown Is it a?", "closed")
        try home.hark("record", "b")
        try waitForLog("shown Is it a?", "closed", "shown What is b?")
        agent.child.signal(SIGTERM)
        try waitForLog("shown Is it a?", "closed", "shown What is b?", "closed")
        try waitForState("ready")
        daemon.kill()
    }

    @Test("a click opens hark ask in a terminal; an untouched one goes, and the survey waits")
    func opened() throws {
        let daemon = try home.start()
        let agent = try startAgent("--timeout", "5s")
        try home.hark("record", "b")
        try waitForLog("shown What is b?")
        let id = try presentation()
        try choose("default")
        try waitUntil("a terminal opens") {
            try access(desktop.path("terminal"), F_OK) == 0 && desktop.text("terminal").hasSuffix("ask \(id)\n")
        }
        try waitForState("ready")
        try home.hark("record", "a")
        try waitForLog("shown What is b?", "shown Is it a?")
        try waitForLog("shown What is b?", "shown Is it a?", "closed")
        try waitUntil("both wait") { try home.hark("surveys").lines.filter { $0.contains("ready") }.count == 2 }
        #expect(agent.child.isRunning)
        daemon.kill()
    }

    @Test("the agent waits for a daemon that goes away, and says so once; a notification that fails is tried again")
    func away() throws {
        let daemon = try home.start()
        try desktop.write("", to: "broken")
        let agent = try startAgent()
        try home.hark("record", "a")
        try waitUntil("the failure is said") { try agent.errors.contains("next attempt in 30 s") }
        try check("unlink") { unlink(desktop.path("broken")) }
        daemon.kill()
        try waitUntil("that is said") { try agent.errors.contains("waiting for the daemon") }
        let next = try home.start()
        try waitForLog("shown Is it a?")
        #expect(try agent.errors.split(separator: "\n").count == 3)
        next.kill()
    }

    @Test("the agent waits for a daemon, too, that goes away before it answers the agent")
    func awayMeanwhile() throws {
        let daemon = try home.start()
        let agent = try startAgent()
        try home.hark("record", "a")
        try waitForLog("shown Is it a?")
        daemon.child.signal(SIGSTOP)
        try choose("o1")
        try waitUntil("the choice is made") { access(desktop.path("choice"), F_OK) != 0 }
        try waitUntil("the agent has sent it") { try home.bytesWaiting() > 0 }
        daemon.kill()
        try waitUntil("that is said") { try agent.errors.contains("waiting for the daemon") }
        let next = try home.start()
        try waitForLog("shown Is it a?", "shown Is it a?")
        #expect(agent.child.isRunning)
        next.kill()
    }

    private func presentation() throws -> String {
        let pending = try JSONReader.read(home.hark("surveys", "--json").output)
        return pending["surveys"]?[0]?["presentationId"]?.stringValue ?? ""
    }
}
