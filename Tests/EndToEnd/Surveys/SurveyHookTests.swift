import Foundation
import HarkWire
import Testing

/// The notify hook: what it is given, what it may say, and what becomes of one that fails.
@Suite(.endToEnd) struct SurveyHookTests {
    private let scene: SurveyScene

    init() throws {
        scene = try SurveyScene(
            SurveyScene.document(
                SurveyScene.plain(
                    "one", title: "Grüße \\\"du\\\"",
                    more: #","notification":{"title":"Psst","body":"A\nB","sound":false}"#),
                SurveyScene.plain("two", event: #"{"name":"two"}"#)))
    }

    private func start(_ hook: SurveyHook, timeout: Int = 60) throws -> (DaemonProcess, SocketClient) {
        try scene.home.configure(hook.configuration(timeout: timeout))
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        return (daemon, client)
    }

    @Test("S9: it gets the survey on stdin and in its environment, one run for each survey")
    func whatItGets() throws {
        let hook = try SurveyHook(in: scene.home, "")
        let (daemon, client) = try start(hook)
        defer { daemon.kill() }
        try client.record("go")
        try client.record("go")
        try waitUntil("the hook runs") { hook.runs > 0 }
        let ready = try client.waitForOne("ready")
        #expect(try hook.input(0) == ready)
        #expect(ready["title"] == "Grüße \"du\"")
        let environment = try hook.environment(0)
        for (name, value) in [
            ("PRESENTATION_ID", ready["presentationId"]?.stringValue), ("SURVEY_ID", "one"), ("TITLE", "Psst"),
            ("BODY", "A\nB"), ("SOUND", "0"), ("OPTIONS", "Good\nBad"), ("USER_ID", "ann"),
            ("SESSION_ID", ready["sessionId"]?.stringValue), ("APP", "default"), ("SOCKET", scene.home.socket),
        ] {
            #expect(environment.contains("HARK_\(name)=\(value ?? "?")\n"), "\(name) in \(environment)")
        }
        // It said nothing: the survey waits, and nobody is bothered again.
        try client.record("go")
        #expect(try client.pending() == [ready])
        #expect(hook.runs == 1)
        #expect(try client.surveyEvents() == [])
    }

    @Test("a combined survey has its options for a hook, which may add a text")
    func combined() throws {
        let scene = try SurveyScene(
            """
            {"surveys": [{"id": "both", "title": "T", "message": "M",
              "response": {"type": "combined", "options": ["Good", "Bad"], "textField": {"label": "More"}},
              "trigger": {"event": {"name": "go"}}}]}
            """)
        let hook = try SurveyHook(in: scene.home, "echo 'answer Bad||Too loud'")
        try scene.home.configure(hook.configuration(timeout: 60))
        let daemon = try scene.home.start()
        defer { daemon.kill() }
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.record("go")
        try waitUntil("it is answered") { try client.surveyEvents().contains { $0["name"] == "survey_response" } }
        #expect(try hook.environment(0).contains("HARK_OPTIONS=Good\nBad\n"))
        let line = try #require(try scene.home.hark("events", "--json", "--name", "survey_response").lines.last)
        #expect(line.contains(#""text":"Bad||Too loud","option":"Bad","comment":"Too loud""#), "\(line)")
    }

    /// Whether a process runs; one that only waits to be buried by its parent does not.
    private func isAlive(_ id: String) throws -> Bool {
        guard access("/proc/\(id)", F_OK) == 0 else { return false }
        return try Child.run(["ps", "-o", "state=", "-p", id]).output.first.map { $0 != "Z" } ?? false
    }

    private static let words: [(says: String, events: [String], option: String?)] = [
        ("echo 'answer Bad'", ["survey_presented", "survey_response"], "Bad"),
        ("echo Good", ["survey_presented", "survey_response"], "Good"),
        ("echo chatter; echo 'answer Good'; echo; echo more", ["survey_presented", "survey_response"], "Good"),
        ("echo dismiss", ["survey_presented", "survey_dismissed"], nil),
        (#"exec sh -c 'echo "answer Good"'"#, ["survey_presented", "survey_response"], "Good"),
    ]

    @Test("S9: what it prints answers or dismisses the survey", arguments: words)
    func whatItSays(says: String, events: [String], option: String?) throws {
        let (daemon, client) = try start(try SurveyHook(in: scene.home, says))
        defer { daemon.kill() }
        try client.record("go")
        try waitUntil("its word is taken") { try client.pending() == [] }
        let found = try client.surveyEvents()
        #expect(found.map { $0["name"]?.stringValue } == events)
        #expect(found.last?["properties"]?["option"]?.stringValue == option)
        #expect(found.last?["userId"] == "ann")
    }

    @Test(
        "S9: an answer that is none, and a word that means nothing, leave the survey ready",
        arguments: [
            "echo 'answer Superb'", "echo hello", "",
        ])
    func nothingSaid(says: String) throws {
        let hook = try SurveyHook(in: scene.home, says + "\ntouch $0.done")
        let (daemon, client) = try start(hook)
        defer { daemon.kill() }
        try client.record("go")
        let mark = scene.home.files.path("hook.sh.done")
        try waitUntil("the hook has run") { access(mark, F_OK) == 0 }
        // What it said is taken before what is asked after its end.
        try waitUntil("its process is gone") { kill(hook.ids[0], 0) != 0 }
        if says.contains("answer") { try waitUntil("it is logged") { try daemon.errors.contains("Good") } }
        try client.waitForOne("ready")
        #expect(try client.surveyEvents() == [])
        try client.call("survey.answer", try client.presentNext().params(#","option":"Good""#))
    }

    @Test(
        "S9: one that fails is logged and will be run again; the survey waits, and a restart runs it at once",
        arguments: [
            "echo no bus >&2; exit 3", "kill -9 $$", "exec /nowhere/at/all",
        ])
    func failure(body: String) throws {
        let hook = try SurveyHook(in: scene.home, body)
        let (daemon, client) = try start(hook)
        try client.record("go")
        try waitUntil("it is logged") {
            try daemon.errors.contains("the notify hook failed, and will be run again in 30 s")
        }
        if body.contains("no bus") { #expect(try daemon.errors.contains("no bus")) }
        try client.waitForOne("ready")
        #expect(try client.surveyEvents() == [])
        daemon.kill()
        try hook.write("echo 'answer Good'", in: scene.home)
        let next = try scene.home.start()
        let again = try next.connect()
        try waitUntil("it is answered") { try again.results("one")["answered"] == 1 }
        #expect(hook.runs == 2)
    }

    @Test("S9: a command that does not exist is a failure like any other, and the daemon serves on")
    func missing() throws {
        try scene.home.configure(#"{"notify":{"command":["/nowhere/hook"]}}"#)
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.record("go")
        try waitUntil("it is logged") { try daemon.errors.contains("will be run again in 30 s") }
        try client.waitForOne("ready")
    }

    @Test("S9: its time is bounded, and what it started ends with it")
    func bounded() throws {
        let hook = try SurveyHook(in: scene.home, "trap '' TERM; sleep 1000 & echo $! > $0.child; wait; sleep 1000")
        let (daemon, client) = try start(hook, timeout: 1)
        defer { daemon.kill() }
        try client.record("go")
        let file = scene.home.files.path("hook.sh.child")
        try waitUntil("it runs") { access(file, F_OK) == 0 && hook.runs == 1 }
        try waitUntil("it is gone") { kill(hook.ids[0], 0) != 0 }
        let child = try scene.home.files.text("hook.sh.child").trimmingCharacters(in: .whitespacesAndNewlines)
        try waitUntil("what it started is gone") { try !isAlive(child) }
        try client.waitForOne("ready")
    }

    @Test(
        "S9: an answer or a dismissal elsewhere takes the notification away, and so does a presenter",
        arguments: [
            "survey.answer", "survey.dismiss", "survey.present", "survey.snooze", "presenter", "removed",
        ])
    func closedElsewhere(by way: String) throws {
        let hook = try SurveyHook(in: scene.home, "exec sleep 1000")
        let (daemon, client) = try start(hook)
        defer { daemon.kill() }
        try client.record("go")
        try waitUntil("it runs") { hook.runs == 1 }
        let ready = try client.waitForOne("ready")
        #expect(kill(hook.ids[0], 0) == 0)
        switch way {
        case "survey.answer": try client.call(way, ready.params(#","option":"Good""#))
        case "survey.snooze": try client.call(way, ready.params(#","seconds":3600"#))
        case "presenter": try client.presentHere()
        case "removed": try scene.write(SurveyScene.document(SurveyScene.plain("other")))
        default: try client.call(way, ready.params())
        }
        try waitUntil("it is ended") { kill(hook.ids[0], 0) != 0 }
        #expect(hook.runs == 1)
    }

    @Test("S7 S9: one notification at a time in an app; the next comes when the first is done with")
    func oneAtATime() throws {
        let hook = try SurveyHook(in: scene.home, "exec sleep 1000")
        let (daemon, client) = try start(hook)
        defer { daemon.kill() }
        try client.record("go")
        try client.record("two")
        try waitUntil("it runs") { hook.runs == 1 }
        let first = try hook.input(0)
        #expect(first["surveyId"] == "one")
        try client.call("survey.answer", first.params(#","option":"Good""#))
        try waitUntil("the next comes") { hook.runs == 2 }
        #expect(try hook.input(1)["surveyId"] == "two")
    }

    @Test("a hook that runs ends with the daemon, however that ends", arguments: [SIGTERM, SIGKILL])
    func stopped(signal: CInt) throws {
        let hook = try SurveyHook(in: scene.home, "exec sleep 1000")
        let (daemon, client) = try start(hook)
        try client.record("go")
        try waitUntil("it runs") { hook.runs == 1 }
        #expect(try daemon.stop(signal).ending == (signal == SIGKILL ? .signaled(SIGKILL) : .exited(0)))
        try waitUntil("it is gone") { kill(hook.ids[0], 0) != 0 }
    }
}
