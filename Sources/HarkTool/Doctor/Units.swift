import HarkWire

/// The state of Hark's units in systemd.
struct Units: Sendable, Equatable {
    struct Unit: Sendable, Equatable {
        var load = ""
        var active = ""
        var file = ""
        var result = ""

        var isThere: Bool { !load.isEmpty && load != "not-found" }
    }

    /// The reason why nothing is known; nil if the units are known.
    var absence: Absence?
    var socket = Unit()
    var service = Unit()

    enum Absence: Sendable, Equatable {
        /// The machine was not booted with systemd.
        case noSystemd
        /// The daemon in question is not one of systemd's units.
        case elsewhere
        /// systemd cannot be asked.
        case silent(String)
    }

    static let show = [
        "show", "--property=Id,LoadState,ActiveState,UnitFileState,Result", "harkd.socket", "harkd.service",
    ]

    init(absence: Absence) { self.absence = absence }

    /// - Parameter shown: The output of `systemctl show`: a line for each property, and an empty line between units.
    init(shown: String) {
        var (id, unit) = ("", Unit())
        for line in (shown + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            guard !line.isEmpty else {
                if id == "harkd.socket" { socket = unit }
                if id == "harkd.service" { service = unit }
                (id, unit) = ("", Unit())
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "Id": id = String(parts[1])
            case "LoadState": unit.load = String(parts[1])
            case "ActiveState": unit.active = String(parts[1])
            case "UnitFileState": unit.file = String(parts[1])
            case "Result": unit.result = String(parts[1])
            default: break
            }
        }
    }

    var isUsable: Bool { absence == nil && (socket.isThere || service.isThere) }
    var isMasked: Bool { socket.load == "masked" || service.load == "masked" }
    var isFailed: Bool { socket.active == "failed" || service.active == "failed" }
    var isRunning: Bool { absence == nil && ["active", "activating", "reloading"].contains(service.active) }
    var isEnabled: Bool {
        [socket.file, service.file].contains { ["enabled", "enabled-runtime", "static", "linked"].contains($0) }
    }
    var isListening: Bool { socket.active == "active" || isRunning }

    /// Returns the commands that start the daemon, for any present obstacle.
    func start(_ examination: Examination) -> String {
        var lines: [String] = []
        if isMasked { lines.append(examination.systemctl("unmask harkd.socket harkd.service")) }
        if isFailed { lines.append(examination.systemctl("reset-failed harkd.socket harkd.service")) }
        lines.append(examination.systemctl("enable harkd.socket"))
        // A daemon whose socket file was removed still listens, but no client can find it.
        lines.append(examination.systemctl(isRunning ? "restart harkd.socket harkd.service" : "restart harkd.socket"))
        return lines.joined(separator: " && ")
    }
}
