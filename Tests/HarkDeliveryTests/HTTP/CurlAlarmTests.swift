import HarkSystem
import HarkTesting
import Testing

@testable import HarkDelivery

/// The time libcurl waits for, set again with every request.
@Suite struct CurlAlarmTests {
    @DaemonActor
    private final class Bell {
        private(set) var rings: [UInt64] = []
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func ring() {
            rings.append(SystemClock.monotonicMicroseconds)
            for continuation in waiting { continuation.resume() }
            waiting = []
        }

        func next() async {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    @Test("rings with the next turn for 0, once however often that is asked for")
    func atOnce() async throws {
        try await LoopThread.shared.run { loop in
            let bell = Bell()
            let alarm = try CurlAlarm(loop: loop) { bell.ring() }
            alarm.set(afterMilliseconds: 0)
            alarm.set(afterMilliseconds: 0)
            #expect(bell.rings.isEmpty)
            await bell.next()
            await withCheckedContinuation { done in DaemonActor.post { done.resume() } }
            #expect(bell.rings.count == 1)
            alarm.cancel()
        }
    }

    @Test("what was put off rings at the later time, once, and what was brought forward at the earlier")
    func moved() async throws {
        try await LoopThread.shared.run { loop in
            let bell = Bell()
            let alarm = try CurlAlarm(loop: loop) { bell.ring() }
            var start = SystemClock.monotonicMicroseconds
            alarm.set(afterMilliseconds: 20)
            alarm.set(afterMilliseconds: 120)
            await bell.next()
            #expect(bell.rings.count == 1)
            #expect(bell.rings[0] - start >= 120_000)
            start = SystemClock.monotonicMicroseconds
            alarm.set(afterMilliseconds: 3_600_000)
            alarm.set(afterMilliseconds: 30)
            await bell.next()
            #expect(bell.rings.count == 2)
            #expect(bell.rings[1] - start >= 30_000)
            alarm.cancel()
        }
    }

    @Test("what was taken back or cancelled does not ring")
    func takenBack() async throws {
        try await LoopThread.shared.run { loop in
            let (bell, other) = (Bell(), Bell())
            let alarm = try CurlAlarm(loop: loop) { bell.ring() }
            let cancelled = try CurlAlarm(loop: loop) { bell.ring() }
            let later = try CurlAlarm(loop: loop) { other.ring() }
            alarm.set(afterMilliseconds: 10)
            alarm.set(afterMilliseconds: nil)
            cancelled.set(afterMilliseconds: 10)
            cancelled.set(afterMilliseconds: 0)
            cancelled.cancel()
            later.set(afterMilliseconds: 80)
            await other.next()
            #expect(bell.rings.isEmpty)
            alarm.cancel()
            later.cancel()
        }
    }
}
