import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct ChildProcessTests {
    typealias Command = ChildProcess.Command
    typealias Outcome = ChildProcess.Outcome

    private func run(_ command: Command) async throws -> Outcome {
        try await LoopThread.shared.run { loop in try await Self.run(command, on: loop) }
    }

    @DaemonActor
    fileprivate static func run(_ command: Command, on loop: EventLoop) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try ChildProcess(command, on: loop) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private func shell(_ script: String) -> Command { Command(["sh", "-c", script]) }

    @Test("a program gets its arguments, environment and input, and its output comes back")
    func normal() async throws {
        var command = Command(["sh", "-c", "cat; echo $GREETING $1; echo oops >&2", "sh", "a b"])
        command.environment = ["GREETING": "hello"]
        command.input = Array("input\n".utf8)
        let outcome = try await run(command)
        #expect(outcome.status == .exited(0))
        #expect(outcome.status.isSuccess)
        #expect(String(decoding: outcome.output, as: UTF8.self) == "input\nhello a b\n")
        #expect(String(decoding: outcome.errorOutput, as: UTF8.self) == "oops\n")
        #expect(!outcome.timedOut)
        #expect(!outcome.isTruncated)
    }

    @Test("NUL, which neither an argument nor a variable can have, becomes a character that stands for it")
    func nul() async throws {
        var command = Command(["sh", "-c", "printf %s \"$GREETING $1\"", "sh", "a\0b"])
        command.environment = ["GREETING": "he\0llo"]
        #expect(String(decoding: try await run(command).output, as: UTF8.self) == "he\u{FFFD}llo a\u{FFFD}b")
    }

    @Test("without input the program reads the end at once")
    func noInput() async throws {
        #expect(try await run(Command(["cat"])).status == .exited(0))
    }

    @Test(
        "how it ended is told",
        arguments: [("exit 7", .exited(7)), ("kill -9 $$", .signaled(9))] as [(String, ChildStatus)])
    func failing(script: String, status: ChildStatus) async throws {
        #expect(try await run(shell(script)).status == status)
    }

    @Test("a program that takes too long is told to end")
    func timeout() async throws {
        var command = shell("echo begun; sleep 60")
        command.timeoutMicroseconds = 50_000
        let outcome = try await run(command)
        #expect(outcome.status == .signaled(SIGTERM))
        #expect(outcome.timedOut)
        #expect(outcome.output == Array("begun\n".utf8))
    }

    @Test("one that will not end is killed, with all its descendants")
    func stubborn() async throws {
        var command = shell("trap '' TERM; (while :; do sleep 1; done) & echo $!; while :; do sleep 1; done")
        command.timeoutMicroseconds = 100_000
        command.graceMicroseconds = 50_000
        let outcome = try await run(command)
        #expect(outcome.status == .signaled(SIGKILL))
        #expect(outcome.timedOut)
        let words = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        let descendant = try #require(words.first.flatMap { Int32($0) })
        try await LoopThread.shared.run { _ in
            try await eventually("the descendant is gone") { isGone(descendant) }
        }
    }

    @Test("a descendant that survives its killed parent's SIGTERM is killed when the parent ends")
    func orphan() async throws {
        var command = shell("(trap '' TERM; while :; do sleep 1; done) & echo $!; sleep 60")
        command.timeoutMicroseconds = 100_000
        let outcome = try await run(command)
        #expect(outcome.status == .signaled(SIGTERM))
        let words = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        let descendant = try #require(words.first.flatMap { Int32($0) })
        try await LoopThread.shared.run { _ in
            try await eventually("the descendant is gone") { isGone(descendant) }
        }
    }

    @Test("a program that leaves something running in the background ends by itself, and that goes on")
    func background() async throws {
        let outcome = try await run(shell("sleep 1000 & echo $!"))
        #expect(outcome.status == .exited(0))
        let descendant = try #require(Int32(String(decoding: outcome.output.dropLast(), as: UTF8.self)))
        #expect(!isGone(descendant))
        kill(descendant, SIGKILL)
    }

    @Test("a program can be told to end, which is no timeout")
    func terminate() async throws {
        let outcome = try await LoopThread.shared.run { loop in
            await withCheckedContinuation { continuation in
                do {
                    let child = try ChildProcess(Command(["sleep", "60"]), on: loop) {
                        continuation.resume(returning: $0)
                    }
                    child.terminate()
                    child.terminate()
                } catch {
                    fatalError("\(error)")
                }
            }
        }
        #expect(outcome.status == .signaled(SIGTERM))
        #expect(!outcome.timedOut)
    }

    @Test("of huge output the beginning is kept and the program is not held up")
    func hugeOutput() async throws {
        var command = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo $?")
        command.outputLimit = 1000
        let outcome = try await run(command)
        #expect(outcome.status == .exited(0))
        #expect(outcome.output.count == 1000)
        #expect(outcome.errorOutput.count == 1000)
        #expect(outcome.isTruncated)
    }

    @Test("output of exactly the limit is not called truncated")
    func exactOutput() async throws {
        var command = shell("head -c 1000 /dev/zero")
        command.outputLimit = 1000
        let outcome = try await run(command)
        #expect(outcome.output.count == 1000)
        #expect(!outcome.isTruncated)
    }

    @Test("a program that never reads its input is no trouble", arguments: ["exit 3", "exec <&-; sleep 0.05; exit 3"])
    func neverReads(script: String) async throws {
        var command = shell(script)
        command.input = [UInt8](repeating: 65, count: 4 << 20)
        #expect(try await run(command).status == .exited(3))
    }

    @Test("large input arrives whole")
    func largeInput() async throws {
        var command = shell("wc -c")
        command.input = [UInt8](repeating: 65, count: 4 << 20)
        #expect(String(decoding: try await run(command).output, as: UTF8.self) == "4194304\n")
    }

    @Test(
        "a program that cannot be run is an error that names it",
        arguments: [
            (["hark-no-such-program"], ENOENT), (["/etc/passwd"], EACCES), ([], EINVAL), ([""], EINVAL),
        ] as [([String], Int32)])
    func missing(arguments: [String], code: Int32) async throws {
        let error = try await #require(throws: SystemError.self) { _ = try await run(Command(arguments)) }
        #expect(error.code == code)
        if let program = arguments.first { #expect("\(error)".contains(program)) }
    }

    @Test("a child inherits three descriptors and no more, even if somebody forgot close-on-exec")
    func inheritsNoDescriptors() async throws {
        let careless = open("/dev/null", O_RDONLY)
        let outcome = try await run(Command(["ls", "/proc/self/fd"]))
        close(careless)
        // The fourth is the folder that ls reads.
        #expect(String(decoding: outcome.output, as: UTF8.self) == "0\n1\n2\n3\n")
    }

    @Test("a child starts with no signal blocked or ignored, in its own process group, and is reaped")
    func freshSignalsAndGroup() async throws {
        let outcome = try await run(Command(["cat", "/proc/self/stat", "/proc/self/status"]))
        let text = String(decoding: outcome.output, as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        // pid (comm) state ppid pgrp
        #expect(words[0] == words[4])
        #expect(text.contains("SigBlk:\t0000000000000000\n"))
        // Two that the C library keeps for itself may be: it has ignored them in us, if it was it that spawned us.
        let ignored = text.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last
        let signals = try #require(ignored.flatMap { UInt64($0, radix: 16) })
        #expect(signals & ~0x1_8000_0000 == 0)
        let pid = try #require(Int32(words[0]))
        try await LoopThread.shared.run { _ in
            try await eventually("the child is reaped") { kill(pid, 0) == -1 && errno == ESRCH }
        }
    }

    @Test("a child is told nothing of what the service manager told the daemon")
    func cleanEnvironment() async {
        await #expect(processExitsWith: .exitCode(42)) {
            for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "MINE"] { setenv(name, "1", 1) }
            let outcome = try await LoopThread.shared.run { loop in
                var command = Command(["env"])
                command.environment = ["PATH": "/bin"]
                return try await ChildProcessTests.run(command, on: loop)
            }
            let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
            guard lines.contains("MINE=1"), lines.filter({ $0.hasPrefix("PATH=") }) == ["PATH=/bin"],
                !lines.contains(where: { ["NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS"].contains($0.dropLast(2)) })
            else { exit(1) }
            exit(42)
        }
    }

    @Test("out of descriptors, starting fails and leaves no descriptor and no child behind")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .exitCode(42)) {
            try await openDescriptorsOfTheRuntime()
            DaemonActor.bindToCurrentThread()
            let code = DaemonActor.assumeIsolated { () -> Int32 in
                do {
                    let loop = try EventLoop()
                    let (before, free) = (openDescriptors(), dup(0))
                    close(free)
                    var refusals = 0
                    for attempt in 0..<300 as Range<Int32> {
                        // Room for none, or for some, of the three pipes; now and then other threads free some more.
                        limitDescriptors(to: free + attempt % 6)
                        do throws(SystemError) {
                            let pid = try ChildProcess(Command(["sleep", "60"]), on: loop) { _ in }.pid
                            kill(pid, SIGKILL)
                            waitpid(pid, nil, 0)
                        } catch {
                            guard error.code == EMFILE else { return 1 }
                            refusals += 1
                        }
                    }
                    limitDescriptors(to: 1024)
                    // A leak would have left hundreds; a few may be other threads'.
                    guard refusals > 200, openDescriptors() < before + 50 else { return 2 }
                    guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { return 3 }
                    return 42
                } catch {
                    return 4
                }
            }
            exit(code)
        }
    }
}

