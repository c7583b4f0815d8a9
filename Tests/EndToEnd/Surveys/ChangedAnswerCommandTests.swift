import Foundation
import HarkTesting
import HarkWire
import Testing

/// `hark answer --change` and `--take-back`, and what other commands make of it.
@Suite(.endToEnd) struct ChangedAnswerCommandTests {
    private let scene: SurveyScene
    private var home: DaemonHome { scene.home }
    private let client: SocketClient

    init() throws {
        scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("mood", more: #","changeableSeconds":3600"#)))
        client = try scene.home.start().connect()
    }

    private func rows(_ words: String...) throws -> [[Substring]] {
        try home.hark(["answers", "mood", "--csv"] + words).output.split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
    }

    @Test("thanks name the command that undoes it; what is changed is counted once, and every version can be seen")
    func story() throws {
        try client.startSession("ada")
        try client.record("go")
        try client.waitForOne("ready")
        let asked = try home.hark(["ask"], input: "1\n")
        #expect(asked.ending == .exited(0) && asked.output.contains("Thank you!"), "\(asked)")
        let named = try #require(asked.errors.firstMatch(of: /'hark answer --take-back ([0-9a-f-]{36})'/), "\(asked)")
        let first = String(named.1)
        #expect(asked.errors.contains("'hark answer --change \(first) …'"))
        #expect(try home.hark("answer", "--change", first).ending == .exited(64))
        #expect(try home.hark("answer", "--take-back", first, "--option", "Bad").ending == .exited(64))
        #expect(try home.hark("answer", "--change", first, "--option", "Bad").ending == .exited(0))
        let last = try rows()
        #expect(last.count == 1 && last[0].contains("Bad") && !last[0].contains("Good"))
        let all = try rows("--all-versions")
        #expect(all.count == 2 && all[0].contains("Good") && all[1].contains("Bad"))
        // The versions that replace each other.
        let second = String(last[0][0])
        #expect(all[0].contains(Substring(second)) && all[1].contains(Substring(first)))
        let again = try home.hark("answer", "--change", first, "--option", "Good")
        #expect(again.ending != .exited(0) && again.errors.contains(second), "\(again)")
        #expect(try home.hark("sql", "--csv", "SELECT answer FROM answers").output == "answer\r\nBad\r\n")
        #expect(
            try home.hark("sql", "--csv", "SELECT revises FROM presentations").output == "revises\r\n\(first)\r\n")
        #expect(try home.hark("answer", "--take-back", second).ending == .exited(0))
        #expect(
            try home.hark("answers", "mood", "--answered", "--csv").output.split(whereSeparator: \.isNewline).count == 1
        )
        #expect(try rows("--all-versions").count == 3)
        #expect(try client.results("mood")["answered"] == 0)
        // What was exported of the events says which revises which.
        try home.hark("export", home.files.path("copy"))
        try home.hark("clear", "--all", "--yes")
        try home.hark("import", home.files.path("copy"))
        let events = try home.hark("events", "--json", "--name", "survey_response").lines
        #expect(events.count == 2 && events[1].contains(#""revises":"\#(first)""#), "\(events)")
        #expect(try home.hark("events", "--json", "--name", "survey_taken_back").lines.count == 1)
    }
}

/// What a change prints.
@Suite(.endToEnd) struct ChangedAnswerIDTests {
    @Test(
        "a change prints the id for the next one, as JSON too, or nothing; what is put off or dismissed can be quiet as well"
    )
    func ids() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("mood", more: #","changeableSeconds":3600,"oncePerSession":false"#)))
        let client = try scene.home.start().connect()
        try client.record("go")
        let asked = try scene.home.hark(["ask"], input: "1\n")
        let named = try #require(asked.errors.firstMatch(of: /'hark answer --take-back ([0-9a-f-]{36})'/), "\(asked)")
        var ids = [String(named.1)]
        for option in ["Bad", "Good"] {
            let changed = try scene.home.hark("answer", "--change", try #require(ids.last), "--option", option)
            #expect(changed.ending == .exited(0) && changed.errors.isEmpty, "\(changed)")
            let id = try #require(changed.output.wholeMatch(of: /([0-9a-f-]{36})\n/), "\(changed)")
            ids.append(String(id.1))
        }
        let told = try scene.home.hark("answer", "--change", ids[2], "--option", "Bad", "--json")
        let survey = try JSONReader.read(told.output)["survey"]
        #expect(survey?["revises"]?.stringValue == ids[2], "\(told)")
        ids.append(survey?["presentationId"]?.stringValue ?? "")
        let quiet = try scene.home.hark("answer", "--change", ids[3], "--option", "Good", "-q")
        #expect(quiet.ending == .exited(0) && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet)")
        #expect(Set(ids).count == 4)
        let versions = try scene.home.hark("answers", "mood", "--all-versions", "--csv").output.split(
            whereSeparator: \.isNewline)
        #expect(versions.count == 1 + 5, "\(versions)")
        #expect(try scene.home.hark("answer", "--change", ids[3], "--option", "Bad", "-q", "-j").ending == .exited(64))
    }
}

/// `hark ask` on a screen, where what was answered can be changed.
@Suite(.endToEnd) struct ChangedAnswerScreenTests {
    private let home: DaemonHome
    private let client: SocketClient

