import Foundation
import HarkWire
import Testing

/// The notify hook that is there without any setting, with a real notification daemon on a real screen.
@Suite(.endToEnd, .enabled(if: Desktop.isPossible, "there are no Xvfb, dunst, notify-send or convert"))
struct NotificationTests {
    private let desktop: Desktop
    private let scene: SurveyScene
    private let daemon: DaemonProcess
    private let client: SocketClient

    init() throws {
        desktop = try Desktop()
        scene = try SurveyScene(
            Desktop.surveys(
                #","notification":{"title":"How was your visit?","body":"One click helps us to get better."}"#),
            configuration: "{}")
        let opened = scene.home.files.path("opened")
        try scene.home.configure(
            #"{"notify":{"open":["sh","-c","echo $1 $HARK_SOCKET > \#(opened).new; mv \#(opened).new \#(opened)","open"]}}"#
        )
        scene.home.prefix = ["env"] + desktop.environment.map { "\($0.key)=\($0.value)" }
        daemon = try scene.home.start()
        client = try daemon.connect()
        try client.startSession("ann")
    }

    private func waitForNotification() throws {
        try desktop.waitForNotification(try daemon.errors)
    }

    @Test(
        "S9: the notification is shown, an action of it answers the survey, and the answer is in the store",
        arguments: [
            "Good", "Bad",
        ])
    func action(option: String) throws {
        #expect(try desktop.notifications == 0)
        try client.record("go")
        try waitForNotification()
        try waitUntil("it is drawn") { try desktop.colours > 8 }
        // A folder named in HARK_IMAGES gets the picture, as docs/images has it.
        let folder = ProcessInfo.processInfo.environment["HARK_IMAGES"] ?? scene.home.files.path
        try desktop.takePicture(to: "\(folder)/notification.png")
        try client.waitForOne("ready")
        try desktop.choose(option)
        try waitUntil("it is answered") { try client.results("visit")["answered"] == 1 }
        let events = try client.surveyEvents()
        #expect(events.map { $0["name"] } == ["survey_presented", "survey_response"])
        #expect(events.last?["properties"]?["option"]?.stringValue == option)
        try desktop.waitForNone()
        #expect(try desktop.history.contains("One click helps us to get better."))
        #expect(try scene.answers("visit", afterKilling: daemon).contains(["value": .string(option), "count": 1]))
    }

    @Test("not again is a button where answers leave room for it")
    func never() throws {
        try client.record("go")
        try waitForNotification()
        try desktop.choose("Don't ask again")
        try waitUntil("it is muted") { try client.call("mute.list")["mutes"]?[0]?["surveyId"] == "visit" }
        try desktop.waitForNone()
        #expect(try client.surveyEvents().last?["properties"]?["for"] == "ever")
        #expect(try client.pending() == [])
    }

    @Test("S9: an answer elsewhere takes the notification away, and the next survey's comes")
    func answeredElsewhere() throws {
        try client.record("go")
        try client.record("other")
        try waitForNotification()
        let states = try client.pending().compactMap { $0["state"]?.stringValue }
        #expect(states == ["ready", "ready"])
        let shown = try client.presentNext()
        try desktop.waitForNone()
        try client.call("survey.answer", shown.params(#","option":"Good""#))
        try waitForNotification()
        #expect(try client.waitForOne("ready")["surveyId"] == "other")
    }

    @Test("W5: a notification that is overtaken by an answer is gone within a second")
    func goneAtOnce() throws {
        // Of three, as the machine may have much else to do.
        let seconds = try (0..<3).map { round in
            try client.startSession("ann-\(round)")
            try client.record("other")
            try waitForNotification()
            let ready = try client.waitForOne("ready")
            let start = Date()
            try client.call("survey.answer", ready.params(#","option":"Good""#))
            try desktop.waitForNone()
            return Date().timeIntervalSince(start)
        }
        #expect(seconds.min() ?? 9 < 1)
    }

    @Test("S9: a click on the notification opens the survey with the command for it; the survey waits for that")
    func click() throws {
        try client.record("go")
        try waitForNotification()
        let ready = try client.waitForOne("ready")
        try desktop.click()
        let opened = scene.home.files.path("opened")
        try waitUntil("it is opened") { access(opened, F_OK) == 0 }
        #expect(
            try scene.home.files.text("opened") == "\(ready["presentationId"]?.text ?? "") \(scene.home.socket)\n")
        try client.waitForOne("ready")
    }

    @Test("S9: a notification that is closed without a choice leaves the survey ready, and does not come again")
    func closed() throws {
        try client.record("go")
        try waitForNotification()
        try desktop.closeNotification()
        try desktop.waitForNone()
        try client.record("go")
        try client.waitForOne("ready")
        #expect(try desktop.notifications == 0)
        #expect(try client.surveyEvents() == [])
    }

    @Test("S9: a survey that ends as soon as it began leaves no notification behind")
    func endsAtOnce() throws {
        for delay in 0..<20 {
            try client.record("go")
            let ready = try client.waitForOne("ready")
            // From before notify-send was started until it shows something.
            pass(seconds: Double(delay) * 0.004)
            try client.call("survey.snooze", ready.params(#","seconds":86400"#))
            try client.call("survey.dismiss", try client.waitForOne("scheduled").params())
        }
        // What came late is taken away.
        try client.record("other")
        try waitForNotification()
        try waitUntil("one is left, which is the last") {
            try desktop.notifications == 1 && !hooksRunBeside()
        }
        #expect(try client.waitForOne("ready")["surveyId"] == "other")
        #expect(try desktop.notifications == 1)
    }

    /// Whether more than one hook of this daemon runs.
    private func hooksRunBeside() throws -> Bool {
        let children = try Child.run(["ps", "-o", "args=", "--ppid", "\(daemon.child.id)"]).output
        return children.split(separator: "\n").count { $0.contains("--notify") } > 1
    }

    @Test("W5: a notification server that is started anew is told again, however long it was away")
    func restarted() throws {
        try client.record("go")
        try waitForNotification()
        for _ in 0..<2 {
            desktop.endServer()
            try desktop.startServer()
            try waitForNotification()
        }
        try client.waitForOne("ready")
        try desktop.choose("Good")
        try waitUntil("it is answered") { try client.results("visit")["answered"] == 1 }
        try desktop.waitForNone()
    }

    @Test(
        "W5: a server without actions shows the options and the way to answer, and takes the notification away",
        .enabled(if: Desktop.hasStandIns, "there is no python3-dbusmock"))
    func withoutActions() throws {
        try desktop.startPlainServer()
        try client.record("go")
        try waitUntil("it is shown; \((try? daemon.errors) ?? "")") { try desktop.asked.contains(" Notify ") }
        let asked = try desktop.asked
        #expect(asked.contains("To answer: hark ask visit") && asked.contains("Good"), "\(asked)")
        #expect(!asked.contains("default"))
        try client.call("survey.answer", client.waitForOne("ready").params(#","option":"Good""#))
        try waitUntil("it is taken away") { try desktop.asked.contains(" CloseNotification ") }
    }

    @Test("a click on the notification of one user counts, though another user's session has begun meanwhile")
    func clickOfAnother() throws {
        try client.record("go")
        try waitForNotification()
        try client.startSession("ben")
        try desktop.choose("Good")
        try waitUntil("it is answered; \((try? daemon.errors) ?? "")") { try client.results("visit")["answered"] == 1 }
        let events = try client.surveyEvents()
        #expect(events.map { $0["userId"] } == ["ann", "ann"])
        try client.record("later")
        let last = try client.call("event.list", #"{"name":"later"}"#)["events"]?[0]
        #expect(last?["userId"] == "ben")
    }

    @Test("a survey whose notification was clicked on is opened, though another user's session has begun meanwhile")
    func openOfAnother() throws {
        try client.record("go")
        try waitForNotification()
        let ready = try client.waitForOne("ready")
        try client.startSession("ben")
        #expect(try client.ask("survey.present", ready.params()).reason == "conflict")
        try desktop.click()
        try waitUntil("it is opened") { access(scene.home.files.path("opened"), F_OK) == 0 }
        try client.call("survey.present", ready.params())
        try client.call("survey.answer", ready.params(#","option":"Bad""#))
        #expect(try client.surveyEvents().map { $0["userId"] } == ["ann", "ann"])
    }
}
