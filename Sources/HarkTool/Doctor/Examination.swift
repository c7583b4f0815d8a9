import Glibc
import HarkClient
import HarkWire

/// `hark doctor`: examines everything that Hark depends on, and says what is wrong and how to fix it.
///
/// It changes nothing, and works without a daemon. Each family of checks is an extension in its own file.
struct Examination {
    let machine: Machine
    /// The socket of the daemon that other commands would talk to.
    let socket: SocketAddress
    let contact: Machine.Contact
    /// Whether this is the machine's daemon rather than this user's.
    let isSystem: Bool
    /// The daemon's status; nil if it does not answer.
    let status: DaemonStatusInfo?
    let configuration: SettingsResult?
    /// The daemon's fleet status.
    let membership: FleetStatus.Result?
    /// Whether the socket is where systemd's units have it, and not set by HARK_SOCKET.
    private(set) var isUsualPlace = true
    /// The state of the daemon's units.
    private(set) var units = Units(absence: .noSystemd)

    init(_ machine: Machine) {
        self.machine = machine
        let places = SocketAddress.candidates(
            environment: machine.environment, userId: machine.uid, isThere: { machine.entry($0) != nil })
        // Like other commands, choose the first place with a socket.
        let tried = places.lazy.map { ($0, machine.contact($0)) }
        let found = tried.first { !Self.isAbsent($0.1) }
        // For root without a daemon of its own, this is the machine's daemon.
        let meant = machine.uid == 0 ? places.last : places.first
        socket = found?.0 ?? meant ?? SocketAddress(path: SocketPath.system)
        contact = found?.1 ?? .unreachable(ENOENT)
        if case .answers(let status, let configuration, let fleet) = contact {
            self.status = DaemonStatusInfo(JSONText(status))
            self.configuration = configuration.map { SettingsResult(JSONText($0)) }
            membership = fleet.map { FleetStatus.Result(JSONText($0)) }
        } else {
            (status, configuration, membership) = (nil, nil, nil)
        }
        let mode = status?.mode
        isSystem = mode.map { $0 == DaemonMode.system.rawValue } ?? (socket.path == SocketPath.system)
        let usual = SocketAddress.candidates(
            environment: { $0 == "HARK_SOCKET" ? nil : machine.environment($0) }, userId: machine.uid,
            isThere: { machine.entry($0) != nil })
        isUsualPlace = usual.contains(socket)
        units = askSystemd()
    }

    private static func isAbsent(_ contact: Machine.Contact) -> Bool {
        if case .unreachable(let code) = contact { code == ENOENT || code == ENOTDIR } else { false }
    }

    /// All findings, each after those it depends on.
    var findings: [Finding] {
        var all = [programs, daemon] + service
        all += places + folders + settings
        if let status { all += store(status) + destinations(status) + fleet + problems(status) }
        if status == nil { all += disk }
        return all + [notifications, windows, terminal] + hosts
    }

    // MARK: Commands

    /// Quotes a word for the shell.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: ","):
                true
            default: false
            }
        }
        return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    /// Returns a command line that runs as root.
    func asRoot(_ line: String) -> String { machine.uid == 0 ? line : "sudo " + line }

    /// Returns a command line that runs as the owner of the daemon.
    func asOwner(_ line: String) -> String { isSystem ? asRoot(line) : line }

    /// Advice to install a Debian package; nil on systems without apt, where the name of the missing part must do.
    func install(_ package: String) -> Finding.Advice? {
        machine.program("apt-get") == nil ? nil : .mend(asRoot("apt-get install \(package)"))
    }

    func systemctl(_ words: String) -> String { asOwner(isSystem ? "systemctl \(words)" : "systemctl --user \(words)") }

    /// The command that starts the daemon of this socket.
    var start: Finding.Advice {
        if units.isUsable { return .mend(units.start(self)) }
        var words = ["setsid", machine.program("harkd") ?? "harkd"]
        if isSystem { words.append("--system") }
        return .mend(asOwner(words.map(Examination.quoted).joined(separator: " ") + " >/dev/null 2>&1 &"))
    }
}
