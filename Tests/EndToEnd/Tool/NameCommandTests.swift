import Foundation
import HarkTesting
import HarkWire
import Testing

/// Things named by their titles, and by the beginning of an id or a title.
@Suite(.endToEnd) struct NameCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        try home.configure(
            #"{"notify": null, "destinations": [{"name": "collector", "kind": "http", "url": "http://127.0.0.1:9/"}]}"#)
        try home.files.write(NamedThings.surveys, to: "config/surveys.json")
        try home.files.write(NamedThings.forms, to: "config/forms.json")
        daemon = try home.start()
    }

    /// The presentation of a survey that waits.
    private func presentation(of survey: String, after event: String) throws -> String {
        try home.hark("record", event, "--quiet")
        let listed = try JSONReader.read(home.hark("surveys", "--json").output)
        let found = listed["surveys"]?.arrayValue?.first { $0["surveyId"]?.stringValue == survey }
        return try #require(found?["presentationId"]?.stringValue)
    }

    private func isOver(_ presentation: String) throws -> Bool {
        try !home.hark("surveys").output.contains(presentation)
    }

    /// Runs a line as a shell does that somebody types it into: on a terminal, in a group of its own.
    private func typed(_ words: String...) throws -> (ending: Child.Ending?, screen: String) {
        try Pseudoterminal().run(["setsid", Programs.hark] + words, environment: home.environment)
    }

    @Test("results and explain take a title or a beginning; what can be several is not guessed but told")
    func surveys() throws {
        #expect(try home.hark("results", "rating").ending == .exited(0))
        #expect(try home.hark("results", "rat", "--json").output.hasPrefix(#"{"surveyId":"rating""#))
        #expect(try home.hark("results", "quick QUESTION", "--json").output.hasPrefix(#"{"surveyId":"rating""#))
        #expect(try home.hark("explain", "quick").lines.first?.hasPrefix("rating would") == true)
        #expect(try home.hark("results", "nps", "--json").output.hasPrefix(#"{"surveyId":"nps","#))
        let several = try home.hark("results", "np")
        #expect(several.ending == .exited(64) && several.output.isEmpty)
        #expect(several.errors.contains("  nps  Would you recommend us?\n  nps-2026  Recommendation\n"))
        let unknown = try home.hark("results", "ratign")
        #expect(unknown.ending == .exited(66))
        #expect(unknown.errors.contains("Did you mean rating?"))
    }

    @Test("ask takes a survey by its title, and says when it is one that does not wait")
    func ask() throws {
        let presentation = try presentation(of: "rating", after: "checkout")
        let asked = try home.hark(["ask", "quick q"], input: "2\n")
        #expect(asked.ending == .exited(0), "\(asked.errors)")
        #expect(try isOver(presentation))
        let nothing = try home.hark("ask", "nps")
        #expect(nothing.ending == .exited(66) && nothing.errors.contains("nothing of the survey 'nps'"))
        #expect(try home.hark("ask", "nonsense").ending == .exited(66))
    }

    @Test("a presentation is answered, put off and dismissed by a beginning of its id, or by its survey")
    func presentations() throws {
        let rating = try presentation(of: "rating", after: "checkout")
        let answered = try home.hark("answer", String(rating.prefix(35)), "--option", "Good")
        #expect(answered.ending == .exited(0), "\(answered.errors)")
        #expect(answered.errors.contains(rating))
        #expect(try isOver(rating))
        let nps = try presentation(of: "nps", after: "visit")
        #expect(try home.hark("snooze", "nps", "1h").errors.contains(nps))
        #expect(try home.hark("surveys").output.contains("scheduled  nps"))
        #expect(try home.hark("answer", "nonsense", "--option", "Good").errors.contains("no waiting survey nonsense"))
        #expect(try typed("dismiss", "would you").ending == .exited(0))
        #expect(try isOver(nps))
    }

    @Test("forms are filled in by title or beginning, and answers of a script need the whole name")
    func forms() throws {
        let filled = try home.hark(["form", "fav"], input: "1\n")
        #expect(filled.ending == .exited(0), "\(filled.errors)")
        #expect(try home.hark("form", "favourite colours", "--progress").ending == .exited(0))
        let refused = try home.hark("form", "favour", "--reset", "--yes")
        #expect(refused.ending == .exited(66))
        #expect(refused.errors.contains("In a script, names must be whole"))
        #expect(try home.hark("form", "favourites", "--reset", "--yes").output == "forgot 1 answer\n")
    }

    @Test("sessions are shown, asked for and cleared by the beginning of their ids")
    func sessions() throws {
        let ada = try home.hark("session", "start", "--user", "ada").output.dropLast()
        try home.hark("record", "one", "--quiet")
        try home.hark("session", "start", "--user", "bob")
        try home.hark("record", "two", "--quiet")
        let beginning = String(ada.prefix(35))
        #expect(try home.hark("session", "show", beginning).output.contains(ada))
        #expect(try home.hark("events", "--session", beginning).lines.count == 1)
        #expect(try home.hark("events", "--session", "current").lines.count == 1)
        let several = try home.hark("events", "--session", String(ada.prefix(4)))
        #expect(several.ending == .exited(64) && several.errors.contains("can mean each of these"))
        let none = try home.hark("session", "show", "ffff")
        #expect(none.ending == .exited(66) && none.errors.contains("there is no session ffff"))
        let cleared = try home.hark("clear", "--session", beginning, "--yes")
        #expect(cleared.output == "removed 1 event and 1 session\n")
        #expect(cleared.errors.contains("hark: session \(ada)"))
        #expect(try home.hark("session", "list").lines.count == 1)
    }

    @Test("what changes something takes no short beginning, and none of a name where nobody sees it")
    func strict() throws {
        for name in ["opens", "o-shares"] { try home.hark("counter", "register", name) }
        let unattended = try home.hark("counter", "trigger", "open")
        #expect(unattended.ending == .exited(66))
        #expect(unattended.errors.contains("Did you mean opens? In a script, names must be whole"))
        #expect(try home.hark("counter", "get", "open").ending == .exited(1))
        let seen = try typed("counter", "trigger", "open")
        #expect(seen.ending == .exited(0))
        #expect(seen.screen.contains("hark: counter opens\n1\n"))
        #expect(try typed("counter", "get", "open").screen.contains("1\n"))
        let script = try Pseudoterminal().run(
            ["setsid", "sh", "-c", "'\(Programs.hark)' counter trigger open; exit"], environment: home.environment)
        #expect(script.screen.contains("In a script, names must be whole"))
        #expect(try typed("counter", "set", "ope", "5").screen.contains("is too short"))
        #expect(try typed("counter", "reset", "open").screen.contains("reset 1 counter"))
        #expect(try home.hark("counter", "get", "opens").output == "0\n")

        try home.hark("watch", "add", "backup", "--every", "26h")
        #expect(try home.hark("watch", "remove", "back").ending == .exited(66))
        #expect(try typed("watch", "remove", "back").screen.contains("hark: watch backup"))

        try home.hark("execution", "add", "fan-out", "--when", "opens>=2", "--notify", "--keep-alive")
        #expect(try home.hark("execution", "remove", "fan-").ending == .exited(66))
        #expect(try typed("execution", "remove", "fan-").ending == .exited(0))
        #expect(try home.hark("execution", "list").errors.contains("there are no executions"))
    }

    @Test("destinations are named by a beginning")
    func destinations() throws {
        #expect(try home.hark("delivery", "flush", "coll").ending == .exited(0))
        #expect(try home.hark("delivery", "dead", "coll").output == "there are no dead letters\n")
        #expect(try home.hark("delivery", "resume", "coll").ending == .exited(0))
        #expect(try home.hark("delivery", "drop", "coll").errors.contains("names must be whole"))
        #expect(try typed("delivery", "replay", "coll").screen.contains("hark: destination collector"))
        #expect(try typed("delivery", "drop", "coll").screen.contains("hark: destination collector"))
    }

    @Test("a question that was asked is fetched by the beginning of its id, open and over")
    func prompts() throws {
        let id = try home.hark("prompt", "How was it?", "Good", "Bad", "--no-wait").output.dropLast()
        #expect(try home.hark("prompt", "--id", String(id.prefix(35)), "--no-wait").ending == .exited(75))
        try home.hark("answer", "prompt", "--option", "Good")
        #expect(try home.hark("prompt", "--id", String(id.prefix(35))).output == "Good\n")
    }
}

/// Surveys and forms to be named.
enum NamedThings {
    static let surveys = """
        {"surveys": [
          {"id": "rating", "title": "Quick question", "message": "How was it?", "options": ["Poor", "Good", "Great"],
           "trigger": {"event": {"name": "checkout"}}},
          {"id": "nps", "title": "Would you recommend us?", "message": "Would you?", "options": ["No", "Yes"],
           "trigger": {"event": {"name": "visit"}}},
          {"id": "nps-2026", "title": "Recommendation", "message": "Would you?", "options": ["No", "Yes"],
           "trigger": {"event": {"name": "never"}}}
        ]}
        """
    static let forms = """
        {"forms": [{"id": "favourites", "title": "Favourite colours", "questions": [
          {"id": "colour", "type": "single", "question": "Which colour?", "options": ["Blue", "Red"]}]}]}
        """
}
