import Foundation
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
        // Which is in the place of which.
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
