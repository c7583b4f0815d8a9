import Glibc
import HarkClient
import HarkWire

/// `hark doctor`: looks at all that Hark stands on, and says what is wrong and how to mend it.
///
/// It changes nothing, and works without a daemon. Each family of checks is an extension in a file of its own.
struct Examination {
    let machine: Machine
    /// The daemon that is meant: the one other commands would talk to.
    let socket: SocketAddress
    let contact: Machine.Contact
    /// Whether that is the machine's daemon, and not this user's.
    let isSystem: Bool
    /// What it answers; nil where it does not.
    let status: JSONText?
    let configuration: JSONText?
    /// What it says of its fleet.
    let membership: FleetStatus.Result?
    /// Whether it is where systemd's units have it, and not where HARK_SOCKET says.
    private(set) var isUsualPlace = true
    /// What systemd knows of it.
    private(set) var units = Units(absence: .noSystemd)

    init(_ machine: Machine) {
        self.machine = machine
        let places = SocketAddress.candidates(
            environment: machine.environment, userId: machine.uid, isThere: { machine.entry($0) != nil })
        // As other commands choose: the first that has a socket.
        let tried = places.lazy.map { ($0, machine.contact($0)) }
        let found = tried.first { !Self.isAbsent($0.1) }
        // Root without a daemon of its own means that of the machine.
        let meant = machine.uid == 0 ? places.last : places.first
        socket = found?.0 ?? meant ?? SocketAddress(path: SocketPath.system)
        contact = found?.1 ?? .unreachable(ENOENT)
        if case .answers(let status, let configuration, let fleet) = contact {
            self.status = JSONText(status)
            self.configuration = configuration.map { JSONText($0) }
            membership = fleet.map { FleetStatus.Result(JSONText($0)) }
        } else {
            (status, configuration, membership) = (nil, nil, nil)
        }
        let mode = status?.member("mode")?.string
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

    /// All of them, in an order in which what depends on something comes behind it.
    var findings: [Finding] {
        var all = [programs, daemon] + service
        all += places + folders + settings
        if let status { all += store(status) + destinations(status) + fleet + problems(status) }
        if status == nil { all += disk }
        return all + [notifications, windows, terminal] + hosts
    }

    // MARK: Commands

    /// A word of shell.
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

    /// What has to be done as root.
    func asRoot(_ line: String) -> String { machine.uid == 0 ? line : "sudo " + line }

    /// As whoever the daemon belongs to.
    func asOwner(_ line: String) -> String { isSystem ? asRoot(line) : line }

    /// Where there is a package system of Debian's; else the name of what is missing has to do.
    func install(_ package: String) -> Finding.Advice? {
        machine.program("apt-get") == nil ? nil : .mend(asRoot("apt-get install \(package)"))
    }

    func systemctl(_ words: String) -> String { asOwner(isSystem ? "systemctl \(words)" : "systemctl --user \(words)") }

    /// Has the daemon of this socket started.
    var start: Finding.Advice {
        if units.isUsable { return .mend(units.start(self)) }
        var words = ["setsid", machine.program("harkd") ?? "harkd"]
        if isSystem { words.append("--system") }
        return .mend(asOwner(words.map(Examination.quoted).joined(separator: " ") + " >/dev/null 2>&1 &"))
    }
}
