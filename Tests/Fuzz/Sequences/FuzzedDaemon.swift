import CLinux
import Glibc
import HarkSystem
import HarkTesting

/// The daemon under test: a process of its own on a folder of its own.
final class FuzzedDaemon {
    /// The connecting users by index: the one who runs this, and for root, some with fewer rights.
    static let users: [uid_t] = getuid() == 0 ? [0, 65_001, 65_002] : [getuid()]

    let folder: String
    let isSystem: Bool
    private(set) var pid: pid_t = 0
    private var errors: Int32 = -1
    /// The end of its output on stderr.
    private var said: [UInt8] = []
    private(set) var isRefusing = false

    /// - Parameter isSystem: it serves everybody, and not its own user alone.
    init(folder: String, isSystem: Bool) {
        self.folder = folder
        self.isSystem = isSystem
        mkdir(folder + "/config", 0o755)
        chmod(folder, 0o755)
    }

    deinit { end(SIGKILL) }

    var socketPath: String { folder + "/socket" }

    func start() throws(Finding) {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { throw Finding("pipe2: \(errno)") }
        errors = ends[0]
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        let command: [String] =
            ["/proc/self/exe", "daemon", "--socket", socketPath, "--state", folder + "/state", "--config"]
            + [folder + "/config"] + (isSystem ? ["--system"] : [])
        var arguments = command.map { (text: String) in strdup(text) } + [nil]
        // A crash tells where: the runtime's own backtrace takes longer than all else.
        var variables =
            ["PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no"].map { (text: String) in strdup(text) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let code = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &arguments, &variables)
        guard code == 0 else { throw Finding("cannot start a daemon: \(String(cString: strerror(code)))") }
        isRefusing = false
    }

    /// Connects as one of the users; the kernel vouches for the effective uid.
    func connect(user: Int) throws(Finding) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(60)
        let uid = FuzzedDaemon.users[user % FuzzedDaemon.users.count]
        let isOther = uid != getuid()
        while true {
            if isOther { seteuid(uid) }
            // Fails until the daemon listens.
            let socket = try? connectedSocket(to: socketPath)
            if isOther { seteuid(getuid()) }
            if let socket {
                _ = fcntl(socket, F_SETFL, O_NONBLOCK)
                return socket
            }
            try checkAlive()
            guard ContinuousClock.now < deadline else { throw Finding("cannot connect within a minute") }
            usleep(1_000)
        }
    }

    /// Reads its output, and throws if it has ended.
    func checkAlive() throws(Finding) {
        listen()
        var status: Int32 = 0
        guard pid > 0, waitpid(pid, &status, WNOHANG) == pid else { return }
        pid = 0
        listen()
        throw Finding("the daemon is gone, \(FuzzedDaemon.describe(status)); it said:\n\(lastWords)")
    }

    var lastWords: String { String(decoding: said.suffix(8_000), as: UTF8.self) }

    private static func describe(_ status: Int32) -> String {
        status & 0x7F == 0 ? "exit code \(status >> 8)" : "signal \(status & 0x7F)"
    }

    private func listen() {
        guard errors >= 0 else { return }
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(errors, &room, room.count)
            guard count > 0 else { break }
            said += room[..<count]
        }
        if said.count > 1 << 20 { said.removeFirst(said.count - 1 << 16) }
    }

    /// Sends a signal and waits for the end; gives the status.
    @discardableResult
    func end(_ signal: Int32) -> Int32? {
        guard pid > 0 else { return nil }
        kill(pid, signal)
        var status: Int32 = 0
        let deadline = ContinuousClock.now + .seconds(60)
        while waitpid(pid, &status, WNOHANG) == 0 {
            listen()
            if ContinuousClock.now > deadline {
                kill(pid, SIGKILL)
                waitpid(pid, &status, 0)
                break
            }
            usleep(500)
        }
        pid = 0
        listen()
        close(errors)
        errors = -1
        return status
    }

    /// Ends it in order.
    func stop() throws(Finding) {
        let status = end(SIGTERM)
        guard status == 0 else {
            throw Finding(
                "asked to end, it ended with \(status.map(FuzzedDaemon.describe) ?? "nothing"):\n\(lastWords)")
        }
    }

    /// Lets no file grow, so that the store refuses; the signal that comes with it is ignored from the start.
    func refuse(_ isOn: Bool) throws(Finding) {
        // Writes over the log's existing part could still succeed.
        var limit = rlimit(rlim_cur: isOn ? 1 : rlim_t.max, rlim_max: rlim_t.max)
        guard hark_limit_file_size(pid, &limit) == 0 else { throw Finding("prlimit: \(errno)") }
        isRefusing = isOn
    }

    /// Resident memory in bytes.
    var memory: Int {
        let file = open("/proc/\(pid)/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 200)
        let count = read(file, &text, text.count)
        let fields = String(decoding: text[..<max(0, count)], as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }

    func put(_ name: String, _ text: String?) {
        let path = "\(folder)/config/\(name)"
        guard let text else {
            unlink(path)
            return
        }
        let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let bytes = Array(text.utf8)
        _ = write(file, bytes, bytes.count)
        close(file)
        rename(path + ".new", path)
    }
}
