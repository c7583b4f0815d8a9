import Foundation

/// What stands for other notification servers, and for logind.
extension Desktop {
    static let hasStandIns =
        (try? Child.run(["/usr/bin/python3", "-c", "import dbusmock"]).ending) == .exited(0)

    /// Puts a notification server in the place of dunst that has no actions, and writes down what it is asked.
    ///
    /// - Parameter name: what it says that it is.
    func startPlainServer(name: String? = nil) throws {
        endServer()
        server = try standIn("notification_daemon", #"{"capabilities": "body body-markup"}"#, log: "asked")
        try waitUntil("a notification server without actions; it says \((try? files.text("errors")) ?? "")") {
            try call(Self.notifications, Self.path, Self.notifications, "GetCapabilities")
        }
        try mock(Self.notifications, Self.path, "AddProperty", "ssv", Self.notifications, "Inhibited", "b", "false")
        guard let name else { return }
        try mock(
            Self.notifications, Self.path, "AddMethod", "sssss", Self.notifications, "GetServerInformation", "", "ssss",
            #"ret = ("\#(name)", "test", "1", "1.2")"#)
    }

    /// What the server without actions was asked.
    var asked: String { get throws { try files.text("asked") } }

    /// What the server without actions was told to show.
    var shownByPlainServer: [Substring] {
        get throws { try asked.split(separator: "\n").filter { $0.contains(" Notify ") } }
    }

    /// Tells the server without actions not to disturb, as KDE's does it.
    func setInhibited(_ isInhibited: Bool) throws {
        try mock(
            Self.notifications, Self.path, "UpdateProperties", "sa{sv}", Self.notifications, "1", "Inhibited", "b",
            "\(isInhibited)")
    }

    /// Tells dunst not to disturb.
    func setPaused(_ isPaused: Bool) throws { _ = try dunst("set-paused", "\(isPaused)") }

    /// Has somebody say on the bus that a setting of GNOME's was changed.
    func tellOfSetting(_ key: String) throws {
        let writer = ["/ca/desrt/dconf/Writer/user", "ca.desrt.dconf.Writer", "Notify"]
        try bus(["emit"] + writer + ["sass", key, "1", "", "tag"])
    }

    /// Starts what stands for logind, with one graphical session that is in use.
    func startLogind() throws {
        programs.append(try standIn("logind", "{}", log: "logind"))
        try waitUntil("a stand-in of logind; it says \((try? files.text("errors")) ?? "")") {
            try call(Self.logind, "/org/freedesktop/login1", "\(Self.logind).Manager", "ListSessions")
        }
        try mock(
            Self.logind, "/org/freedesktop/login1", "AddSession", "ssusb", "auto", "seat0", "1000", "ann", "true")
        try change("Type", "s", "x11")
    }

    /// What logind was asked.
    var askedOfLogind: String { get throws { try files.text("logind") } }

    /// Sets a hint of the session, as the desktop does.
    func setHint(_ hint: String, _ isSet: Bool) throws { try change(hint, "b", "\(isSet)") }

    private static let notifications = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let logind = "org.freedesktop.login1"

    private func change(_ property: String, _ type: String, _ value: String) throws {
        try mock(
            Self.logind, "/org/freedesktop/login1/session/auto", "UpdateProperties", "sa{sv}", "\(Self.logind).Session",
            "1", property, type, value)
    }

    private func standIn(_ template: String, _ parameters: String, log: String) throws -> Child {
        try Child(
            prefix + [
                "/usr/bin/python3", "-m", "dbusmock", "--template", template, "--parameters", parameters, "--logfile",
                files.path(log),
            ], environment: environment, errors: files.path("errors"))
    }

    private func mock(_ name: String, _ path: String, _ method: String, _ words: String...) throws {
        try bus(["call", name, path, "org.freedesktop.DBus.Mock", method] + words)
    }

    private func call(_ words: String...) throws -> Bool {
        try Child.run(prefix + ["busctl", "--user", "call"] + words, environment: environment).ending == .exited(0)
    }

    private func bus(_ words: [String]) throws {
        let run = try Child.run(prefix + ["busctl", "--user"] + words, environment: environment)
        guard run.ending == .exited(0) else { throw Failure("busctl \(words): \(run.errors)") }
    }
}
