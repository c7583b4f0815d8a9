import Foundation
import HarkWire
import Testing

/// `hark survey` and `hark destination`: what is written into files that people write.
@Suite(.endToEnd) struct SettingsCommandTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    private static let settings = "{\n  // ours\n  \"notify\": null, // nobody\n}\n"

    init() throws {
        home = try DaemonHome()
        try home.configure(Self.settings)
        daemon = try home.start()
    }

    private func text(_ name: String) throws -> String { try home.files.text("config/\(name)") }

    @Test("a survey that was added is asked, and one that was removed is not; nothing else in the file changes")
    func survey() throws {
        let added = try home.hark("survey", "add", "--on", "visit.end", "How was it?", "Good", "Bad")
        #expect(
            added.ending == .exited(0) && added.output == "added how-was-it to \(home.configuration)/surveys.json\n",
            "\(added)")
        let first = try text("surveys.json")
        let mine = first.replacing("{\n  \"surveys\"", with: "// mine\n{\n  \"surveys\"")
        try home.files.write(mine, to: "config/surveys.json")
        let more = try home.hark(
            "survey", "add", "--on", "checkout", "--after", "1h", "--where", "amount > 50", "--repeat", "90d", "--text",
            "--id", "missing", "--message", "Tell us.", "What was missing?", "Nothing")
        #expect(more.ending == .exited(0), "\(more)")
        let rules = try home.hark("surveys", "--rules").output
        #expect(rules.contains("How was it?") && rules.contains("What was missing?") && rules.contains("checkout"))
        #expect(try text("surveys.json").hasPrefix("// mine\n"))
        try home.hark("record", "visit.end")
        #expect(try home.hark(["ask"], input: "Good\n").ending == .exited(0))
        // By its title as well.
        #expect(try home.hark("survey", "remove", "missing", "--quiet").output.isEmpty)
        #expect(try text("surveys.json") == mine)
        #expect(try home.hark("survey", "remove", "how-was-it").ending == .exited(0))
        #expect(try !home.hark("surveys", "--rules").output.contains("How was it?"))
        #expect(try text("surveys.json") == "// mine\n{\n  \"surveys\": []\n}\n")
    }

    @Test("a survey that the daemon does not take leaves the file as it was")
    func refusedSurvey() throws {
        for (words, code, expected) in [
            (["--on", "e", "Q?", "a", "a"], 78, "is unchanged"),
            (["--on", "e", "--where", "amount >", "Q?", "a"], 78, "is unchanged"),
            (["Q?", "a"], 64, "'--on' is missing"), (["--on", "e", "Q?"], 64, "nothing to answer with"),
            (["--on", "e", "--after", "soon", "Q?", "a"], 64, "no span of time"),
        ] as [([String], Int32, String)] {
            let run = try home.hark(["survey", "add"] + words)
            #expect(run.ending == .exited(code) && run.errors.contains(expected), "\(run)")
            #expect(!FileManager.default.fileExists(atPath: "\(home.configuration)/surveys.json"))
        }
        try home.hark("survey", "add", "--on", "e", "Q?", "a")
        let before = try text("surveys.json")
        let twice = try home.hark("survey", "add", "--on", "e", "Q?", "a")
        #expect(twice.ending == .exited(78) && twice.errors.contains("there is a survey 'q' already"))
        #expect(try home.hark("survey", "remove", "nowhere").ending == .exited(66))
        try home.files.write("{\"surveys\": [", to: "config/surveys.json")
        let broken = try home.hark("survey", "add", "--on", "e", "Another?", "a")
        #expect(broken.ending == .exited(78) && broken.errors.contains("line 1"))
        #expect(try text("surveys.json") == "{\"surveys\": [")
        try home.files.write(before, to: "config/surveys.json")
    }

    @Test("a survey is not left in a folder that the daemon does not read")
    func elsewhere() throws {
        // Without settings, it is not known from the daemon where a file of surveys belongs.
        let home = try DaemonHome()
        let daemon = try home.start()
        defer { withExtendedLifetime(daemon) {} }
        let other = home.files.path("elsewhere")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let run = try home.shell("HARK_CONFIG='\(other)' $hark survey add --on e 'Q?' a")
        #expect(run.ending == .exited(78) && run.errors.contains("HARK_CONFIG names the folder"), "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
    }

    @Test("a destination is added, delivered to and removed, and the settings are as before")
    func destination() throws {
        let door = try Receiver().door("hook")
        let added = try home.hark(
            "destination", "add", "http://127.0.0.1:\(door.port)/in", "--name", "hook", "--content", "event", "--names",
            "door_*")
        #expect(
            added.ending == .exited(0) && added.output == "added hook to \(home.configuration)/harkd.json\n", "\(added)"
        )
        #expect(
            try text("harkd.json").hasPrefix("{\n  // ours\n  \"notify\": null, // nobody\n  \"destinations\": [\n"))
        try home.hark("record", "window_opened")
        try home.hark("record", "door_opened")
        try waitUntil("it is delivered") {
            try home.hark("delivery", "status", "--json").output.contains(#""delivered":1"#)
        }
        let twice = try home.hark("destination", "add", "http://127.0.0.1:1/", "--name", "hook")
        #expect(twice.ending == .exited(78) && twice.errors.contains("'hook' already"))
        #expect(try home.hark("destination", "remove", "hook").ending == .exited(0))
        #expect(try !home.hark("config", "show").output.contains("hook") && !text("harkd.json").contains("hook"))
    }

    @Test("chats are added by preset, in words of one's own, and get a message of their form for each event")
    func chats() throws {
        let receiver = try Receiver()
        let (chat, room) = (try receiver.door("chat"), try receiver.door("room"))
        for door in [chat, room] { try door.keepBodies() }
        let slack = try home.hark(
            "destination", "add", "\(chat.url)/chat/services/KEY", "--name", "chat", "--preset", "slack", "--names",
            "door_*",
            "--template", "{event.name} by {event.properties.who}")
        #expect(slack.ending == .exited(0), "\(slack)")
        try home.files.write("Bearer room-token-1\n", to: "room.token")
        let matrix = try home.hark(
            "destination", "add", "\(room.url)/chat/rooms/!r:x/send/m.room.message", "--name", "room", "--preset",
            "matrix",
            "--where", "@name = door_opened", "--key-file", home.files.path("room.token"))
        #expect(matrix.ending == .exited(0), "\(matrix)")
        try home.hark("record", "window_opened")
        try home.hark("record", "door_opened", #"who=<!here> "ada""#)
        try waitUntil("both have it") { try !chat.bodies.isEmpty && !room.bodies.isEmpty }
        #expect(
            try chat.bodies.map { $0["text"]?.stringValue } == [#"{"text":"door_opened by &lt;!here&gt; \"ada\""}"#])
        let said = try #require(try room.bodies.first)
        #expect(said["text"]?.stringValue?.hasSuffix(#": door_opened who=<!here> \"ada\""}"#) == true, "\(said)")
        #expect(said["path"]?.stringValue?.hasPrefix("/chat/rooms/!r:x/send/m.room.message/0") == true, "\(said)")
        #expect(said["headers"]?["Authorization"]?.stringValue == "Bearer room-token-1")
        // The address alone lets anybody write there.
        #expect(try !home.hark("config", "show").output.contains("KEY"))
        for (words, code, expected) in [
            (["--preset", "slack", "--template", "{event.nmae}"], 78, "did you mean {event.name}?"),
            (["--preset", "teams"], 78, "must be one of slack, discord, matrix, ntfy"),
            (["--preset", "slack", "--kind", "otlp"], 64, "webhooks"),
        ] as [([String], Int32, String)] {
            let before = try text("harkd.json")
            let run = try home.hark(["destination", "add", "http://127.0.0.1:1/"] + words)
            #expect(run.ending == .exited(code) && run.errors.contains(expected), "\(run)")
            #expect(try text("harkd.json") == before)
        }
    }

    @Test("a destination that the daemon does not take leaves the settings as they were")
    func refusedDestination() throws {
        for (words, code, expected) in [
            (["http://127.0.0.1:1/", "--where", "a >"], 78, "is unchanged"),
            (["http://127.0.0.1:1/", "--kind", "smtp"], 78, "is unchanged"),
            (["ftp://host/"], 64, "no address"), (["https://me:secret@host/"], 64, "must not be"),
            ([], 64, "URL is missing"),
        ] as [([String], Int32, String)] {
            let run = try home.hark(["destination", "add"] + words)
            #expect(
                run.ending == .exited(code) && run.errors.contains(expected) && !run.errors.contains("secret"), "\(run)"
            )
            #expect(try text("harkd.json") == Self.settings)
        }
        #expect(try home.hark("destination", "remove", "nowhere").ending == .exited(66))
    }
}
