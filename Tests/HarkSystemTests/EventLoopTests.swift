import Foundation
import Glibc
import HarkSystem
import HarkTesting
import Testing

@Suite struct EventLoopTests {
    /// The calls of a test's handlers.
    @DaemonActor final class Seen<Value> {
        var values: [Value] = []
    }

    /// Returns when the loop has looked at all that was ready before the call.
    @DaemonActor
    private static func turn(of loop: EventLoop) async throws {
        let (near, far) = try socketPair()
        let seen = Seen<Readiness>()
        let source = try loop.watch(near, for: .write) { seen.values.append($0) }
        try await eventually("two turns") { seen.values.count > 1 }
        source.cancel()
        close(near)
        close(far)
    }

    /// Returns when all timers are over that are due within 20 ms.
    @DaemonActor
    private static func turn(of loop: EventLoop, after clock: TimerClock) async throws {
        let seen = Seen<Int>()
        let timer = try loop.timer(clock: clock, accuracyMicroseconds: 1) { seen.values.append(1) }
        timer.arm(afterMicroseconds: 20_000)
        try await eventually("a later timer") { !seen.values.isEmpty }
        try await turn(of: loop)
    }

    @Test("a readable descriptor is told, again and again until it is read")
    func readable() async throws {
        try await LoopThread.shared.run { loop in
            let (near, far) = try socketPair()
            let seen = Seen<Readiness>()
            let source = try loop.watch(near, for: .read) { seen.values.append($0) }
            _ = write(far, "x", 1)
            try await eventually("told three times") { seen.values.count >= 3 }
            #expect(seen.values.allSatisfy { $0 == .read })
            source.cancel()
            close(near)
            close(far)
        }
    }

    @Test("a closed peer is told as a hangup")
    func hangup() async throws {
        try await LoopThread.shared.run { loop in
            let (near, far) = try socketPair()
            let seen = Seen<Readiness>()
            let source = try loop.watch(near, for: .hangup) { seen.values.append($0) }
            close(far)
            try await eventually("a hangup") { seen.values.first?.has(.hangup) == true }
            source.cancel()
            close(near)
        }
    }

    @Test("interest can change, pause and come back")
    func interestChanges() async throws {
        try await LoopThread.shared.run { loop in
            let (near, far) = try socketPair()
            let seen = Seen<Readiness>()
            let source = try loop.watch(near, for: []) { seen.values.append($0) }
            _ = write(far, "x", 1)
            try await Self.turn(of: loop)
            #expect(seen.values.isEmpty)
            source.setInterest(.write)
            try await eventually("writable") { seen.values.last == .write }
            source.setInterest([.read, .write])
            try await eventually("both") { seen.values.last == Readiness([.read, .write]) }
            source.setInterest([])
            let count = seen.values.count
            try await Self.turn(of: loop)
            #expect(seen.values.count == count)
            source.setInterest(.read)
            try await eventually("readable") { seen.values.last == .read }
            source.cancel()
            source.setInterest(.write)
            close(near)
            close(far)
        }
    }

    @Test("a source ends with its object, on whatever thread that is dropped, and lets go of its handler")
    func sourceEndsWithObject() async throws {
        try await LoopThread.shared.run { loop in
            let (near, far) = try socketPair()
            var kept: Seen<Readiness>? = Seen()
            weak let weakly = kept
            let seen = kept!
            var source: IOSource? = try loop.watch(near, for: .read) { seen.values.append($0) }
            kept = nil
            _ = consume seen
            #expect(weakly != nil)
            withExtendedLifetime(source) {}
            source = nil
            #expect(weakly == nil)

            var another: Seen<Readiness>? = Seen()
            weak let weaklyToo = another
            do {
                let seen = another!
                let elsewhere = try loop.watch(near, for: .read) { seen.values.append($0) }
                another = nil
                startThread { withExtendedLifetime(elsewhere) {} }
            }
            try await eventually("the source that was dropped elsewhere is gone") { weaklyToo == nil }
            close(near)
            close(far)
        }
    }

