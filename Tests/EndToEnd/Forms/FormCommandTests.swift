import Foundation
import HarkWire
import Testing

/// `hark forms`, `hark form` without a screen and `hark profile` (rows Q1 to Q3, O2 to O4).
@Suite(.endToEnd) struct FormCommandTests {
    private let home: DaemonHome
    private let server: FormServer

    private static let answers = """
        {"emotionalState":"Doing okay","primaryGoal":"Build mindfulness","timeCommitment":"20-30 minutes",\
        "experienceLevel":"Experienced","preferredActivities":["Sleep stories"]}
        """

    init() throws {
        home = try DaemonHome()
        server = try FormServer()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        try FileManager.default.copyItem(
            at: root.appending(path: "packaging/samples/onboarding.json"),
            to: URL(fileURLWithPath: home.configuration + "/forms.json"))
    }

    @Test("O4: a profile exported, reset and imported is the same export byte for byte, after a restart too")
    func roundTrip() throws {
        var daemon = try home.start()
        #expect(try home.hark("profile", "export").ending == .exited(66))
        #expect(try home.hark("form", "onboarding", "--answers", Self.answers).ending == .exited(0))
        #expect(
            try home.hark("form", "onboarding", "--answers", #"{"timeCommitment":"Flexible"}"#).ending == .exited(0))
        let first = try home.hark("profile", "export")
        #expect(first.ending == .exited(0))
        try home.files.write(first.output, to: "profile.json")
        #expect(try home.hark(["profile", "reset"], input: "").ending == .exited(64))
        #expect(try home.hark("profile", "reset", "--yes").output == "forgot 5 answers\n")
        #expect(try home.hark("profile").ending == .exited(66))
        daemon.kill()
        daemon = try home.start()
        defer { daemon.kill() }
        #expect(try home.hark("profile", "import", home.files.path("profile.json")).ending == .exited(0))
        #expect(try home.hark("profile", "export").output == first.output)
        #expect(try home.hark(["profile", "import", "--user", "bob", "-"], input: first.output).ending == .exited(0))
        #expect(try home.hark("profile", "export", "--user", "bob").output == first.output)
        let broken = first.output.replacing("Experienced", with: "Perfect")
        let refused = try home.hark(["profile", "import", "-"], input: broken)
        #expect(refused.ending == .exited(65))
        #expect(refused.errors.contains("($.answers.experienceLevel)"))
        #expect(try home.hark("profile", "export").output == first.output)
    }

    @Test("O2, O3: each value, all of them, the raw answers, and whether it is completed")
    func values() throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        #expect(try home.hark("profile", "get", "completed").output == "false\n")
        #expect(try home.hark("profile", "get", "goal").ending == .exited(1))
        try home.hark("form", "onboarding", "--answers", Self.answers)
        #expect(try home.hark("profile", "get", "completed").output == "true\n")
        #expect(
            try home.hark("profile", "get", "categories").lines == [
                "mindfulness", "meditation", "sleep", "productivity",
            ])
        #expect(try home.hark("profile", "get", "sessionMinutes").output == "25\n")
        #expect(try home.hark("profile", "get", "difficulty", "--json").output == "\"advanced\"\n")
        #expect(try home.hark("profile", "get", "answers").output.contains("\"Sleep stories\""))
        let all = try home.hark("profile", "get")
        #expect(all.output.contains("contentTypes    stories, meditation basics, mindful living, daily practices\n"))
        #expect(try home.hark("profile", "get", "nothing").ending == .exited(66))
        #expect(try home.hark("forms").output.contains("onboarding  completed  5 of 5    Welcome\n"))
    }

    @Test("O2: the tip is the same all day and another one where it is tomorrow already")
    func tip() throws {
        // At any moment these two are on different days.
        var tips: [String: Set<String>] = [:]
        for zone in ["Etc/GMT+12", "Pacific/Kiritimati", "Etc/GMT+12"] {
            home.variables = ["TZ": zone]
            let daemon = try home.start()
            for _ in 0..<3 { tips[zone, default: []].insert(try home.hark("profile", "get", "dailyTip").output) }
            try daemon.stop()
        }
        #expect(tips.values.allSatisfy { $0.count == 1 })
        let (here, there) = (tips["Etc/GMT+12"]?.first, tips["Pacific/Kiritimati"]?.first)
        // A day apart it never is; two days apart, for some hours of the day, it may be.
        if hoursIntoDay >= 10, hoursIntoDay < 12 { return }
        #expect(here != there)
    }

    private var hoursIntoDay: Double { Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) / 3_600 }

    @Test("answers from a script: exit codes tell what became of them")
    func scripts() throws {
        try home.files.write(server.document(#","timeoutSeconds":2"#), to: "config/forms.json")
        try server.plan(.status(200), .status(400), .status(503), .status(200))
        let daemon = try home.start()
        defer { daemon.kill() }
        let taken = try home.hark("form", "favourites", "--answers", #"{"1":"Blue"}"#)
        #expect(taken.ending == .exited(0))
        #expect(taken.output == "1 of 2 Questions Answered\n  1  submitted\n")
        let refused = try home.hark("form", "favourites", "--answers", #"{"2":"Bread"}"#)
        #expect(refused.ending == .exited(76))
        #expect(refused.output.contains("  2  failed: the server did not take the answer (HTTP 400)\n"))
        #expect(try home.hark("form", "favourites", "--retry", "2").ending == .exited(75))
        #expect(try home.hark("form", "favourites", "--answers", #"{"1":"Red"}"#).ending == .exited(65))
        try waitUntil("it was taken") {
            try home.hark("form", "favourites", "--progress").output.contains("2  submitted")
        }
        #expect(try home.hark("form", "favourites", "--retry", "all", "--json").output.contains(#""completed":true"#))
        #expect(try server.posts.count == 4)
        #expect(try home.hark("form", "favourites", "--reset", "--yes").output == "forgot 2 answers\n")
        #expect(try home.hark("form", "nothing", "--progress").ending == .exited(66))
        #expect(try home.hark("form", "favourites", "--answers", "5").ending == .exited(64))
    }

    @Test("forms.json is checked, read again when it changes, and its faults are told with their paths")
    func document() throws {
        let daemon = try home.start()
        defer { daemon.kill() }
        #expect(try home.hark("config", "validate", home.configuration + "/forms.json").ending == .exited(0))
        try home.files.write(#"{"forms":[{"id":"a","title":"A","questions":[]}]}"#, to: "config/forms.json")
        let checked = try home.hark("config", "validate", home.configuration + "/forms.json")
        #expect(checked.ending == .exited(78))
        #expect(checked.errors.contains("$.forms[0].questions: must hold from 1 to 200 questions"))
        try waitUntil("the fault is told") {
            try home.hark("forms").errors.contains("$.forms[0].questions: must hold from 1 to 200 questions")
        }
        #expect(try home.hark("forms").output.contains("onboarding"))
        try home.files.write(
            #"{"forms":[{"id":"a","title":"A","questions":[{"id":"q","question":"?"}]}]} // new"#,
            to: "config/forms.json")
        try waitUntil("the new one is in force") { try home.hark("forms").output.contains("a     -      0 of 1") }
        try daemon.stop()
        // A daemon that starts with a broken file goes on with the last good one.
        try home.files.write("{", to: "config/forms.json")
        let next = try home.start()
        defer { next.kill() }
        #expect(try home.hark("forms").output.contains("a     -      0 of 1"))
    }
}
