import Foundation
import HarkWire
import Testing

/// `hark form` on a real terminal (rows Q1 to Q3, O1, O4, O5).
@Suite(.endToEnd) struct FormScreenTests {
    private let home: DaemonHome
    private let server: FormServer

    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "packaging/samples/onboarding.json")

    init() throws {
        home = try DaemonHome()
        server = try FormServer()
    }

    private func startRemote(_ members: String = #","timeoutSeconds":2"#) throws -> DaemonProcess {
        try home.files.write(server.document(members), to: "config/forms.json")
        return try home.start()
    }

    private func startSample() throws -> DaemonProcess {
        try FileManager.default.copyItem(at: Self.sample, to: URL(fileURLWithPath: home.configuration + "/forms.json"))
        return try home.start()
    }

    @Test("O1, O5: the five questions, back and forth, to the end, and the profile they make")
    func onboarding() throws {
        let daemon = try startSample()
        defer { daemon.kill() }
        let screen = try TmuxScreen(home)
        try screen.run(
            #"before=$(stty -g); $hark form onboarding; echo "exit $?"; [ "$before" = "$(stty -g)" ] && echo same"#)
        try screen.wait(for: "▸ [ Start ]")
        #expect(try screen.text.contains("5 questions"))
        // One Enter too many, as after the command, chooses nothing.
        try screen.press("Enter", "Enter")
        try screen.wait(for: "Choose an answer first.")
        #expect(try screen.text.contains("0 of 5 Questions Answered"))
        #expect(try screen.text.contains("Question 1 of 5"))
        #expect(try screen.text.contains("      Previous        Next"))
        try screen.press("Down", "Enter")
        try screen.wait(for: "1 of 5 Questions Answered")
        try screen.press("2", "Enter")
        try screen.wait(for: "Question 3 of 5")
        try screen.press("C-p")
        try screen.wait(for: "2  ● 🌙  Improve sleep")
        try screen.press("1", "Enter")
        try screen.wait(for: "Question 3 of 5")
        try screen.press("2", "Enter")
        try screen.wait(for: "Question 4 of 5")
        try screen.press("1", "Enter")
        try screen.wait(for: "Select all that apply")
        try screen.press("Enter")
        try screen.wait(for: "Choose an answer first.")
        try screen.press("1", "2", "3")
        try screen.wait(for: "3  [x] 🎵  Relaxing sounds & music")
        #expect(try screen.text.contains("4 of 5 Questions Answered"))
        try screen.press("Enter")
        try screen.wait(for: "All set!")
        #expect(try screen.text.contains("5 of 5 Questions Answered"))
        #expect(try screen.text.contains("▸ [ Begin Journey ]"))
        try screen.press("Enter")
        try screen.wait(for: "exit 0\nsame")
        let profile = try home.hark("profile")
        #expect(
            profile.output == """
                📊 Your Personalized Profile:

                🎯 Goal: Reduce stress and anxiety
                ⏱️ Session Duration: 15 minutes
                📈 Difficulty: beginner

                🎨 Interests:
                   • Guided meditation
                   • Breathing exercises
                   • Relaxing sounds & music

                📚 Recommended Categories:
                   • Mindfulness
                   • Stress
                   • Anxiety
                   • Sleep

                """)
    }

    @Test("O4, Q3: left in the middle, it goes on there, over a restart of the daemon too; later it can be changed")
    func leaving() throws {
        let daemon = try startSample()
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark form onboarding; echo "exit $?""#)
        try screen.wait(for: "[ Start ]")
        try screen.press("Enter", "3", "Enter")
        try screen.wait(for: "Question 2 of 5")
        // Chosen, and left without going on: it is kept all the same, but it is no answer yet.
        try screen.press("4", "Escape")
        try screen.wait(for: "1 of 5 Questions Answered; go on with: hark form onboarding")
        try screen.wait(for: "exit 1")
        #expect(try home.hark("profile", "get", "goal").ending == .exited(1))
        daemon.kill()
        let next = try home.start()
        defer { next.kill() }
        try screen.run(#"$hark form onboarding; echo "exit $?""#)
        try screen.wait(for: "4  ● 🧭  Just exploring")
        #expect(try screen.text.contains("Question 2 of 5"))
        try screen.press("Enter")
        try screen.wait(for: "Question 3 of 5")
        for (key, next) in [("1", "Question 4 of 5"), ("2", "Question 5 of 5"), ("5", "All set!")] {
            try screen.press(key, "Enter")
            try screen.wait(for: next)
        }
        try screen.press("b")
        try screen.wait(for: "5  [x] 🚶  Gentle movement")
        try screen.press("6", "Enter")
        try screen.wait(for: "All set!")
        try screen.press("Enter")
        try screen.wait(for: "exit 0")
        #expect(try home.hark("profile", "get", "interests").lines == ["Gentle movement", "Journaling"])
        #expect(try home.hark("profile", "get", "goal").output == "Just exploring\n")
    }

    @Test(
        "Q3: what is written is there again after Ctrl-C, a killed tool and a killed daemon, on the page where it was")
    func drafts() throws {
        let daemon = try startRemote()
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark form favourites; echo "exit $?""#)
        try screen.wait(for: "[ Start ]")
        try screen.press("Enter")
        try screen.wait(for: "What is your favourite colour?")
        try screen.type("  Bl")
        try screen.press("C-c")
        try screen.wait(for: "exit 1")
        try screen.run(#"$hark form favourites; echo "exit $?""#)
        try screen.wait(for: "│   Bl")
        try screen.press("C-n")
        try screen.wait(for: "Question 2 of 2")
        try screen.type("Brea")
        let client = try daemon.connect()
        try waitUntil("the daemon has it") {
            let form = try client.call("form.progress", #"{"formId":"favourites"}"#)["form"]
            return form?["draft"] == ["page": "2", "answers": ["1": "  Bl", "2": "Brea"]]
        }
        #expect(try server.posts.isEmpty)
        daemon.kill()
        try screen.wait(for: "The daemon is away")
        try screen.press("C-c")
        try screen.wait(for: "exit 1")
        let next = try home.start()
        defer { next.kill() }
        try screen.run(#"$hark form favourites; echo "exit $?""#)
        try screen.wait(for: "│ Brea")
        #expect(try screen.text.contains("Question 2 of 2"))
        try screen.type("d")
        try screen.press("C-d")
        try screen.wait(for: "1 of 2 Questions Answered")
        #expect(try server.posts.map(\.body) == [#"{"id":2,"answer":"Bread"}"#])
    }

    @Test("Q3: an answer nobody knows of is said when the form opens, and in the list of forms")
    func unconfirmed() throws {
        try server.plan(.drop, .status(200))
        let daemon = try startRemote()
        defer { daemon.kill() }
        #expect(try home.hark("form", "favourites", "--answers", #"{"1": "Blue"}"#).ending == .exited(76))
        #expect(try home.hark("forms").output.contains("unconfirmed"))
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark form favourites; echo "exit $?""#)
        try screen.wait(for: "the server may have the answer or not. Ctrl-R tries")
        #expect(try screen.text.contains("Question 1 of 2"))
        #expect(try screen.text.contains("Unconfirmed: it may have arrived. Ctrl-R sends it again."))
        try screen.press("C-r")
        try screen.wait(for: "Success!")
    }

    @Test("Q1: questions that cannot be loaded are an error that says why, and which command helps")
    func loading() throws {
        let broken = try startRemote()
        server.stop()
        try home.files.write(
            #"{"forms":[{"id":"other","title":"T","questionsURL":"http://127.0.0.1:\#(server.port)/questions"}]}"#,
            to: "config/forms.json")
        try waitUntil("the other form is there") { try home.hark("forms").output.contains("other") }
        let run = try home.hark("form", "other")
        #expect(run.ending == .exited(69) || run.ending == .exited(76))
        #expect(run.errors.contains("the questions of 'other' have not come from their server yet: "))
        #expect(run.errors.contains("127.0.0.1"))
        #expect(run.errors.contains("'hark form other' tries again; 'hark forms' shows when something is wrong."))
        broken.kill()

        try home.files.write(#"{"forms":[{"id":"other"}]}"#, to: "config/forms.json")
        try? FileManager.default.removeItem(atPath: home.state + "/forms.good.json")
        let next = try home.start()
        defer { next.kill() }
        let missing = try home.hark("form", "other")
        #expect(missing.ending == .exited(66))
        #expect(missing.errors.contains("has faults and is not in force ($.forms[0]: the member 'title' is missing)"))
        #expect(missing.errors.contains("'hark forms' shows those there are."))
    }

    @Test("Q1: success is a green banner, gone after three seconds; failure an orange one with a retry")
    func banners() throws {
        try server.plan(.status(200), .status(400), .status(200))
        let daemon = try startRemote()
        defer { daemon.kill() }
        let screen = try TmuxScreen(home, environment: ["TERM": "screen-256color"])
        try screen.run(#"$hark form favourites; echo "exit $?""#)
        try screen.wait(for: "[ Start ]")
        try screen.press("Enter")
        try screen.wait(for: "What is your favourite colour?")
        try screen.press("C-d")
        try screen.wait(for: "Write something first.")
        try screen.type("Blau 青い 👍")
        try screen.press("C-d")
        try screen.wait(for: "✓ Success!")
        let shownAt = Date()
        #expect(try screen.styled.contains("\u{1B}[30m\u{1B}[42m ✓ Success!"))
        #expect(try screen.text.contains("1 of 2 Questions Answered"))
        #expect(try screen.text.contains("✓ Submitted"))
        try waitUntil("the banner is gone") { try !screen.text.contains("Success!") }
        #expect((2...6).contains(Date().timeIntervalSince(shownAt)))
        try screen.type("more")
        #expect(try !screen.text.contains("👍more"))
        try screen.press("Enter")
        try screen.wait(for: "Question 2 of 2")
        try screen.type("Bread")
        try screen.press("Tab", "Tab", "Enter")
        try screen.wait(for: "✗ Failure.... the server did not take the answer (HTTP 400). Ctrl-R tries")
        #expect(try screen.styled.contains("\u{1B}[30m\u{1B}[48;5;208m ✗ Failure...."))
        try screen.press("C-r")
        try screen.wait(for: "Thank you!")
        #expect(try screen.text.contains("2 of 2 Questions Answered"))
        try screen.press("Enter")
        try screen.wait(for: "exit 0")
        #expect(try server.posts.map(\.body).last == #"{"id":2,"answer":"Bread"}"#)
        #expect(try server.posts.count == 3)
    }

    @Test("Q3: while the server is away answers are kept; back again, they are sent and the screen says so")
    func away() throws {
        let daemon = try startRemote()
        defer { daemon.kill() }
        let screen = try TmuxScreen(home)
        try screen.run(#"$hark form favourites; echo "exit $?""#)
        try screen.wait(for: "[ Start ]")
        try screen.press("Enter")
        try screen.wait(for: "What is your favourite colour?")
        server.stop()
        try screen.type("Blue")
        try screen.press("C-d")
        try screen.wait(for: "it is kept, and sent")
        #expect(try screen.text.contains("Kept, and sent later. Ctrl-R tries now."))
        try server.start()
        try screen.wait(for: "1 of 2 Questions Answered")
        try screen.wait(for: "Success!")
        #expect(try server.posts.count == 1)
    }

    @Test("what was written stays while the daemon starts anew, and is submitted then")
    func restart() throws {
        let daemon = try startRemote()
        let screen = try TmuxScreen(home)
        try screen.run("$hark form favourites")
        try screen.wait(for: "[ Start ]")
        try screen.press("Enter")
        try screen.wait(for: "What is your favourite colour?")
        try screen.type("before")
        daemon.kill()
        try screen.wait(for: "The daemon is away")
        try screen.press("C-d")
        try screen.wait(for: "The daemon does not answer; nothing was sent yet.")
        let next = try home.start()
        defer { next.kill() }
        try waitUntil("the daemon is back") { try !screen.text.contains("The daemon") }
        try screen.type(" and after")
        try screen.press("C-d")
        try screen.wait(for: "Success!")
        #expect(try server.posts.map(\.body) == [#"{"id":1,"answer":"before and after"}"#])
    }

    @Test("a window of 20 columns and 6 rows works, and grows into a large one; without colours nothing is lost")
    func small() throws {
        let daemon = try startRemote()
        defer { daemon.kill() }
        let screen = try TmuxScreen(home, columns: 20, rows: 6, environment: ["NO_COLOR": "1"])
        try screen.run("$hark form favourites")
        try screen.wait(for: "[ Start ]")
        try screen.press("Enter")
        try screen.wait(for: "0 of 2 Questions")
        try screen.type("rot")
        try screen.wait(for: "rot")
        try screen.resize(columns: 90, rows: 30)
        try screen.wait(for: "│ rot")
        try screen.press("C-d")
        try screen.wait(for: "✓ Success!")
        #expect(try !screen.styled.contains("\u{1B}[42m"))
    }

    @Test("without a terminal, and on one without a cursor, lines are read")
    func lines() throws {
        let daemon = try startSample()
        defer { daemon.kill() }
        let piped = try home.hark(["form", "onboarding"], input: "1\n2\n<\n1\n10-20 minutes\n9\n4\n1,3,journaling\n")
        #expect(piped.ending == .exited(0))
        #expect(piped.output.hasPrefix("Welcome\n"))
        #expect(
            piped.output.contains("\n0 of 5 Questions Answered\n\nQuestion 1 of 5\nHow have you been feeling?\n  1) "))
        #expect(piped.output.contains("Now: Improve sleep. An empty line leaves it so.\n"))
        #expect(piped.output.contains("'9' is none of the answers."))
        #expect(piped.output.contains("Select all that apply\n"))
        #expect(piped.output.hasSuffix("All set! Your journey can begin.\n"))
        #expect(!piped.output.contains("\u{1B}"))
        #expect(try home.hark("profile", "get", "interests").lines.count == 3)
        #expect(try home.hark(["form", "onboarding", "--user", "bob"], input: "1\n").ending == .exited(66))
        #expect(try home.hark("forms", "--user", "bob").output.contains("1 of 5"))
        let screen = try TmuxScreen(home, environment: ["TERM": "dumb"])
        try screen.run(#"TERM=dumb $hark form onboarding --user eve; echo "exit $?""#)
        try screen.wait(for: "Your choice (q leaves):")
        try screen.type("q")
        try screen.press("Enter")
        try screen.wait(for: "exit 1")
    }

    @Test("Q1: answers to a server by lines: what was not taken can be tried again")
    func remoteLines() throws {
        try server.plan(.status(400), .status(200))
        let daemon = try startRemote()
        defer { daemon.kill() }
        let piped = try home.hark(["form", "favourites"], input: "Blue\n\nBread\n")
        #expect(piped.ending == .exited(0))
        #expect(
            piped.output.contains("Failure.... the server did not take the answer (HTTP 400).\nAn empty line tries"))
        #expect(piped.output.contains("Success! 1 of 2 Questions Answered\n"))
        #expect(piped.output.hasSuffix("Success! 2 of 2 Questions Answered\nThank you!\n"))
        #expect(try server.posts.count == 3)
        let again = try home.hark(["form", "favourites"], input: "")
        #expect(again.ending == .exited(0))
        #expect(again.output == "Your favourites\n2 of 2 Questions Answered\nThank you!\n")
    }
}
