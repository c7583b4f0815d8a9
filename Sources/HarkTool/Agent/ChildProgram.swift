internal import CLinux
import Glibc

/// A started program that is not waited for. The caller that starts it reaps it on SIGCHLD.
struct ChildProgram {
    let pid: pid_t
    /// The read end of the program's standard output and errors; nil when they go to this process's own.
    let output: CInt?
    /// The read end of its standard error, when that is separate from its output.
    let errors: CInt?

    /// Starts the first of `words`, looked up on the PATH, with `input` as its standard input.
    ///
    /// - Parameters:
    ///   - captures: Whether the output is kept for `takeOutput`; otherwise the program gets its own session.
    ///   - partsErrors: With `captures`, whether standard error has a pipe of its own.
    ///   - keepsErrors: With `captures`, whether standard error stays this process's own.
    ///   - descriptor: What the program reads instead of `input`; it stays the caller's.
    /// - Throws: The errno of the failure; ENOENT if there is no such program.
    init(
        _ words: [String], input: some Collection<UInt8> = [], captures: Bool, partsErrors: Bool = false,
        keepsErrors: Bool = false, reading descriptor: CInt? = nil
    ) throws(Errno) {
        let stdin: CInt
        if let descriptor { stdin = descriptor } else { stdin = try Self.file(with: input) }
        defer { if descriptor == nil { close(stdin) } }
        let pipe = captures ? try Self.makePipe() : [-1, -1]
        var errorPipe = [CInt](repeating: -1, count: 2)
        if captures, partsErrors {
            do throws(Errno) {
                errorPipe = try Self.makePipe()
            } catch {
                for end in pipe { close(end) }
                throw error
            }
        }
        var moved = [(from: stdin, to: CInt(0))]
        if captures {
            moved.append((pipe[1], 1))
            if !keepsErrors { moved.append((partsErrors ? errorPipe[1] : pipe[1], 2)) }
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer {
            for argument in arguments { free(argument) }
            for end in [pipe[1], errorPipe[1]] where end >= 0 { close(end) }
        }
        do throws(Errno) {
            // A shell's `&` makes this process ignore signals that are used to end the child.
            pid = try Self.spawn(
                &arguments, moving: moved, restoring: SignalQueue.endings, inNewSession: !captures)
        } catch {
            for end in [pipe[0], errorPipe[0]] where end >= 0 { close(end) }
            throw error
        }
        output = captures ? pipe[0] : nil
        errors = captures && partsErrors ? errorPipe[0] : nil
    }

    /// Starts a program with no signal blocked.
    ///
    /// - Parameters:
    ///   - words: The program, which is looked up on the PATH, and its arguments, as a null-terminated list of C
    ///     strings.
    ///   - descriptors: What becomes which of its own.
    ///   - signals: The signals that the program does not ignore, even if this process does.
    static func spawn(
        _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, moving descriptors: [(from: CInt, to: CInt)],
        restoring signals: [CInt] = [], inNewSession: Bool = false
    ) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var (none, restored) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&restored)
        for number in signals { sigaddset(&restored, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &restored)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, flags | (inNewSession ? newSession : 0))
        var pid: pid_t = 0
        // The caller passes at least one word; posix_spawnp cannot do without.
        let status = words[0].map { posix_spawnp(&pid, $0, &actions, &attributes, words, environ) } ?? ENOENT
        guard status == 0 else { throw Errno(status) }
        return pid
    }

    /// Makes a pipe whose read end does not block. The write end does, as programs expect of their output.
    private static func makePipe() throws(Errno) -> [CInt] {
        var pipe: [CInt] = [-1, -1]
        guard pipe2(&pipe, CInt(O_CLOEXEC)) == 0 else { throw Errno(errno) }
        _ = fcntl(pipe[0], F_SETFL, O_NONBLOCK)
        return pipe
    }

    /// Makes an anonymous file with these bytes, positioned at its start.
    private static func file(with bytes: some Collection<UInt8>) throws(Errno) -> CInt {
        let file = memfd_create("input", 1)  // MFD_CLOEXEC
        guard file >= 0 else { throw Errno(errno) }
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard written > 0 else {
                let code = errno
                close(file)
                throw Errno(code)
            }
            rest = rest.dropFirst(written)
        }
        lseek(file, 0, SEEK_SET)
        return file
    }

    /// POSIX_SPAWN_SETSID, which the Glibc module lacks.
    private static let newSession: Int16 = 0x80

    /// Returns what the program wrote and closes the pipe. Call it after the program has ended.
    func takeOutput() -> String {
        guard let output else { return "" }
        defer { close(output) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(output, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    /// Waits until it has ended. The code is its exit code, or 128 plus the signal; 0 if another has reaped it.
    @discardableResult
    func wait() -> CInt {
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return Self.code(status)
    }

    /// Reaps it if it has ended, and returns its code; nil while it runs.
    func endedWith() -> CInt? {
        var status: CInt = 0
        return waitpid(pid, &status, WNOHANG) == 0 ? nil : Self.code(status)
    }

    /// Reaps a child that has ended; nil if none has.
    static func reap() -> (pid: pid_t, code: CInt)? {
        var status: CInt = 0
        let pid = waitpid(-1, &status, WNOHANG)
        return pid > 0 ? (pid, code(status)) : nil
    }

    private static func code(_ status: CInt) -> CInt {
        status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}

/// A system error number.
struct Errno: Error, Equatable {
    let code: CInt

    init(_ code: CInt) { self.code = code }

    var text: String { String(cString: strerror(code)) }
}
