import Foundation
import HarkWire
import Testing

/// Surveys that are told of once more.
@Suite(.endToEnd) struct ReminderTests {
    @Test("the hook is run again as often as the file says, and after kill -9 not once more than that")
    func course() throws {
        let scene = try SurveyScene(
            SurveyScene.document(SurveyScene.plain("visit", more: #","remindAfterSeconds":[0.2,0.4]"#)))
        let hook = try SurveyHook(in: scene.home, "true")
        try scene.home.configure(hook.configuration())
        var daemon = try scene.home.start()
        var client = try daemon.connect()
        try client.record("go")
        try waitUntil("it was told of three times") { hook.runs == 3 }
        daemon.kill()
        daemon = try scene.home.start()
        client = try daemon.connect()
        try waitUntil("the new run tells of it") { hook.runs == 4 }
        // What another survey would have brought has come by then.
        try client.record("go")
        try client.call("daemon.reload")
        #expect(try client.pending().map { $0["state"] } == ["ready"])
        #expect(hook.runs == 4)
        #expect(try client.surveyEvents() == [])
        #expect(daemon.child.isRunning)
    }
}

/// Reminders on a desktop of their own.
@Suite(
    .endToEnd,
    .enabled(if: Desktop.isPossible && Desktop.hasStandIns, "there are no Xvfb, dunst, notify-send or python3-dbusmock")
)
struct ReminderNotificationTests {
    private let desktop: Desktop

    init() throws { desktop = try Desktop() }

    private func start(_ more: String, _ settings: String = "{}") throws -> (DaemonProcess, SocketClient) {
        let scene = try SurveyScene(Desktop.surveys(more), configuration: settings)
        scene.home.prefix = ["env"] + desktop.environment.map { "\($0.key)=\($0.value)" }
        let daemon = try scene.home.start()
        return (daemon, try daemon.connect())
    }

    @Test("a reminder takes the place of the notification that is there")
    func replaced() throws {
        try desktop.startPlainServer()
        let (daemon, client) = try start(#","remindAfterSeconds":[1,2]"#)
        try client.record("go")
        try waitUntil("it is shown three times; \((try? daemon.errors) ?? "")") {
            try desktop.shownByPlainServer.count == 3
        }
        let shown = try desktop.shownByPlainServer
        #expect(shown[0].contains(#""Hark" 0 "#) && !shown[1...].contains { $0.contains(#""Hark" 0 "#) }, "\(shown)")
        #expect(try client.pending().map { $0["state"] } == ["ready"])
        #expect(try client.surveyEvents() == [])
        #expect(daemon.child.isRunning)
    }

    @Test("what somebody let pass is shown again once they come back, and not a second time")
    func back() throws {
        try desktop.startLogind()
        let (daemon, client) = try start(#","remindOnReturn":true"#, #"{"notify":{"timeoutSeconds":1}}"#)
        func leaveAndReturn() throws {
            try waitUntil("a return is waited for; \((try? daemon.errors) ?? "")") {
                try Child.run(["ps", "-o", "args=", "--ppid", "\(daemon.id)"]).output.contains("--until-return")
            }
            try desktop.setHint("LockedHint", true)
            pass(seconds: 0.5)
            try desktop.setHint("LockedHint", false)
        }
        try client.record("go")
        try desktop.waitForNotification(try daemon.errors)
        try desktop.waitForNone()
        try leaveAndReturn()
        try desktop.waitForNotification(try daemon.errors)
        try desktop.waitForNone()
        try leaveAndReturn()
        try client.record("other")
        // One at a time: the first is done with, so what comes is the other.
        try desktop.waitForNotification(try daemon.errors)
        #expect(try client.pending().count == 2)
        #expect(daemon.child.isRunning)
    }
}
