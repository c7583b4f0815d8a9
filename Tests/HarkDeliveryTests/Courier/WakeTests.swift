import Dispatch
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Synchronization
import Testing

@testable import HarkDelivery

/// When a courier is to go on, something wakes it.
@Suite struct WakeTests {
    @Test("a wait that is over before the account of it is stored is noticed all the same")
    func shortWait() async throws {
        try await CourierFixture.run { fixture in
            fixture.show(dice: 0)
            fixture.destination.outcomes = [.failed(.network)]
            fixture.isStoreHeld = true
            try await fixture.add(1)
            try await eventually("the gate has called in the middle of the pass") { fixture.calls > 0 }
            #expect(!fixture.courier.isResting)
            fixture.isStoreHeld = false
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1], [1]])
        }
    }

    @Test("the return of the network in the middle of a pass is noticed after it")
    func networkReturns() async throws {
        try await CourierFixture.run { fixture in
            fixture.gate.isOnline = false
            fixture.destination.outcomes = [.failed(.network)]
            fixture.isStoreHeld = true
            try await fixture.add(1)
            try await eventually("the failure is known") { fixture.gate.breaker.state == .waiting }
            fixture.gate.isOnline = true
            fixture.isStoreHeld = false
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1], [1]])
        }
    }

    @Test("L9: what failed as the network came goes once more before what follows it")
    func orderAfterOutdatedFailure() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1)) { fixture in
            fixture.gate.isOnline = false
            fixture.destination.isHeld = true
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(3)
            try await eventually("a delivery is under way") { fixture.destination.isDelivering }
            fixture.gate.isOnline = true
            fixture.destination.isHeld = false
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1], [1], [2], [3]])
        }
    }

    @Test("what comes in the middle of a pass is carried after it")
    func arrival() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.isHeld = true
            try await fixture.add(2)
            try await eventually("a delivery is under way") { fixture.destination.isDelivering }
            try await fixture.add(2)
            #expect(fixture.courier.pending == 4)
            fixture.destination.isHeld = false
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3, 4]])
        }
    }

    @Test("waits of a removal are ended with it: what was to be sent is sent after it")
    func afterForgetting() async throws {
        try await CourierFixture.run(FakeDestination(gatherMilliseconds: 10)) { fixture in
            try await fixture.add(ofSessions: [1, 2])
            try await fixture.remove(2)
            _ = await fixture.courier.forget(fixture.session(2))
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1])
        }
    }

    @Test("a clock that is set back while the gate waits makes it wait no longer than it would have from then on")
    func clockSetBack() async throws {
        try await CourierFixture.run { fixture in
            fixture.show(dice: 0.05)
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(1)
            try await fixture.rest()
            fixture.clock.advance(seconds: -86_400)
            let calls = fixture.calls
            // The gate's own timer looks every 50 ms.
            try await eventually("the gate has looked") { fixture.calls > calls }
            try await fixture.rest()
            fixture.clock.advance(seconds: 0.05)
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1], [1]])
        }
    }

    @Test("a new start goes on with what was left, and with nothing when nothing was")
    func begin() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            fixture.destination.answer = { $0 == [3, 4] ? .failed(.network) : nil }
            try await fixture.add(5)
            try await fixture.rest()
            fixture.destination.answer = { _ in nil }
            try await fixture.restart()
            #expect(fixture.courier.pending == nil)
            fixture.clock.advance(seconds: 1)
            fixture.courier.begin()
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3, 4], [3, 4], [5]])
            try await fixture.restart()
            #expect(fixture.courier.pending == 0)
            fixture.courier.begin()
            #expect(fixture.courier.state == .idle)
        }
    }

    @Test("what comes while it is counted what waits, after a new start, waits as well")
    func arrivalWhileCounting() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.answer = { _ in .failed(.network) }
            try await fixture.add(3)
            try await fixture.rest()
            try await fixture.restart()
            #expect(fixture.courier.pending == nil)
            // The thread that counts is held up.
            let (latch, reader) = (Latch(), fixture.reader)
            let holding = DaemonActor.task { await reader.work { latch.wait() } }
            try await eventually("the thread is held up") { latch.isWaitedFor }
            let counting = DaemonActor.task { [courier = fixture.courier!] in await courier.count() }
            try await fixture.add(2)
            latch.open()
            await holding.value
            await counting.value
            #expect(fixture.courier.pending == 5)
        }
    }
}

/// Holds a thread up.
private final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let waited = Mutex(false)

    var isWaitedFor: Bool { waited.withLock { $0 } }

    func wait() {
        waited.withLock { $0 = true }
        semaphore.wait()
    }

    func open() { semaphore.signal() }
}
