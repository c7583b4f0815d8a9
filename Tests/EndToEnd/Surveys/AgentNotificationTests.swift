import Foundation
import HarkWire
import Testing

/// `hark agent` in a user's desktop session, with the daemon of the machine and a real notification daemon.
@Suite(
    .endToEnd,
    .enabled(if: Desktop.isPossible(for: 65_534), "needs root, Xvfb, dunst, notify-send and convert"))
struct AgentNotificationTests {
    private static let adaUID: UInt32 = 65_534
    private static let bobUID: UInt32 = 65_533

    private let desktop: Desktop
    private let scene: SurveyScene
    private let daemon: DaemonProcess
    private let ada: SocketClient
    private let agent: RunningTool

    init() throws {
        desktop = try Desktop(of: Self.adaUID)
        // As the package installs it: nothing is said of notifications, and the system's daemon has no hook.
        scene = try SurveyScene(Desktop.surveys(#","oncePerSession":false"#), configuration: "{}")
        let home = scene.home
        home.options = ["--system"]
        try check("chmod") { chmod(home.files.path, 0o755) }
        daemon = try home.start()
        ada = try daemon.connect(uid: Self.adaUID)
        try ada.startSession("ada")
        let terminal = desktop.path("terminal")
        try Data("#!/bin/sh\necho \"$@\" > \(desktop.path("opened"))\n".utf8).write(to: URL(fileURLWithPath: terminal))
        try check("chmod") { chmod(terminal, 0o755) }
        agent = try RunningTool(
            home, command: desktop.prefix + [Programs.hark, "agent"],
            // Without a display, so that there is no window to answer in (Tests/Windows has those).
            environment: desktop.environment.merging(["TERMINAL": terminal, "DISPLAY": ""]) { $1 })
    }

    private func waitForNotification() throws {
        try desktop.waitForNotification("\(try agent.errors) \(try daemon.errors)")
    }

    @Test(
        "S9: the agent shows the notification, an action of it answers the survey, and the answer is in the store",
        arguments: ["Good", "Bad"])
    func action(option: String) throws {
        try ada.record("go")
        try waitForNotification()
        #expect(try ada.waitForOne("presented")["surveyId"] == "visit")
        try desktop.choose(option)
        try waitUntil("it is answered") { try ada.results("visit")["answered"] == 1 }
        let events = try ada.surveyEvents()
        #expect(events.map { $0["name"] } == ["survey_presented", "survey_response"])
        #expect(events.last?["properties"]?["option"]?.stringValue == option)
        try desktop.waitForNone()
        #expect(try desktop.history.contains("How was your visit?"))
        #expect(try scene.answers("visit", afterKilling: daemon).contains(["value": .string(option), "count": 1]))
    }

    @Test("S9: a survey that is answered elsewhere takes its notification along, and the next one's comes")
    func answeredElsewhere() throws {
        try ada.record("go")
        try waitForNotification()
        let shown = try ada.waitForOne("presented")
        try ada.record("other")
        try ada.call("survey.answer", shown.params(#","option":"Good""#))
        try waitUntil("it is taken away") { try desktop.history.contains("How was your visit?") }
        try waitForNotification()
        #expect(try ada.waitForOne("presented")["surveyId"] == "other")
        try ada.call("survey.dismiss", ada.waitForOne("presented").params())
        try desktop.waitForNone()
        #expect(agent.child.isRunning)
    }

    @Test("S9: a notification that is closed without a choice leaves the survey ready, and does not come again")
    func closed() throws {
        try ada.record("go")
        try waitForNotification()
        try desktop.closeNotification()
        try ada.waitForOne("ready")
        try ada.record("go")
        try ada.record("other")
        // The one that was closed would come before it.
        try waitForNotification()
        try waitUntil("the other one is shown") {
            try ada.pending().first { $0["surveyId"] == "other" }?["state"] == "presented"
        }
        #expect(try desktop.notifications == 1)
        #expect(try ada.pending().first { $0["surveyId"] == "visit" }?["state"] == "ready")
        #expect(
            try ada.surveyEvents().compactMap { $0["name"]?.stringValue } == ["survey_presented", "survey_presented"])
    }

    @Test("S9: where no window can be, a click on the notification opens hark ask in a terminal, and the survey waits")
    func click() throws {
        try ada.record("go")
        try waitForNotification()
        let id = try ada.waitForOne("presented")["presentationId"]?.text ?? ""
        try desktop.click()
        try waitUntil("a terminal is opened; \((try? agent.errors) ?? "")") {
            (try? desktop.text("opened").hasSuffix("hark ask \(id)\n")) == true
        }
        try ada.waitForOne("ready")
        try desktop.waitForNone()
    }

    @Test(
        "W5: while the session is locked the agent presents nothing, and what waits is offered when that is over",
        .enabled(if: Desktop.hasStandIns, "there is no python3-dbusmock"))
    func locked() throws {
        try desktop.startLogind()
        try desktop.setHint("LockedHint", true)
        try ada.record("go")
        try waitUntil("the agent waits; \((try? agent.errors) ?? "")") {
            try Child.run(["ps", "-o", "args=", "--ppid", "\(agent.child.id)"]).output.contains("--while-quiet")
        }
        try ada.waitForOne("ready")
        try ada.record("other")
        try waitUntil("both wait") { try ada.pending().compactMap { $0["state"]?.stringValue } == ["ready", "ready"] }
        #expect(try desktop.notifications == 0)
        try desktop.setHint("LockedHint", false)
        try waitForNotification()
        #expect(try ada.pending().compactMap { $0["state"]?.stringValue } == ["presented", "ready"])
        try desktop.choose("Good")
        try waitUntil("it is answered") { try ada.results("visit")["answered"] == 1 }
        try waitForNotification()
        #expect(try agent.errors == "")
    }

    @Test("the agent of one user shows nothing of another's, root's neither; once it ends, its notification does")
    func others() throws {
        let root = try daemon.connect()
        try root.presentHere()
        let bob = try daemon.connect(uid: Self.bobUID)
        try bob.startSession("ada")
        try bob.record("go")
        try bob.waitForOne("ready")
        try ada.record("other")
        try waitForNotification()
        #expect(try ada.waitForOne("presented")["surveyId"] == "other")
        #expect(try bob.waitForOne("ready")["surveyId"] == "visit")
        agent.child.signal(SIGTERM)
        try desktop.waitForNone()
        try ada.waitForOne("ready")
        #expect(try desktop.history.contains("Another"))
        #expect(try !desktop.history.contains("How was your visit?"))
    }

    @Test("S9 W5: what ends at once leaves nothing behind, and a server that is started anew is told again")
    func takenAway() throws {
        for delay in 0..<10 {
            try ada.record("go")
            let shown = try ada.waitForOne("presented")
            // From before notify-send was started until it shows something.
            pass(seconds: Double(delay) * 0.008)
            try ada.call("survey.snooze", shown.params(#","seconds":86400"#))
            try ada.call("survey.dismiss", try ada.waitForOne("scheduled").params())
        }
        try ada.record("other")
        try waitForNotification()
        desktop.endServer()
        try desktop.startServer()
        try waitForNotification()
        try waitUntil("one helper is left") {
            let children = try Child.run(["ps", "-o", "args=", "--ppid", "\(agent.child.id)"]).output
            return children.split(separator: "\n").count { $0.contains("--notify") } == 1
        }
        #expect(try desktop.notifications == 1)
        #expect(try ada.waitForOne("presented")["surveyId"] == "other")
    }
}
