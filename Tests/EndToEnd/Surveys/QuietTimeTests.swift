import Foundation
import HarkWire
import Testing

/// Notifications while the desktop is told not to disturb, and while its session is locked or idle.
@Suite(
    .endToEnd,
    .enabled(if: Desktop.isPossible && Desktop.hasStandIns, "there are no Xvfb, dunst, notify-send or python3-dbusmock")
)
struct QuietTimeTests {
    private let desktop: Desktop
    private let scene: SurveyScene

    init() throws {
        desktop = try Desktop()
        scene = try SurveyScene(Desktop.surveys(""), configuration: "{}")
        scene.home.prefix = ["env"] + desktop.environment.map { "\($0.key)=\($0.value)" }
    }

    private func start(path: String? = nil) throws -> (DaemonProcess, SocketClient) {
        if let path { scene.home.variables["PATH"] = path }
        let daemon = try scene.home.start()
        let client = try daemon.connect()
        try client.startSession("ann")
        return (daemon, client)
    }

    private func waitUntilHelperRuns(_ daemon: DaemonProcess) throws {
        try waitUntil("a helper runs; \((try? daemon.errors) ?? "")") { try isHelped(daemon) }
    }

    /// Whether a program shows a notification, or waits to.
    private func isHelped(_ daemon: DaemonProcess) throws -> Bool {
        try Child.run(["ps", "-o", "args=", "--ppid", "\(daemon.id)"]).output.contains("--notify")
    }

    @Test("W5: while dunst is paused a survey waits, and is offered when that is over")
    func paused() throws {
        try desktop.setPaused(true)
        let (daemon, client) = try start()
        try client.record("go")
        try client.waitForOne("ready")
        try waitUntilHelperRuns(daemon)
        pass(seconds: 0.3)
        #expect(try desktop.waiting == 0)
        try desktop.setPaused(false)
        try desktop.waitForNotification(try daemon.errors)
        try desktop.choose("Good")
        try waitUntil("it is answered") { try client.results("visit")["answered"] == 1 }
    }

