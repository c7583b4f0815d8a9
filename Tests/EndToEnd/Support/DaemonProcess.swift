import Foundation
import HarkWire

/// A real `harkd`. It is ended with this object at the latest, and its folders stay as long as it.
final class DaemonProcess {
    let home: DaemonHome
    let child: Child
    private let errorFile: String

    init(home: DaemonHome, options: [String], errors: String) throws {
        self.home = home
        errorFile = errors
        let places = ["--socket", home.socket, "--state", home.state, "--config", home.configuration]
        child = try Child(
            home.prefix + [Programs.harkd] + places + options, environment: home.variables, errors: errors)
    }

    // Before `home` goes: nobody may write into folders that are being removed.
    deinit { child.kill() }

    var id: pid_t { child.id }

    /// What it wrote to stderr so far.
    var errors: String {
        get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorFile)), as: UTF8.self) }
    }

    func connect() throws -> SocketClient { try SocketClient(to: home.socket, of: self) }

    /// Connects as another user of the machine, by way of a `socat` that runs as that user.
    func connect(uid: UInt32, groups: [UInt32] = []) throws -> SocketClient {
        var ends: [CInt] = [0, 0]
        try check("socketpair") { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) }
        defer { close(ends[1]) }
        let membership =
            groups.isEmpty ? ["--clear-groups"] : ["--groups", groups.map(String.init).joined(separator: ",")]
        let socat = try Child(
            ["setpriv", "--reuid", "\(uid)", "--regid", "\(uid)"] + membership + ["--pdeathsig", "KILL"]
                + ["socat", "-t", "20", "-", "UNIX-CONNECT:\(home.socket)"],
            input: ends[1], output: ends[1])
        return SocketClient(adopting: ends[0], with: [socat, self])
    }

    /// Waits until it answers on its socket.
    func waitUntilServing(within seconds: Double = 180) throws {
        try waitUntil("harkd serves; it said: \((try? errors) ?? "")", within: seconds) {
            guard child.isRunning else { throw Failure("harkd ended: \(try errors)") }
            // A program that the daemon before was just starting may hold its socket for a moment longer.
            guard let client = try? connect(), let reply = try? client.call("hello") else { return false }
            return reply["pid"]?.intValue == Int64(id)
        }
    }

    /// Ends it in order and tells how long that took.
    @discardableResult
    func stop(_ number: CInt = SIGTERM) throws -> (ending: Child.Ending, seconds: Double) {
        let start = Date()
        child.signal(number)
        let ending = try child.wait()
        return (ending, Date().timeIntervalSince(start))
    }

    /// `kill -9`.
    func kill() { child.kill() }

    /// Resident memory in bytes.
    var memory: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
                throw Failure("no VmRSS in /proc/\(id)/status")
            }
            return kilobytes << 10
        }
    }
}
