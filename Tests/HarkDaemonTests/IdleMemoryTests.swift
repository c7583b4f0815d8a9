import HarkSystem
import HarkTesting
import Testing

@testable import HarkDaemon

/// The times at which unused code is released.
@Suite struct IdleMemoryTests {
    @DaemonActor
    private final class Time {
        var now: UInt64 = 1_000_000
        var releases = 0
    }

    @Test("is let go of after the start, and half a minute after the last use, once")
    func times() async throws {
        try await LoopThread.shared.run { loop in
            let time = Time()
            let memory = try IdleMemory(loop: loop, clock: { time.now }, release: { time.releases += 1 })
            #expect(memory.look() == nil)
            #expect(time.releases == 1)
            memory.noteUse()
            time.now += 20_000_000
            memory.noteUse()
            time.now += 10_000_000
            #expect(memory.look() == 20_000_000)
            time.now += 20_000_000
            #expect(time.releases == 1)
            #expect(memory.look() == nil)
            #expect(time.releases == 2)
            memory.end()
        }
    }

    @Test("a daemon that is in use when it has just started keeps what it has")
    func busyStart() async throws {
        try await LoopThread.shared.run { loop in
            let time = Time()
            let memory = try IdleMemory(loop: loop, clock: { time.now }, release: { time.releases += 1 })
            time.now += 900_000
            memory.noteUse()
            time.now += 100_000
            #expect(memory.look() == 29_900_000)
            #expect(time.releases == 0)
            memory.end()
        }
    }
}
