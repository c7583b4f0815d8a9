import Foundation
import HarkWire
import Testing

/// `hark mute` on a real daemon: what somebody says holds over all there is.
@Suite(.endToEnd) struct MutingTests {
    private let scene: SurveyScene

    init() throws {
        scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain("visit", more: #","oncePerSession":false"#),
                SurveyScene.plain("more", event: #"{"name":"more"}"#)))
    }

    @discardableResult
    private func hark(_ words: String...) throws -> ToolRun { try scene.home.hark(words) }

    @Test(
        "what waits goes at once and nothing comes any more: not in debug mode, after kill -9, nor for users of long ago"
    )
    func muted() throws {
        var daemon = try scene.home.start()
        var client = try daemon.connect()
        for user in ["ann", "bob", "cleo"] {
            try client.startSession(user)
            try client.record("go")
        }
        daemon.kill()
        daemon = try scene.home.start()
        client = try daemon.connect()
        #expect(try hark("mute", "visit").output == "visit: muted for ever\n")
        try waitUntil("all of it is cancelled") { try client.pending() == [] }
        let history = try client.call("survey.history")["presentations"]?.arrayValue ?? []
        #expect(history.count == 3 && history.allSatisfy { $0["reason"] == "muted" }, "\(history)")
        try client.call("debug.set", #"{"preset":"debug"}"#)
        try client.record("go")
        #expect(try client.pending() == [])
        let explained = try hark("explain", "visit")
        #expect(explained.ending == .exited(1), "\(explained)")
        #expect(
            explained.output.contains("you have muted it for ever; 'hark unmute' undoes that"), "\(explained)")
        daemon.kill()
        daemon = try scene.home.start()
        client = try daemon.connect()
        try client.record("go")
        #expect(try client.pending() == [])
        #expect(try hark("mute").output == "visit: muted for ever\nvisit: muted by 1 account\n")
        #expect(try hark("unmute", "visit").ending == .exited(0))
        try client.record("go")
        try waitUntil("it comes again") { try client.pending().count == 1 }
        #expect(daemon.child.isRunning)
    }

    @Test("what was imported asks nobody, and a mute stays when everything is cleared")
    func clearing() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try hark("mute", "--all", "--for", "30d")
        try client.call(
            "session.import",
            #"{"session":{"id":"0199e0f4-8c7a-7000-8000-00000000000a","startedAt":"2026-01-01T00:00:00Z"}}"#)
        try client.call(
            "event.import",
            #"{"event":{"id":"0199e0f4-8c7a-7000-8000-00000000000b","name":"go","timestamp":"2026-01-01T00:00:01Z"},"sessionId":"0199e0f4-8c7a-7000-8000-00000000000a"}"#
        )
        #expect(try client.pending() == [])
        try client.call("event.clear", #"{"all":true}"#)
        try client.record("go")
        #expect(try client.pending() == [])
        #expect(try hark("mute", "--list").output.hasPrefix("all surveys: muted until 20"))
        #expect(daemon.child.isRunning)
    }

    @Test("the third way beside an answer and later: on the terminal by lines, and by the hook of a notification")
    func thirdWay() throws {
        let hook = try SurveyHook(in: scene.home, "echo mute")
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.record("go")
        let asked = try scene.home.hark(["ask"], input: "never\n")
        #expect(asked.ending == .exited(1) && asked.errors.contains("'hark unmute visit' undoes that"), "\(asked)")
        #expect(try client.surveyEvents().last?["properties"]?["for"] == "ever")
        try scene.home.configure(hook.configuration())
        try client.call("daemon.reload")
        try client.record("more")
        try waitUntil("its word is taken") { try client.pending() == [] }
        #expect(try client.surveyEvents().last?["properties"]?["for"] == "ever")
        #expect(try hark("mute").output.hasPrefix("more: muted for ever\nvisit: muted for ever\n"))
        #expect(daemon.child.isRunning)
    }

    @Test("HARK_NO_SURVEYS keeps a terminal quiet, and what waits waits")
    func noSurveys() throws {
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.record("go")
        for words in ["ask", "ask --wait"] {
            let run = try scene.home.shell("HARK_NO_SURVEYS=1 \"$hark\" \(words)")
            #expect(run.ending == .exited(66) && run.output.isEmpty && run.errors.isEmpty, "\(run)")
        }
        #expect(try scene.home.shell(#"HARK_NO_SURVEYS=1 "$hark" agent"#).ending == .exited(0))
        #expect(try client.pending().map { $0["state"] } == ["ready"])
        #expect(daemon.child.isRunning)
    }

    @Test("what cannot be meant is said, with what to write instead")
    func mistakes() throws {
        let daemon = try scene.home.start()
        let cases: [([String], Int32, String)] = [
            (["mute", "visit", "--all"], 64, "Give one of them"), (["mute", "--for", "0"], 64, "at least 1 s"),
            (["study", "pause", "visit", "--for", "0"], 64, "at least 1 s"),
            (["mute", "--for", "1h", "--forever"], 64, "--forever"),
            (["mute", "--every", "soon"], 64, "Write it like"),
            (["mute", "--until", "2020-01-01"], 64, "is in the past"), (["unmute"], 64, "Name a survey"),
            (["mute", "--prompts"], 64, "--all"), (["mute", "vist"], 66, "Did you mean visit?"),
            (["unmute", "visit"], 66, "you have no mute or limit for visit"),
            (["mute", "--every", "1d", "--prompts"], 64, "can be muted"),
        ]
        for (words, code, hint) in cases {
            let run = try scene.home.hark(words)
            #expect(run.ending == .exited(code) && run.errors.contains(hint), "\(words): \(run)")
        }
        #expect(try hark("mute").errors == "hark: you have no mutes or limits\n")
        // Two bear that title; of a script's question any name is taken.
        #expect(try hark("mute", "how is it?").ending == .exited(64))
        #expect(try hark("mute", "deploy", "--prompts", "--quiet").ending == .exited(0))
        #expect(try hark("mute").output.hasPrefix("deploy: muted for ever, with the questions of scripts\n"))
        #expect(try hark("unmute", "deploy").ending == .exited(0))
        #expect(daemon.child.isRunning)
    }

    @Test(
        "each account speaks for itself: others are told nothing of it, and root how many have",
        .enabled(if: geteuid() == 0))
    func rights() throws {
        scene.home.options = ["--system"]
        try check("chmod") { chmod(scene.home.files.path, 0o755) }
        let daemon = try scene.home.start()
        let (ada, bob, root) = (try daemon.connect(uid: 65_534), try daemon.connect(uid: 65_533), try daemon.connect())
        for client in [ada, bob] { try client.record("go") }
        try waitUntil("both wait") { try root.pending().count == 2 }
        let id = try #require(try ada.pending().first?["presentationId"]?.text)
        try root.call("survey.present", #"{"presentationId":"\#(id)"}"#)
        let dismissal = #"{"presentationId":"\#(id)","for":"ever"}"#
        #expect(try root.ask("survey.dismiss", dismissal).reason == "permissionDenied")
        try ada.call("survey.dismiss", dismissal)
        #expect(try bob.pending().count == 1 && ada.pending().isEmpty)
        #expect(try bob.call("mute.list")["mutes"] == [] && bob.call("mute.list")["accounts"] == .null)
        let told = try root.call("mute.list")
        #expect(told["mutes"] == [] && told["accounts"]?[0]?["count"] == 1 && told["accounts"]?.arrayValue?.count == 1)
        // Nor does the list of what became of surveys say who it was.
        try bob.call("mute.set", #"{"forEver":true}"#)
        try waitUntil("what waits is gone") { try bob.pending().isEmpty }
        func reasons(_ client: SocketClient) throws -> [String] {
            (try client.call("survey.history")["presentations"]?.arrayValue ?? []).compactMap {
                $0["reason"]?.stringValue
            }
        }
        #expect(try reasons(bob) == ["muted"] && reasons(root) == ["withdrawn"])
        try bob.call("mute.remove")
        try ada.record("go")
        #expect(try ada.pending() == [])
        #expect(daemon.child.isRunning)
    }
}
