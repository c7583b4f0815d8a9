import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct LockFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Takes the lock as another process would, and says whose it is.
    private func hold(by holder: Int32) -> Int32 {
        let descriptor = open(folder.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let text = Array("\(holder)\n".utf8)
        write(descriptor, text, text.count)
        flock(descriptor, LOCK_EX | LOCK_NB)
        return descriptor
    }

    private func take() throws(SystemError) {
        _ = try LockFile(path: folder.path + "/lock", served: "this", advice: "stop it")
    }

    /// Starts a program, which gets a descriptor as its tenth.
    private func start(_ words: [String], with descriptor: Int32 = 0) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor, 9)
        var pid: Int32 = 0
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ)
        return pid
    }

    private func bury(_ pid: Int32) {
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }

    /// The id of a process that has ended.
    private func goneProcess() -> Int32 {
        let pid = start(["true"])
        bury(pid)
        return pid
    }

    @Test("whose owner lives is refused at once, with its number and what to do")
    func held() throws {
        let other = hold(by: getpid())
        defer { close(other) }
        let error = #expect(throws: SystemError.self) { try take() }
        #expect(error?.code == EADDRINUSE)
        #expect(error.map { "\($0)" }?.contains("another harkd (pid \(getpid())) already serves this; stop it") == true)
    }

    @Test("that was let go of is free, though a forked child has it open")
    func letGo() throws {
        let path = folder.path + "/lock"
        func hold() throws -> Int32 {
            let lock = try LockFile(path: path, served: "this", advice: "stop it")
            defer { withExtendedLifetime(lock) {} }
            for number in 3..<Int32(1_024) {
                var name = [CChar](repeating: 0, count: Int(PATH_MAX))
                readlink("/proc/self/fd/\(number)", &name, name.count - 1)
                if strcmp(name, path) == 0 { return dup(number) }
            }
            return -1
        }
        let copy = try hold()
        #expect(copy >= 0)
        defer { close(copy) }
        try take()
    }

    @Test("whose owner was killed while it started a program is waited for, as that program lets go of it")
    func orphaned() throws {
        let other = hold(by: goneProcess())
        let heir = start(["sleep", "0.1"], with: other)
        close(other)
        try take()
        bury(heir)
    }

    @Test("whose owner has ended, and nobody has asked how, is waited for as well")
    func unburied() throws {
        let owner = start(["true"])
        var ended = siginfo_t()
        waitid(P_PID, id_t(owner), &ended, WEXITED | WNOWAIT)
        defer { bury(owner) }
        let other = hold(by: owner)
        let heir = start(["sleep", "0.1"], with: other)
        close(other)
        try take()
        bury(heir)
    }

    @Test("what an owner that is gone has left to a program that keeps it is refused in the end")
    func kept() throws {
        let other = hold(by: goneProcess())
        defer { close(other) }
        let error = #expect(throws: SystemError.self) { try take() }
        #expect(error?.code == EADDRINUSE)
    }
}
