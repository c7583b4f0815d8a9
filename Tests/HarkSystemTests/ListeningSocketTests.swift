import FoundationEssentials
import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct ListeningSocketTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/run/hark/hark.sock"
    }

    @Test(
        "folder, socket and lock have the modes of their access from birth, whatever the umask",
        arguments: [(ListeningSocket.Access.user, 0o700, 0o600), (.system, 0o755, 0o666)] as [(_, UInt32, UInt32)])
    func modes(access: ListeningSocket.Access, folderMode: UInt32, socketMode: UInt32) throws {
        let socket = try ListeningSocket(path: path, access: access)
        #expect(try mode(of: folder.path + "/run/hark") == folderMode)
        #expect(try mode(of: path) == socketMode)
        #expect(try mode(of: path + ".lock") == 0o600)
        #expect(fcntl(socket.raw, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(socket.raw, F_GETFL) & O_NONBLOCK != 0)
        #expect(!socket.isAdopted)
    }

    @Test("not for a moment is the socket more open than it should be, even under a umask of 0")
    func neverTooOpen() async {
        await #expect(processExitsWith: .exitCode(42)) { [path = self.path as String] in
            umask(0)
            startThread {
                var status = stat()
                while true {
                    if stat(path, &status) == 0, status.st_mode & 0o077 != 0 { exit(1) }
                }
            }
            for _ in 0..<2000 { try ListeningSocket(path: path, access: .user).close() }
            exit(42)
        }
    }

    @Test("connections are accepted with their peer, until none waits")
    func accepts() throws {
        let socket = try ListeningSocket(path: path, access: .user)
        #expect(try isIdle(socket))
        let clients = try (0..<3).map { _ in try connect() }
        for _ in clients {
            guard let connection = try socket.accept() else { throw SystemError(code: EAGAIN, operation: "accept") }
            #expect(connection.peer.uid == getuid())
            #expect(connection.peer.gid == getgid())
            #expect(connection.peer.pid == getpid())
            #expect(connection.peer.isMember(of: getgid()))
            let descriptor = connection.takeDescriptor()
            #expect(fcntl(descriptor.raw, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(descriptor.raw, F_GETFL) & O_NONBLOCK != 0)
        }
        #expect(try isIdle(socket))
        for client in clients { close(client) }
    }

    @Test("all groups of a peer are known, however many", .enabled(if: geteuid() == 0, "only root sets its groups"))
    func manyGroups() async {
        await #expect(processExitsWith: .exitCode(42)) { [path = self.path as String] in
            let groups = (5000..<5100).map { gid_t($0) }
            guard setgroups(groups.count, groups) == 0 else { exit(1) }
            let socket = try ListeningSocket(path: path, access: .user)
            let client = try connectedSocket(to: path)
            guard let peer = try socket.accept()?.peer, peer.groups == groups, peer.isMember(of: 5099),
                !peer.isMember(of: 5100)
            else { exit(2) }
            close(client)
            exit(42)
        }
    }

    @Test("a peer that has gone before it was accepted is accepted all the same, and is at its end")
    func goneBeforeAccept() throws {
        let socket = try ListeningSocket(path: path, access: .user)
        close(try connect())
        guard let connection = try socket.accept() else { throw SystemError(code: EAGAIN, operation: "accept") }
        let descriptor = connection.takeDescriptor()
        var byte: UInt8 = 0
        #expect(read(descriptor.raw, &byte, 1) == 0)
    }

    @Test("a second daemon is refused with the pid of the first, and the first goes on")
    func secondDaemon() throws {
        let first = try ListeningSocket(path: path, access: .user)
        let error = try #require(throws: SystemError.self) { try ListeningSocket(path: path, access: .user) }
        #expect(error.code == EADDRINUSE)
        #expect("\(error)".contains("another harkd (pid \(getpid())) already serves \(path)"))
        #expect("\(error)".contains("HARK_SOCKET"))
        let client = try connect()
        #expect(try !isIdle(first))
        close(client)
    }

    @Test("a socket left behind is replaced; an orderly close removes it")
    func stale() throws {
        do { _ = try ListeningSocket(path: path, access: .user) }
        #expect(access(path, F_OK) == 0)
        let socket = try ListeningSocket(path: path, access: .user)
        close(try connect())
        try socket.close()
        #expect(access(path, F_OK) != 0)
        try socket.close()
        withExtendedLifetime(socket) {}
    }

    @Test("something else in the socket's place is left alone")
    func notASocket() throws {
        let file = folder.path + "/file"
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        let error = try #require(throws: SystemError.self) { try ListeningSocket(path: file, access: .user) }
        #expect(error.code == EEXIST)
        #expect("\(error)".contains("move it away"))
        #expect(access(file, F_OK) == 0)
    }

    @Test("a path may have 107 bytes and no more")
    func longPath() throws {
        let stem = folder.path + "/"
        let fits = stem + String(repeating: "x", count: 107 - stem.utf8.count)
        _ = try ListeningSocket(path: fits, access: .user)
        let error = try #require(throws: SystemError.self) { try ListeningSocket(path: fits + "x", access: .user) }
        #expect(error.code == ENAMETOOLONG)
        #expect("\(error)".contains("108 bytes"))
        #expect(throws: SystemError.self) { try ListeningSocket(path: "", access: .user) }
    }

    @Test("a folder that cannot be made is an error that names it")
    func badFolder() throws {
        // Not even root can make a folder in there.
        let error = try #require(throws: SystemError.self) {
            try ListeningSocket(path: "/proc/hark/hark.sock", access: .user)
        }
        #expect(error.operation == "mkdir")
        #expect("\(error)".contains("/proc/hark"))
        let file = folder.path + "/file"
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        let other = try #require(throws: SystemError.self) {
            try ListeningSocket(path: file + "/hark.sock", access: .user)
        }
        #expect(other.code == ENOTDIR)
    }

    @Test("out of descriptors, accepting says so and the connection waits")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .exitCode(EMFILE)) { [path = self.path as String] in
            let listening = try ListeningSocket(path: path, access: .user)
            let client = try connectedSocket(to: path)
            try await openDescriptorsOfTheRuntime()
            var limit = rlimit(rlim_cur: rlim_t(client) + 1, rlim_max: rlim_t(client) + 1)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            while dup(client) >= 0 {}
            do throws(SystemError) {
                _ = try listening.accept()
            } catch {
                close(client)
                guard try !isIdle(listening) else { exit(1) }
                exit(error.code)
            }
        }
    }

    @Test("without systemd nothing is adopted")
    func noActivation() throws {
        #expect(try ListeningSocket.adopted().isEmpty)
    }

    @Test("systemd's socket is adopted: its path is known, it serves, and stays when closed")
    func activation() async {
        await #expect(processExitsWith: .exitCode(42)) { [path = self.path as String] in
            let bound = try ListeningSocket(path: path, access: .system)
            // Not put in the place of number 3: that is somebody else's here, who may need it at any time.
            let handedOver = dup(bound.raw)
            let adopted = try adopt(handedOver)
            guard adopted.count == 1, adopted[0].path == path, adopted[0].isAdopted, adopted[0].raw == handedOver,
                getenv("LISTEN_FDS") == nil
            else { exit(1) }
            let client = try connectedSocket(to: path)
            guard try !isIdle(adopted[0]), try isIdle(adopted[0]) else { exit(2) }
            close(client)
            try adopted[0].close()
            guard access(path, F_OK) == 0 else { exit(3) }
            try bound.close()
            exit(42)
        }
    }

    @Test("a handed-over descriptor that is no listening Unix socket is an error")
    func wrongActivation() async {
        await #expect(processExitsWith: .exitCode(ENOTSOCK)) {
            let handedOver = open("/dev/null", O_RDONLY)
            do throws(SystemError) {
                _ = try adopt(handedOver)
            } catch {
                exit(error.code)
            }
        }
    }

    @Test("groups are found by their name")
    func groups() throws {
        #expect(try groupID(named: "root") == 0)
        #expect(try groupID(named: "no such group") == nil)
    }

    private func connect() throws -> Int32 { try connectedSocket(to: path) }

    private func mode(of path: String) throws -> UInt32 {
        var status = stat()
        try syscall("stat", detail: path) { stat(path, &status) }
        return status.st_mode & 0o777
    }
}

/// Makes a descriptor look like one that systemd hands over.
///
/// That begins with number 3 by systemd's protocol, and its library wants 3 to be open, whatever it is. In a test process it
/// is the Swift runtime's or a passing helper's, who may close it between our look and the library's: then once more.
private func adopt(_ descriptor: Int32) throws(SystemError) -> [ListeningSocket] {
    for _ in 0..<1_000 {
        while fcntl(3, F_GETFD) == -1 { _ = open("/dev/null", O_RDONLY) }
        setenv("LISTEN_FDS", "1", 1)
        setenv("LISTEN_PID", "\(getpid())", 1)
        do throws(SystemError) {
            return try ListeningSocket.adopted(startingAt: descriptor)
        } catch {
            guard error.code == EBADF, fcntl(descriptor, F_GETFD) != -1 else { throw error }
        }
    }
    throw SystemError(code: EBADF, operation: "sd_listen_fds", detail: "number 3 is closed each time")
}

/// True if no connection waits; one that does is dropped.
private func isIdle(_ socket: ListeningSocket) throws -> Bool {
    guard let connection = try socket.accept() else { return true }
    _ = connection.takeDescriptor()
    return false
}
