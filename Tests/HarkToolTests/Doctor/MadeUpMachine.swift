import Glibc
import HarkClient
import HarkWire

@testable import HarkTool

/// A machine on which all is well, until a test takes something away.
struct MadeUpMachine {
    static let socket = "/run/user/1000/hark/hark.sock"

    var uid: UInt32 = 1000
    var variables = [
        "HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/1000", "TERM": "xterm-256color", "LANG": "de_DE.UTF-8",
        "WAYLAND_DISPLAY": "wayland-0",
    ]
    var entries: [String: Machine.Entry] = [
        "/run/user/1000": .init(kind: .folder, owner: 1000, mode: 0o700),
        "/run/user/1000/bus": .init(kind: .socket, owner: 1000, mode: 0o666),
        "/run/user/1000/hark": .init(kind: .folder, owner: 1000, mode: 0o700),
        MadeUpMachine.socket: .init(kind: .socket, owner: 1000, mode: 0o600),
        "/run/systemd/system": .init(kind: .folder, owner: 0, mode: 0o755),
        "/home/ada/.local/state/hark": .init(kind: .folder, owner: 1000, mode: 0o700),
        "/home/ada/.config/hark": .init(kind: .folder, owner: 1000, mode: 0o755),
        "/home/ada/.config/hark/harkd.json": .init(kind: .file, owner: 1000, mode: 0o644),
        "/home/ada/.config/hark/core.key": .init(kind: .file, owner: 1000, mode: 0o600),
    ]
    var room: Machine.Room? = .init(free: 50 << 30, total: 100 << 30)
    var programs: Set<String> = ["harkd", "hark-dialog", "notify-send", "systemctl", "apt-get"]
    var version = Version.current
    var contacts: [String: Machine.Contact] = [
        MadeUpMachine.socket: .answers(status: MadeUpMachine.status(), configuration: MadeUpMachine.configuration)
    ]
    var units = MadeUpMachine.units()
    /// The outcomes of programs, by their command lines; success for all others.
    var outcomes: [String: BoundedProgram.Outcome] = [:]
    var check = #"{"valid":true,"errors":[],"problems":[],"keyFiles":["/home/ada/.config/hark/core.key"]}"#
    var terminal = Machine.Terminal(isThere: true, columns: 80)
    /// The contents of files.
    var contents: [String: String] = [:]

    static let configuration = #"{"config":{},"file":"/home/ada/.config/hark/harkd.json","problems":[]}"#

    /// - Parameter members: Members to put before those of a healthy daemon.
    static func status(_ members: String = "", state: String = "running", destinations: String = "") -> String {
        """
        {\(members.isEmpty ? "" : members + ",")"version":"\(Version.current)","pid":812,"mode":"user","state":"\(state)",\
        "store":{"path":"/home/ada/.local/state/hark/hark.db","unreadable":0},"destinations":[\(destinations)],"problems":[]}
        """
    }

    static func units(
        load: String = "loaded", socket: String = "active", service: String = "active", file: String = "enabled"
    ) -> String {
        """
        Id=harkd.socket
        LoadState=\(load)
        ActiveState=\(socket)
        UnitFileState=\(file)
        Result=success

        Id=harkd.service
        LoadState=loaded
        ActiveState=\(service)
        UnitFileState=static-not
        Result=\(service == "failed" ? "exit-code" : "success")

        """
    }

    var machine: Machine {
        let made = self
        return Machine(
            uid: uid, environment: { made.variables[$0] }, entry: { made.entries[$0] },
            room: { made.entries[$0] == nil && $0 != "/" ? nil : made.room },
            contact: { made.contacts[$0.path] ?? .unreachable(ENOENT) },
            run: { made.run($0) }, program: { made.programs.contains($0) ? "/usr/bin/\($0)" : nil },
            terminal: terminal, contents: { made.contents[$0].map { Array($0.utf8) } })
    }

    private func run(_ words: [String]) -> BoundedProgram.Outcome {
        if let outcome = outcomes[words.joined(separator: " ")] { return outcome }
        if let known = outcomes.first(where: { words.joined(separator: " ").hasPrefix($0.key) }) { return known.value }
        switch (words.first, words.last) {
        case ("/usr/bin/harkd", "--version"): return .ended(0, "harkd \(version)\n")
        case ("/usr/bin/harkd", "--json"): return .ended(0, check + "\n")
        case ("/usr/bin/hark-dialog", "--version"): return .ended(0, "hark-dialog \(version)\n")
        case ("/usr/bin/systemctl", _): return .ended(0, units)
        default: return .absent("No such file or directory")
        }
    }

    var findings: [Finding] { Examination(machine).findings }

    /// The findings that are not all right.
    var wrong: [Finding] { findings.filter { $0.state != .ok } }
}