    @Test("a handler may cancel its own source")
    func cancelWithin() async throws {
        try await LoopThread.shared.run { loop in
            let (near, far) = try socketPair()
            let seen = Seen<Int>()
            let sources = Seen<IOSource>()
            sources.values.append(
                try loop.watch(near, for: .write) { _ in
                    seen.values.append(1)
                    sources.values.removeLast().cancel()
                    seen.values.append(2)
                })
            try await eventually("called") { seen.values == [1, 2] }
            try await Self.turn(of: loop)
            #expect(seen.values == [1, 2])
            close(near)
            close(far)
        }
    }

    @Test("a descriptor that cannot be watched is refused with its errno", arguments: [-1, 987_654] as [Int32])
    func badDescriptor(fd: Int32) async throws {
        try await LoopThread.shared.run { loop in
            let error = try #require(throws: SystemError.self) { _ = try loop.watch(fd, for: .read) { _ in } }
            #expect(error.code == EBADF)
            #expect(error.operation == "sd_event_add_io")
        }
    }

    @Test("turn-end hooks come after the dispatched source and the work it queued")
    func turnEnd() async throws {
        try await LoopThread.shared.run { loop in
            let (near, far) = try socketPair()
            let seen = Seen<String>()
            let sources = Seen<IOSource>()
            let hook = loop.onTurnEnd { if seen.values.last == "work" { seen.values.append("end") } }
            sources.values.append(
                try loop.watch(near, for: .write) { _ in
                    seen.values.append("source")
                    DaemonActor.post { seen.values.append("work") }
                    sources.values.removeAll()
                })
            try await eventually("the end of the turn") { seen.values.contains("end") }
            #expect(seen.values == ["source", "work", "end"])
            hook.cancel()
            DaemonActor.post { seen.values.append("work") }
            try await eventually("more work") { seen.values.count == 4 }
            try await Self.turn(of: loop)
            #expect(seen.values.count == 4)
            close(near)
            close(far)
        }
    }

    @Test("what has happened at the same time is dispatched in one turn")
    func oneTurn() async throws {
        try await LoopThread.shared.run { loop in
            let pairs = try (0..<3).map { _ in try socketPair() }
            let seen = Seen<String>()
            let waiting = Seen<CheckedContinuation<Void, Never>>()
            let hook = loop.onTurnEnd { seen.values.append("end") }
            let sources = try pairs.map { pair in
                try loop.watch(pair.0, for: .read) { _ in
                    var byte: UInt8 = 0
                    _ = read(pair.0, &byte, 1)
                    seen.values.append("source")
                    if seen.values.count(where: { $0 == "source" }) == 3 { waiting.values.popLast()?.resume() }
                }
            }
            // A turn is short, and on a machine that is busy not all may find room in it: in one of many they do.
            var isTogether = false
            for _ in 0..<200 where !isTogether {
                seen.values = []
                // Nothing is asked meanwhile: work that waits ends a turn.
                await withCheckedContinuation { continuation in
                    waiting.values.append(continuation)
                    for pair in pairs { _ = write(pair.1, "x", 1) }
                }
                isTogether = seen.values.split(separator: "end").contains { $0.count == 3 }
            }
            #expect(isTogether)
            hook.cancel()
            for source in sources { source.cancel() }
            for pair in pairs {
                close(pair.0)
                close(pair.1)
            }
        }
    }

    @Test("a timer fires once, not early", arguments: [TimerClock.realtime, .monotonic, .boottime])
    func timerFires(clock: TimerClock) async throws {
        try await LoopThread.shared.run { loop in
            let seen = Seen<Duration>()
            let start = ContinuousClock.now
            let timer = try loop.timer(clock: clock, accuracyMicroseconds: 1) {
                seen.values.append(ContinuousClock.now - start)
            }
            timer.arm(afterMicroseconds: 20_000)
            try await eventually("the timer") { !seen.values.isEmpty }
            #expect(seen.values[0] >= .milliseconds(19))
            try await Self.turn(of: loop, after: clock)
            #expect(seen.values.count == 1)
        }
    }

