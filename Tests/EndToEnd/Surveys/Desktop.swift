import Foundation

/// A desktop of a test's own: a screen that nobody sees, a session bus, and a notification daemon.
final class Desktop {
    /// What programs need to be on this desktop.
    let environment: [String: String]
    let files: TemporaryFiles
    /// What a program is run through to be of the user whose desktop this is.
    let prefix: [String]
    // Ended in the reverse order.
    var programs: [Child] = []
    /// The notification server; it ends when it goes from here.
    var server: Child?
    /// The option that is picked from a notification's menu.
    private var pick: String { files.path("pick") }

    static let isPossible = ["Xvfb", "dbus-daemon", "dunst", "dunstctl", "notify-send", "convert"].allSatisfy {
        (try? Child.run(["which", $0]).ending) == .exited(0)
    }

    /// Whether another user can have one, and run the `hark` that was built here, wherever that is.
    static func isPossible(for uid: UInt32) -> Bool {
        geteuid() == 0 && isPossible
            && (try? Child.run(prefix(uid: uid) + [Programs.hark, "--version"]).ending) == .exited(0)
    }

    /// - Parameter uid: The user of the desktop; nil for the user of the test.
    init(of uid: UInt32? = nil) throws {
        files = try TemporaryFiles()
        prefix = uid.map { Desktop.prefix(uid: $0) } ?? []
        if let uid { try check("chown") { [files] in chown(files.path, uid, uid) } }
        let answer = try files.create("display")
        defer { close(answer) }
        // It looks for a free number itself, so desktops can be side by side.
        programs.append(
            try Child(
                [
                    "Xvfb", "-displayfd", "1", "-screen", "0", "480x120x24", "-nolisten", "tcp", "-fbdir", files.path,
                    "-ac",
                ], output: answer, errors: files.path("errors")))
        let files = files
        try waitUntil("a screen; Xvfb says \((try? files.text("errors")) ?? "")") {
            try files.text("display").hasSuffix("\n")
        }
        let display = try files.text("display").trimmingCharacters(in: .whitespacesAndNewlines)
        let bus = "unix:path=\(files.path("bus"))"
        // One bus for both: of the system's there is logind, or what stands for it.
        environment = [
            "DISPLAY": ":\(display)", "DBUS_SESSION_BUS_ADDRESS": bus, "DBUS_SYSTEM_BUS_ADDRESS": bus,
            "HOME": files.path,
        ]
        programs.append(
            try Child(
                prefix + ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--address=\(bus)"]))
        try waitUntil("a bus") { access(files.path("bus"), F_OK) == 0 }
        try files.write("#!/bin/sh\ngrep -F \"$(cat \(files.path("pick")))\" | head -n 1\n", to: "menu")
        try check("chmod") { chmod(files.path("menu"), 0o755) }
        try files.write(
            """
            [global]
            width = 420
            height = 90
            origin = top-left
            offset = 26x20
            font = Sans 13
            timeout = 0
            dmenu = \(files.path("menu"))
            show_indicators = yes
            enable_recursive_icon_lookup = no
            background = "#2b303b"
            foreground = "#eceff4"
            frame_color = "#5e81ac"
            """, to: "dunstrc")
        try startServer()
    }

    /// Starts the notification server, which must not be there.
    func startServer() throws {
        server = try Child(
            prefix + ["dunst", "-config", files.path("dunstrc")], environment: environment, errors: files.path("errors")
        )
        try waitUntil("a notification daemon; it says \((try? files.text("errors")) ?? "")") {
            try Child.run(prefix + ["dunstctl", "count", "displayed"], environment: environment).ending == .exited(0)
        }
    }

    /// Ends the notification server, and with it all that it shows.
    func endServer() { server = nil }

    /// A change of user resets the signal for the parent's end, so it is set again.
    static func prefix(uid: UInt32) -> [String] {
        ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--pdeathsig", "KILL", "--"]
    }

    deinit {
        server = nil
        for program in programs.reversed() { program.kill() }
    }

    func dunst(_ words: String...) throws -> String {
        let run = try Child.run(prefix + ["dunstctl"] + words, environment: environment)
        guard run.ending == .exited(0) else { throw Failure("dunstctl \(words): \(run.errors)") }
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// How many notifications are on the screen.
    var notifications: Int { get throws { Int(try dunst("count", "displayed").filter(\.isNumber)) ?? -1 } }

    /// How many dunst has been told to show and does not show yet.
    var waiting: Int { get throws { Int(try dunst("count", "waiting").filter(\.isNumber)) ?? -1 } }

    /// What the closed ones said, as dunst's own JSON.
    var history: String { get throws { try dunst("history") } }

    /// A file of the desktop's own.
    func path(_ name: String) -> String { files.path(name) }

    func text(_ name: String) throws -> String { try files.text(name) }

    /// A click on a notification.
    func click() throws { _ = try dunst("action") }

    /// A choice from the menu of what can be done.
    func choose(_ option: String) throws {
        try files.write(option, to: "pick")
        _ = try dunst("context")
    }

    func closeNotification() throws { _ = try dunst("close") }

    /// What is on the screen, as a PNG file.
    func takePicture(to path: String) throws {
        let run = try Child.run(["convert", "xwd:\(files.path("Xvfb_screen0"))", "-strip", "png:\(path)"])
        guard run.ending == .exited(0) else { throw Failure("convert: \(run.errors)") }
    }

    /// How many colours the screen shows: one when it is empty.
    var colours: Int {
        get throws {
            let run = try Child.run(["identify", "-format", "%k", "xwd:\(files.path("Xvfb_screen0"))"])
            return Int(run.output) ?? -1
        }
    }
}

/// What the tests of notifications have in common.
extension Desktop {
    /// Two surveys, of the events `go` and `other`.
    ///
    /// - Parameter more: members of the first.
    static func surveys(_ more: String) -> String {
        SurveyScene.document(
            SurveyScene.plain("visit", title: "How was your visit?", more: more),
            SurveyScene.plain("other", title: "Another", event: #"{"name":"other"}"#))
    }

    /// - Parameter said: what the programs have said, for when it does not come.
    func waitForNotification(_ said: @autoclosure () throws -> String) throws {
        try waitUntil("the notification is shown; \((try? said()) ?? "")") { try notifications == 1 }
    }

    func waitForNone() throws {
        try waitUntil("the notification is taken away") { try notifications == 0 }
    }
}
