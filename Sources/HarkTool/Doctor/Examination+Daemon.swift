import Glibc
import HarkClient
import HarkWire

extension Examination {
    /// Whether the daemon answers, and its version.
    var daemon: Finding {
        let id = "daemon"
        switch contact {
        case .unreachable(let code): return unreachable(id, code)
        case .silent(let pid):
            return .fault(
                id, "the program that listens at \(socket.path) did not answer within \(Int(Machine.patience)) s",
                restart(pid, by: "KILL"))
        case .refuses(let why):
            return .fault(id, "the answer at \(socket.path) is not as expected: \(why)", start)
        case .answers: break
        }
        let version = status?.version ?? "?"
        let whose = isSystem ? "the machine's daemon" : "the daemon"
        let pid = status?.pid.flatMap { Int32(exactly: $0) }
        guard version == Version.current else {
            return .fault(
                id, "\(whose) that runs is \(version), and hark is \(Version.current): restart the daemon",
                restart(pid, by: "TERM"))
        }
        return .ok(id, "\(whose) answers at \(socket.path)\(pid.map { ", pid \($0)" } ?? "")")
    }

    private func unreachable(_ id: String, _ code: CInt) -> Finding {
        let path = socket.path
        switch code {
        case ENAMETOOLONG:
            let advice: Finding.Advice? = machine.value("HARK_SOCKET") == nil ? nil : .mend("unset HARK_SOCKET")
            return .fault(
                id,
                "the path \(path) has \(path.utf8.count) bytes, and a socket's path may have 107: set a shorter one "
                    + "in HARK_SOCKET, for the daemon as well", advice)
        case EACCES:
            let owner = machine.entry(path).map { "; it belongs to user \($0.owner)" } ?? ""
            return .fault(id, "this user may not open \(path)\(owner)", closed)
        case ENOENT, ENOTDIR: return .fault(id, "no daemon runs: there is no socket at \(path)", start)
        default: break
        }
        if let entry = machine.entry(path), entry.kind != .socket {
            let away = "mv \(Examination.quoted(path)) \(Examination.quoted(path + ".away"))"
            guard case .mend(let start) = start else { return .fault(id, "\(path) exists, but is no socket") }
            return .fault(id, "\(path) exists, but is no socket", .mend("\(asOwner(away)) && \(start)"))
        }
        if code == ECONNREFUSED {
            return .fault(id, "no daemon runs: the socket at \(path) was left behind, and nobody listens there", start)
        }
        return .fault(id, "\(path) cannot be opened: \(String(cString: strerror(code)))", start)
    }

    /// Advice for a socket, or a folder above it, that is closed to its owner.
    private var closed: Finding.Advice? {
        guard !isSystem else {
            return .mend(asRoot("systemctl restart harkd.socket harkd.service"))
        }
        if let entry = machine.entry(socket.path), entry.owner == machine.uid {
            return .mend("chmod 600 \(Examination.quoted(socket.path))")
        }
        let folder = Examination.folder(of: socket.path)
        if let entry = machine.entry(folder), entry.owner == machine.uid, entry.mode & 0o700 != 0o700 {
            return .mend("chmod 700 \(Examination.quoted(folder))")
        }
        return machine.value("HARK_SOCKET") == nil ? nil : .mend("unset HARK_SOCKET")
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// - Parameter signal: The signal that ends a daemon which systemd does not manage.
    private func restart(_ pid: Int32?, by signal: String) -> Finding.Advice? {
        if units.isRunning { return .mend(systemctl("restart harkd.service")) }
        guard let pid, case .mend(let start) = start else { return nil }
        // A process that has ended but is not reaped yet has an empty command line.
        let end = "kill -\(signal) \(pid); while grep -q . /proc/\(pid)/cmdline 2>/dev/null; do sleep 0.1; done"
        return .mend(asOwner("\(end); \(start)"))
    }
}