extension ChildProcessTests {
    @Test("a child that cannot be watched is not left running")
    func unwatchable() async {
        await #expect(processExitsWith: .exitCode(ESTALE)) {
            DaemonActor.bindToCurrentThread()
            DaemonActor.assumeIsolated {
                do {
                    let loop = try EventLoop()
                    loop.exit(code: 0)
                    _ = try loop.run()
                    // A finished loop takes no sources.
                    try ChildProcess(Command(["sleep", "60"]), on: loop) { _ in }
                } catch {
                    guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { exit(3) }
                    exit((error as? SystemError)?.code ?? 4)
                }
            }
        }
    }
}

private func limitDescriptors(to count: Int32) {
    var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: 1024)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

private func openDescriptors() -> Int {
    (0..<1024).count { fcntl($0, F_GETFD) != -1 }
}

/// True if the process is gone or a zombie, which only its parent can free.
private func isGone(_ pid: Int32) -> Bool {
    do {
        let status = try FileDescriptor.open("/proc/\(pid)/stat", flags: O_RDONLY).readAll(limit: 4096)
        return String(decoding: status, as: UTF8.self).contains(") Z ")
    } catch {
        // Any other refusal, as of a process without free descriptors, says nothing about that process.
        return [ENOENT, ESRCH].contains(error.code)
    }
}
