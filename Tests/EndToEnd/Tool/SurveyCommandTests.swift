import Foundation
import HarkTesting
import HarkWire
import Testing

/// The commands about surveys other than `hark ask`.
@Suite(.endToEnd) struct SurveyCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    private static let surveys = """
        {"surveys": [
          {"id": "rating", "title": "Quick question", "message": "How was it?", "options": ["Poor", "Good", "Great"],
           "oncePerSession": false, "cooldownSeconds": 3600, "maxAttempts": 3,
           "trigger": {"event": {"name": "checkout"}}},
          {"id": "later", "title": "Feedback", "message": "What could be better?",
           "response": {"type": "text", "minLength": 5},
           "trigger": {"event": {"name": "visit", "scheduleAfterSeconds": 3600}}}
        ]}
        """

    init() throws {
        home = try DaemonHome()
        try home.configure(#"{"notify": null}"#)
        try home.files.write(Self.surveys, to: "config/surveys.json")
        daemon = try home.start()
        try home.hark("session", "start", "--user", "ada")
    }

    private func pending(_ survey: String) throws -> String {
        let result = try JSONReader.read(home.hark("surveys", "--json").output)
        let found = result["surveys"]?.arrayValue?.first { $0["surveyId"]?.stringValue == survey }
        return found?["presentationId"]?.stringValue ?? "none"
    }

    @Test("rules and what waits are tables, and JSON for programs")
    func surveys() throws {
        let rules = try home.hark("surveys", "--rules")
        #expect(rules.lines.map { $0.split(separator: " ").first } == ["survey", "rating", "later"])
        #expect(rules.lines[2].contains("1 h"))
        #expect(try home.hark("surveys").output == "")
        try home.hark("record", "checkout")
        try home.hark("record", "visit")
        let waiting = try home.hark("surveys").output
        #expect(waiting.contains("ready      rating"))
        #expect(waiting.contains("scheduled  later"))
        #expect(try home.hark("surveys", "--user", "bob").output == "")
    }

    @Test("S15: explain tells each check with its numbers, and its exit code the verdict")
    func explain() throws {
        let before = try home.hark("explain", "rating")
        #expect(before.ending == .exited(0))
        #expect(before.lines.first == "rating would be shown to ada now")
        #expect(before.output.contains("✓ maxAttempts     0 of 3 attempts are used"))
        try home.hark("record", "checkout")
        try home.hark("dismiss", try pending("rating"))
        try home.hark("record", "checkout")
        try home.hark("answer", try pending("rating"), "--option", "Great")
        let after = try home.hark("explain", "rating")
        #expect(after.ending == .exited(1))
        #expect(after.output.contains("✗ completion"))
        #expect(after.output.contains("✗ cooldown"))
        #expect(after.output.contains("1 of 3 attempts are used"))
        #expect(try home.hark("explain", "no-such").ending == .exited(66))
    }

    @Test("S16: results for people, as JSON and as a table")
    func results() throws {
        try home.hark("debug", "--bypass-gating", "--delay", "0s")
        for answer in ["Great", "Great", "Poor"] {
            try home.hark("record", "checkout")
            try home.hark("answer", try pending("rating"), "--option", answer)
        }
        try home.hark("record", "visit")
        try waitUntil("the text is ready") { try home.hark("surveys").output.contains("ready") }
        try home.hark("answer", try pending("later"), "--text", "Less, \"please\"")
        let rating = try home.hark("results", "rating").output
        #expect(rating.contains("answered     3 (100 %)"))
        #expect(rating.contains("Great  2   67 %  ██"))
        #expect(try home.hark("results", "rating", "--csv").output.contains("rating,answer,option,Great,2,,,,,\r\n"))
        #expect(try home.hark("results", "later", "--csv").output.contains(#"later,text,text,"Less, ""please""",,"#))
        #expect(try home.hark("results", "later").output.contains(#"Less, "please""#))
        #expect(try home.hark("results", "rating", "--json").output.hasPrefix(#"{"surveyId":"rating","shown":3"#))
        #expect(try home.hark("results", "no-such").ending == .exited(66))
    }

    @Test("an answer that breaks a rule is refused with the rule; putting off says until when")
    func answer() throws {
        try home.hark("debug", "--delay", "0s")
        try home.hark("record", "visit")
        try waitUntil("the text is ready") { try home.hark("surveys").output.contains("ready") }
        let id = try pending("later")
        let short = try home.hark("answer", id, "--text", "abc")
        #expect(short.ending == .exited(65))
        #expect(short.errors.contains("at least 5 characters"))
        #expect(try home.hark("answer", id).ending == .exited(64))
        #expect(try home.hark("answer", id, "--answers", "{").ending == .exited(64))
        #expect(try home.hark("snooze", id, "soon").ending == .exited(64))
        #expect(try home.hark("snooze", id, "1h").ending == .exited(0))
        #expect(try home.hark("ask").errors.contains("The next is due at"))
        #expect(try home.hark("answer", id, "--answers", #"{"text": "long enough"}"#).ending == .exited(65))
    }

    @Test("S12: a file of surveys is told from other configuration, and each fault has its path")
    func validate() throws {
        try home.files.write(#"{"surveys": [{"id": "a"}]}"#, to: "bad.json")
        let bad = try home.hark("config", "validate", home.files.path("bad.json"))
        #expect(bad.ending == .exited(78))
        #expect(bad.errors.contains("bad.json:1:14: error: $.surveys[0]"))
        #expect(
            try home.hark("config", "validate", home.configuration + "/surveys.json").ending == .exited(0))
        #expect(
            try home.hark(["config", "validate", "-"], input: #"{"surveys": {"file": "surveys.json"}}"#).ending
                == .exited(0))
    }
}