    init() throws {
        let pages =
            #"{"id":"pages","title":"Pages","message":"A few.","oncePerSession":false,"changeableSeconds":3600,"#
            + #""trigger":{"event":{"name":"pages"}},"questions":[{"id":"score","type":"nps","question":"Recommend it?","#
            + #""next":[{"when":{"op":"gte","value":9},"to":"end"}]},{"id":"why","type":"text","question":"Why?"}]}"#
        let scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("mood", more: #","changeableSeconds":3600,"oncePerSession":false"#), pages))
        home = scene.home
        client = try home.start().connect()
    }

    private func screen() throws -> TmuxScreen {
        // As long as the slowest machine takes to press a key.
        try TmuxScreen(home, environment: ["HARK_THANKS_SECONDS": "900"])
    }

    private func answers(_ survey: String) throws -> [JSONValue?] {
        try client.call("survey.history", #"{"surveyId":"\#(survey)","allVersions":true}"#)["presentations"]?
            .arrayValue?
            .map { $0["answers"] } ?? []
    }

    @Test("Ctrl-E opens it again as it was answered, and any other key closes the thanks")
    func options() throws {
        try client.record("go")
        let screen = try screen()
        try screen.run(#"$hark ask; echo "exit $?""#)
        try screen.wait(for: "  1  🙂  Good")
        try screen.press("1")
        try screen.wait(for: "Ctrl-E change answer · Enter close")
        #expect(try screen.text.contains("Your answer was saved."))
        try screen.press("C-e")
        try screen.wait(for: "Esc leave it as it was")
        #expect(try screen.text.contains("▸ 1  🙂  Good"))
        try screen.press("2")
        try screen.wait(for: "Ctrl-E change answer")
        // Once more, and then not.
        try screen.press("C-e")
        try screen.wait(for: "▸ 2  😞  Bad")
        try screen.press("Escape")
        try screen.wait(for: "exit 0")
        #expect(try answers("mood") == [["option": "Good"], ["option": "Bad"]])
        // The command that is named is for the newest.
        let text = try screen.text.replacing("\n", with: "")
        let last = try client.call("survey.history", #"{"surveyId":"mood"}"#)["presentations"]?[0]?["presentationId"]
        #expect(text.contains("--take-back \(last?.stringValue ?? "?")"), "\(text)")
        // Enter, which many press twice, changes nothing.
        try client.call("survey.reset")
        try client.record("go")
        try screen.run(#"clear; $hark ask; echo "ended $?""#)
        try screen.wait(for: "  1  🙂  Good")
        try screen.press("Down", "Enter")
        try screen.wait(for: "Ctrl-E change answer")
        try screen.press("Enter")
        try screen.wait(for: "ended 0")
        #expect(try answers("mood").count == 3)
    }

    @Test("pages follow the way that the changed answers lead, and nothing is changed before the last")
    func pages() throws {
        try client.record("pages")
        let screen = try screen()
        try screen.run(#"$hark ask; echo "exit $?""#)
        try screen.wait(for: "Recommend it?")
        try screen.press("9", "Enter")
        try screen.wait(for: "Ctrl-E change answer")
        try screen.press("C-e")
        try screen.wait(for: "Recommend it?")
        try screen.press("3", "Enter")
        try screen.wait(for: "Question 2")
        #expect(try answers("pages") == [["score": 9]])
        try screen.type("Slow")
        try screen.press("C-d")
        try screen.wait(for: "Ctrl-E change answer")
        #expect(try answers("pages") == [["score": 9], ["score": 3, "why": "Slow"]])
        // A refusal stays on the screen, and what was answered stays as it is.
        try screen.press("C-e")
        try screen.wait(for: "Recommend it?")
        let last = try client.call("survey.history", #"{"surveyId":"pages"}"#)["presentations"]?[0]?["presentationId"]
        try client.call("survey.change", #"{"presentationId":"\#(last?.stringValue ?? "")","takeBack":true}"#)
        try screen.press("9", "Enter")
        try screen.wait(for: "changed already")
        try screen.press("Escape")
        try screen.wait(for: "exit 0")
    }

    @Test("thanks go by themselves")
    func byThemselves() throws {
        try client.record("go")
        let screen = try TmuxScreen(home, environment: ["HARK_THANKS_SECONDS": "1"])
        try screen.run(#"$hark ask; echo "exit $?""#)
        try screen.wait(for: "  1  🙂  Good")
        try screen.press("1")
        try screen.wait(for: "exit 0")
    }
}

/// Who may change answers.
@Suite(.endToEnd, .enabled(if: geteuid() == 0)) struct ChangedAnswerRightsTests {
    @Test("only the account that was asked changes its answers: another finds none, and root is refused")
    func others() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("mood", more: #","changeableSeconds":3600"#)))
        scene.home.options = ["--system"]
        try check("chmod") { chmod(scene.home.files.path, 0o755) }
        let daemon = try scene.home.start()
        let (ada, bob, root) = (try daemon.connect(uid: 65_534), try daemon.connect(uid: 65_533), try daemon.connect())
        try ada.record("go")
        let shown = try ada.presentNext()
        try ada.call("survey.answer", try shown.params(#","option":"Good""#))
        for change in [#","option":"Bad""#, #","takeBack":true"#] {
            #expect(try bob.ask("survey.change", shown.params(change)).reason == "notFound")
            #expect(try root.ask("survey.change", shown.params(change)).reason == "permissionDenied")
        }
        #expect(try ada.results("mood")["answered"] == 1)
        let changed = try ada.call("survey.change", try shown.params(#","option":"Bad""#))["survey"]
        #expect(changed?["answers"]?["option"] == "Bad", "\(changed ?? .null)")
    }
}
