import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct ServiceManagerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("without a service manager nobody is told, and that is no error")
    func nobody() throws {
        try #require(getenv("NOTIFY_SOCKET") == nil)
        let told = try ServiceManager.notify(.ready, .status("serving"))
        #expect(!told)
    }

    @Test("the service manager is told in its own words, one message for all")
    func notices() async {
        await #expect(processExitsWith: .exitCode(42)) { [folder = folder.path as String] in
            let manager = try Manager(in: folder)
            let before = SystemClock.monotonicMicroseconds
            try ServiceManager.notify(.ready, .status("serving\nMAINPID=1"))
            guard manager.next() == "READY=1\nSTATUS=serving MAINPID=1" else { exit(1) }
            try ServiceManager.notify(.reloading)
            let words = manager.next().split(whereSeparator: { $0 == "\n" || $0 == "=" })
            guard words.count == 4, words[0..<3] == ["RELOADING", "1", "MONOTONIC_USEC"],
                let time = UInt64(words[3]), (before...SystemClock.monotonicMicroseconds).contains(time)
            else { exit(2) }
            try ServiceManager.notify(.stopping)
            guard manager.next() == "STOPPING=1" else { exit(3) }
            try ServiceManager.notify(.watchdog)
            guard manager.next() == "WATCHDOG=1" else { exit(4) }
            exit(42)
        }
    }

    @Test("a manager that does not listen is an error")
    func deafManager() async {
        await #expect(processExitsWith: .exitCode(ENOENT)) {
            setenv("NOTIFY_SOCKET", "/nowhere/notify", 1)
            do throws(SystemError) {
                try ServiceManager.notify(.ready)
            } catch {
                exit(error.code)
            }
        }
    }

    @Test("the loop feeds the watchdog by itself")
    func watchdog() async {
        await #expect(processExitsWith: .exitCode(42)) { [folder = folder.path as String] in
            let manager = try Manager(in: folder)
            setenv("WATCHDOG_USEC", "40000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            try await LoopThread.shared.run { loop in
                guard try loop.enableWatchdog() else { exit(1) }
            }
            guard manager.next() == "WATCHDOG=1", manager.next() == "WATCHDOG=1" else { exit(2) }
            exit(42)
        }
    }

    @Test("credentials are read from the manager's folder, and a missing one is none")
    func credentials() async {
        await #expect(processExitsWith: .exitCode(42)) { [folder = folder.path as String] in
            guard try ServiceManager.credential(named: "key") == nil else { exit(1) }
            setenv("CREDENTIALS_DIRECTORY", folder, 1)
            guard try ServiceManager.credential(named: "key") == nil else { exit(2) }
            let file = open(folder + "/key", O_CREAT | O_WRONLY, 0o600)
            _ = write(file, "secret", 6)
            guard try ServiceManager.credential(named: "key") == Array("secret".utf8) else { exit(3) }
            exit(42)
        }
    }

    @Test("a credential's name cannot lead out of the folder", arguments: ["", ".", "..", "../key", "/etc/passwd"])
    func badCredentialName(name: String) throws {
        let error = try #require(throws: SystemError.self) { try ServiceManager.credential(named: name) }
        #expect(error.code == EINVAL)
    }
}

/// Stands in for systemd at the other end of NOTIFY_SOCKET; only for processes of their own.
private struct Manager {
    private let fd: Int32

    init(in folder: String) throws {
        fd = try boundDatagramSocket(folder + "/notify")
        setenv("NOTIFY_SOCKET", folder + "/notify", 1)
    }

    func next() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(fd, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