    @Test(
        "W5: while the session is locked or idle a survey waits, its time too, and is offered when that is over",
        arguments: ["LockedHint", "IdleHint"])
    func away(hint: String) throws {
        try desktop.startLogind()
        try desktop.setHint(hint, true)
        try scene.home.configure(#"{"notify":{"timeoutSeconds":1}}"#)
        let (daemon, client) = try start()
        try client.record("go")
        try waitUntil("logind is asked") { try desktop.askedOfLogind.contains(" GetSession \"auto\"") }
        pass(seconds: 1.2)
        #expect(try desktop.notifications == 0)
        try client.waitForOne("ready")
        try desktop.setHint(hint, false)
        try desktop.waitForNotification(try daemon.errors)
        // From now on its time counts.
        try desktop.waitForNone()
        try client.waitForOne("ready")
    }

    @Test("W5: what goes while the session is locked comes again when somebody is there; what was seen does not")
    func goneMeanwhile() throws {
        try desktop.startLogind()
        let (daemon, client) = try start()
        try client.record("go")
        try desktop.waitForNotification(try daemon.errors)
        try desktop.setHint("LockedHint", true)
        try desktop.closeNotification()
        try desktop.waitForNone()
        try desktop.setHint("LockedHint", false)
        try desktop.waitForNotification(try daemon.errors)
        try desktop.closeNotification()
        try desktop.waitForNone()
        try desktop.setHint("LockedHint", true)
        try desktop.setHint("LockedHint", false)
        try client.record("other")
        try waitUntil("the next one's comes") { try client.pending().count == 2 && desktop.notifications == 1 }
        #expect(try desktop.history.components(separatedBy: #""summary""#).count - 1 == 2)
    }

    @Test("W5: what ended while the session was locked is not shown afterwards")
    func endedMeanwhile() throws {
        try desktop.startLogind()
        try desktop.setHint("LockedHint", true)
        let (daemon, client) = try start()
        try client.record("go")
        try waitUntilHelperRuns(daemon)
        try client.call("survey.answer", client.waitForOne("ready").params(#","option":"Good""#))
        try waitUntil("the helper ends") { try !isHelped(daemon) }
        try desktop.setHint("LockedHint", false)
        try client.record("other")
        try desktop.waitForNotification(try daemon.errors)
        #expect(try client.waitForOne("ready")["surveyId"] == "other")
        #expect(try !desktop.history.contains("How was your visit?"))
    }

    @Test("W5: a server that says that notifications are inhibited, as KDE's does, is left alone until it is over")
    func inhibited() throws {
        try desktop.startPlainServer()
        try desktop.setInhibited(true)
        let (daemon, client) = try start()
        try client.record("go")
        try waitUntil("it is asked; \((try? daemon.errors) ?? "")") {
            try desktop.asked.contains(" GetServerInformation")
        }
        pass(seconds: 0.3)
        #expect(try desktop.shownByPlainServer == [])
        try desktop.setInhibited(false)
        try waitUntil("it is shown; \((try? daemon.errors) ?? "")") { try desktop.shownByPlainServer.count == 1 }
        try client.waitForOne("ready")
    }

    @Test("W5: with GNOME the setting is asked that says whether notifications show, and asked again when it changes")
    func gnome() throws {
        try desktop.startPlainServer(name: "gnome-shell")
        let folder = scene.home.files.path("bin")
        try check("mkdir") { mkdir(folder, 0o755) }
        try scene.home.files.write(
            "#!/bin/sh\necho \"$*\" >> \(folder)/asked\ncat \(folder)/banners\n", to: "bin/gsettings")
        try check("chmod") { chmod(folder + "/gsettings", 0o755) }
        try scene.home.files.write("false\n", to: "bin/banners")
        let (daemon, client) = try start(path: "\(folder):/usr/bin:/bin")
        try client.record("go")
        try waitUntil("the setting is read; \((try? daemon.errors) ?? "")") {
            (try? scene.home.files.text("bin/asked")) == "get org.gnome.desktop.notifications show-banners\n"
        }
        pass(seconds: 0.3)
        #expect(try desktop.shownByPlainServer == [])
        try scene.home.files.write("true\n", to: "bin/banners")
        try desktop.tellOfSetting("/org/gnome/desktop/notifications/show-banners")
        try waitUntil("it is shown; \((try? daemon.errors) ?? "")") { try desktop.shownByPlainServer.count == 1 }
    }

    /// A bus that takes connections and never says a word.
    private func silentBus() throws -> (Child, address: String) {
        let path = scene.home.files.path("silent")
        let words =
            "import socket,sys,time;s=socket.socket(socket.AF_UNIX);s.bind(sys.argv[1]);s.listen();time.sleep(600)"
        let bus = try Child(["/usr/bin/python3", "-c", words, path])
        try waitUntil("it listens") {
            try Child.run(["ss", "-xlHn"]).output.contains(path)
        }
        return (bus, "unix:path=\(path)")
    }

    @Test("W5: a system bus that hangs keeps a notification back for seconds only")
    func systemBusHangs() throws {
        let bus = try silentBus()
        scene.home.prefix.append("DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)")
        let (daemon, client) = try start()
        try client.record("go")
        try desktop.waitForNotification(try daemon.errors)
    }

    @Test("W5: a session bus that hangs is told as a failure, and holds up no end")
    func sessionBusHangs() throws {
        let bus = try silentBus()
        scene.home.prefix.append("DBUS_SESSION_BUS_ADDRESS=\(bus.address)")
        let (daemon, client) = try start()
        try client.record("go")
        try waitUntil("that is told; \((try? daemon.errors) ?? "")") {
            try daemon.errors.contains("the session bus")
        }
        try client.record("other", app: "two")
        try waitUntilHelperRuns(daemon)
        let other = try client.pending().first { $0["surveyId"] == "other" }
        try client.call("survey.dismiss", other?.params() ?? "{}")
        // It would be ended by force after five seconds.
        try waitUntil("the helper ends", within: 4) { try !isHelped(daemon) }
    }
}
