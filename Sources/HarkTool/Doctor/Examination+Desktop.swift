import HarkClient
import HarkWire

extension Examination {
    /// Whether there is a desktop session here.
    private var hasDisplay: Bool { machine.value("WAYLAND_DISPLAY") != nil || machine.value("DISPLAY") != nil }

    /// Whether surveys can be shown as desktop notifications.
    var notifications: Finding {
        let id = "notifications"
        guard hasDisplay else { return .ok(id, "there is no display here: nothing is shown on a desktop") }
        guard hasSessionBus else {
            return .fault(
                id,
                "there is no session bus, which desktop notifications need: install it, and log in again",
                install("dbus-user-session"))
        }
        guard ["", "0"].contains(machine.value("HARK_NOTIFY_SEND") ?? "") || machine.program("notify-send") != nil
        else {
            return .fault(
                id, "there is no notify-send, which HARK_NOTIFY_SEND=1 needs to show surveys", install("libnotify-bin"))
        }
        return .ok(id, "there is a session bus to show surveys")
    }

    private var hasSessionBus: Bool {
        if machine.value("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        let runtime = machine.value("XDG_RUNTIME_DIR") ?? "/run/user/\(machine.uid)"
        return machine.entry(runtime + "/bus")?.kind == .socket
    }

    /// Whether surveys can be asked in a window.
    var windows: Finding {
        let id = "windows"
        guard hasDisplay else { return .ok(id, "there is no display here: questions are asked on the terminal") }
        guard let dialog = machine.program("hark-dialog") else {
            return .warning(
                id, "hark-dialog is not installed: questions are asked on the terminal", install("hark-dialog"))
        }
        switch machine.run([dialog, "--version"]) {
        case .ended(0, _): return .ok(id, "\(dialog) is there, and a display")
        case .ended(let code, let output):
            guard let library = Examination.missingLibrary(in: output) else {
                return .fault(
                    id, "\(dialog) --version ends with \(code)\(Examination.said(output))",
                    install("--reinstall hark-dialog"))
            }
            return .fault(
                id, "\(dialog) cannot be run without the library \(library)", install(Examination.package(of: library)))
        case .absent(let why): return .fault(id, "\(dialog) cannot be run: \(why)", install("--reinstall hark-dialog"))
        case .tookTooLong: return .fault(id, "\(dialog) --version does not end", install("--reinstall hark-dialog"))
        }
    }

    /// Whether the terminal can show forms and tables.
    var terminal: Finding {
        let id = "terminal"
        guard machine.terminal.isThere else { return .ok(id, "the output is no terminal") }
        let name = machine.value("TERM") ?? ""
        guard !name.isEmpty, name != "dumb" else {
            return .warning(
                id, "TERM is '\(name)': forms are asked line by line", .mend("export TERM=xterm-256color"))
        }
        let locale = machine.value("LC_ALL") ?? machine.value("LC_CTYPE") ?? machine.value("LANG") ?? "C"
        let isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
        guard isUTF8 else {
            let variable =
                machine.value("LC_ALL") != nil ? "LC_ALL" : machine.value("LC_CTYPE") != nil ? "LC_CTYPE" : "LANG"
            return .warning(
                id, "the locale \(locale) is not UTF-8: signs are written with letters of ASCII",
                .mend("export \(variable)=C.UTF-8"))
        }
        let columns = machine.terminal.columns
        guard columns >= 40 else {
            return .warning(id, "\(columns) columns are too few for tables: widen the window to 40 or more")
        }
        let colours = machine.value("NO_COLOR") == nil ? "colours" : "no colours, by NO_COLOR"
        return .ok(id, "\(name), \(columns) columns, \(locale), \(colours)")
    }
}