    @Test("a timer can be armed at a time, for the past, again, and be disarmed and cancelled")
    func timerArming() async throws {
        try await LoopThread.shared.run { loop in
            let seen = Seen<Int>()
            let timer = try loop.timer(clock: .realtime) { seen.values.append(1) }
            timer.arm(atMicroseconds: 1)
            try await eventually("a time long past") { seen.values.count == 1 }
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            timer.arm(atMicroseconds: UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec / 1000) + 10_000)
            try await eventually("a time to come") { seen.values.count == 2 }
            timer.arm(afterMicroseconds: .max)
            timer.arm(afterMicroseconds: 5000)
            timer.disarm()
            try await Self.turn(of: loop, after: .realtime)
            #expect(seen.values.count == 2)
            timer.arm(afterMicroseconds: 5000)
            timer.cancel()
            timer.arm(afterMicroseconds: 1)
            try await Self.turn(of: loop, after: .realtime)
            #expect(seen.values.count == 2)
        }
    }

    @Test("a signal is told, every time")
    func signal() async throws {
        try await LoopThread.shared.run { loop in
            let seen = Seen<Int>()
            let registration = try loop.onSignal(SIGUSR2) { seen.values.append(1) }
            for count in 1...3 {
                raise(SIGUSR2)
                try await eventually("signal \(count)") { seen.values.count == count }
            }
            let error = try #require(throws: SystemError.self) { try loop.onSignal(SIGUSR2) {} }
            #expect(error.code == EBUSY)
            registration.cancel()
            try loop.onSignal(SIGUSR2) {}.cancel()
        }
    }

    @Test("no such signal is an error")
    func badSignal() async throws {
        try await LoopThread.shared.run { loop in
            let error = try #require(throws: SystemError.self) { try loop.onSignal(4711) {} }
            #expect(error.code == EINVAL)
        }
    }

    @Test("changes in a watched folder are told with their names")
    func pathChanges() async throws {
        try await LoopThread.shared.run { loop in
            let folder = try TemporaryFolder()
            let seen = Seen<PathChange>()
            let registration = try loop.watchPath(folder.path, mask: .content) { seen.values.append($0) }
            close(open(folder.path + "/a", O_CREAT | O_WRONLY, 0o600))
            try await eventually("a new file") {
                seen.values.contains { $0.events.has(.written) && $0.name == "a" }
            }
            #expect(rename(folder.path + "/a", folder.path + "/b") == 0)
            try await eventually("a renamed file") {
                seen.values.contains { $0.events.has(.movedIn) && $0.name == "b" }
            }
            registration.cancel()
            let count = seen.values.count
            unlink(folder.path + "/b")
            try await Self.turn(of: loop)
            #expect(seen.values.count == count)
        }
    }

    @Test("a path that is not there cannot be watched, and the error names it")
    func missingPath() async throws {
        try await LoopThread.shared.run { loop in
            let error = try #require(throws: SystemError.self) {
                try loop.watchPath("/nowhere/at/all", mask: .content) { _ in }
            }
            #expect(error.code == ENOENT)
            #expect("\(error)".contains("/nowhere/at/all"))
            #expect("\(error)".contains("No such file or directory"))
        }
    }

    @Test("without a service manager there is no watchdog to feed")
    func noWatchdog() async throws {
        try await LoopThread.shared.run { loop in
            let isFed = try loop.enableWatchdog()
            #expect(!isFed)
        }
    }

    @Test("a loop of the main thread runs jobs and posts, ends with its code, and another one can follow")
    func mainThread() async {
        await #expect(processExitsWith: .exitCode(43)) {
            DaemonActor.bindToCurrentThread()
            let code = DaemonActor.assumeIsolated { () -> Int32 in
                do {
                    var sum: Int32 = 0
                    for round: Int32 in [20, 23] {
                        let loop = try EventLoop()
                        Task { @DaemonActor in
                            // It comes back from another thread, to a loop that sleeps by then.
                            await Task.detached { _ = usleep(1000) }.value
                            startThread { DaemonActor.post { loop.exit(code: round) } }
                        }
                        sum += try loop.run()
                    }
                    return sum
                } catch {
                    return 1
                }
            }
            exit(code)
        }
    }
}

/// A connected pair of sockets; the test closes them.
func socketPair() throws -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try syscall("socketpair") { socketpair(AF_UNIX, type, 0, &pair) }
    return (pair[0], pair[1])
}
