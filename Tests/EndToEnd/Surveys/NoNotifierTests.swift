import Foundation
import Glibc
import HarkWire
import Testing

/// A machine without a session bus and without notify-send.
@Suite(.endToEnd) struct NoNotifierTests {
    @Test("W5: no notify-send is told once in the log, and in hark status, hark surveys and hark explain")
    func told() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("one"), SurveyScene.plain("two", event: #"{"name":"two"}"#)),
            configuration: "{}")
        scene.home.variables["PATH"] = scene.home.files.path("nothing")
        for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { scene.home.variables[name] = nil }
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        try client.startSession("ann", app: "other")
        try client.record("go")
        try client.record("two", app: "other")
        try waitUntil("it is told") { try daemon.errors.contains("there is no notify-send") }
        try waitUntil("both wait") { try client.pending().count == 2 }
        #expect(try daemon.errors.components(separatedBy: "there is no notify-send").count == 2)
        let status = try scene.home.hark("status")
        #expect(status.output.contains("problem      notify: there is no session bus that shows notifications,"))
        #expect(try scene.home.hark("surveys").errors.contains("there is no notify-send"))
        #expect(try scene.home.hark("surveys", "--rules").errors.contains("there is no notify-send"))
        #expect(try scene.home.hark("explain", "two").output.contains("nobody would see it"))
        // A presenter needs none.
        let presenter = try daemon.connect()
        try presenter.presentHere()
        #expect(try client.call("survey.explain", #"{"surveyId":"two"}"#)["notifyProblem"] == .null)
    }

    @Test("a survey of which notify-send cannot tell, as there is no session bus, does not count as notified")
    func noBus() throws {
        let scene = try SurveyScene(SurveyScene.document(SurveyScene.plain("one")), configuration: "{}")
        let started = scene.home.files.path("started")
        try scene.home.files.write("#!/bin/sh\ntouch '\(started)'\nexec sleep 60\n", to: "notify-send")
        try check("chmod") { chmod(scene.home.files.path("notify-send"), 0o755) }
        scene.home.variables["PATH"] = "\(scene.home.files.path("")):/usr/bin:/bin"
        for name in ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR"] { scene.home.variables[name] = nil }
        let client = try scene.home.start().connect()
        try client.record("go")
        try waitUntil("it is tried") { access(started, F_OK) == 0 }
        // What is shown counts after two seconds.
        usleep(4_000_000)
        let times = try client.call("survey.history")["presentations"]?.arrayValue?.first?["times"]
        #expect(times?["plannedAt"] != nil && times?["notifiedAt"] == nil, "\(String(describing: times))")
    }

    @Test(
        "without a session bus, a notification that ends by itself counts as notified, one whose time is up does not",
        arguments: [("sleep 3", 60, true), ("while :; do sleep 0.1; done", 1, false)])
    func ended(script: String, seconds: Int, isNotified: Bool) throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("one")),
            configuration: #"{"notify":{"timeoutSeconds":\#(seconds)}}"#)
        let ended = scene.home.files.path("ended")
        try scene.home.files.write(
            "#!/bin/sh\ntrap 'touch \"\(ended)\"; exit 0' INT\n\(script)\ntouch '\(ended)'\n", to: "notify-send")
        try check("chmod") { chmod(scene.home.files.path("notify-send"), 0o755) }
        scene.home.variables["PATH"] = "\(scene.home.files.path("")):/usr/bin:/bin"
        let client = try scene.home.start().connect()
        try client.record("go")
        try waitUntil("it ends") { access(ended, F_OK) == 0 }
        usleep(1_500_000)
        let times = try client.call("survey.history")["presentations"]?.arrayValue?.first?["times"]
        #expect(times?["plannedAt"] != nil && (times?["notifiedAt"] != nil) == isNotified)
    }

    @Test("a hook that is not there is told in the same way")
    func hook() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("one")), configuration: #"{"notify":{"command":["no-such-hook"]}}"#)
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.record("go")
        try waitUntil("it is told") { try daemon.errors.contains("there is no program 'no-such-hook'") }
        #expect(try client.call("survey.pending")["notifyProblem"]?.stringValue?.contains("no-such-hook") == true)
    }
}
