import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// The records that a lane keeps while nothing passes: by number, by age, or none (rows L3, L5).
@Suite struct RoomTests {
    private static let away = Array(repeating: DeliveryOutcome.failed(.network), count: 100)

    @Test("L5: of what cannot be delivered, the newest are kept, and the others are counted")
    func overflow() async throws {
        try await CourierFixture.run(FakeDestination { $0.maxPending = 5 }) { fixture in
            fixture.destination.outcomes = Self.away
            try await fixture.add(4)
            try await fixture.rest()
            #expect(fixture.courier.progress.dropped == [:])
            for _ in 0..<4 { try await fixture.add(3) }
            try await eventually("there is room") { fixture.courier.pending == 5 && fixture.courier.isResting }
            #expect(fixture.courier.progress.dropped == [.overflow: 11])
            fixture.destination.outcomes = []
            fixture.advance(seconds: 1_000)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [12, 13, 14, 15, 16])
            #expect(fixture.courier.progress.accepted == 5)
        }
    }

    @Test("L5: room is made beside what is done already, and after a new start")
    func overflowWithGaps() async throws {
        let destination = FakeDestination(batchLimit: 1, concurrency: 2) { $0.maxPending = 2 }
        try await CourierFixture.run(destination) { fixture in
            destination.isHeld = true
            destination.answer = { $0 == [1] ? .failed(.network) : nil }
            try await fixture.add(ofSessions: [1, 2, 1, 2, 1])
            try await eventually("both chains have begun") { destination.underWay.count == 2 }
            destination.letGo { $0 == [1] }
            try await eventually("the first has failed") { fixture.gate.breaker.state == .waiting }
            destination.isHeld = false
            try await eventually("there is room") { fixture.courier.pending == 2 && fixture.courier.isResting }
            #expect(fixture.courier.progress.dropped == [.overflow: 2])
            #expect(fixture.courier.progress.cursor == 3)
            try await fixture.restart()
            try await fixture.add(ofSessions: [1, 1])
            fixture.courier.begin()
            try await eventually("there is room") { fixture.courier.pending == 2 && fixture.courier.isResting }
            #expect(fixture.courier.progress.dropped == [.overflow: 4])
            fixture.advance(seconds: 1_000)
            try await fixture.settle()
            #expect(destination.accepted == [2, 6, 7])
        }
    }

    @Test("L5: a log that never stands still makes room all the same")
    func busy() async throws {
        try await CourierFixture.run(FakeDestination(gatherMilliseconds: 40) { $0.maxPending = 10 }) { fixture in
            fixture.destination.outcomes = [.failed(.throttled, retryAfter: 3_600)]
            try await fixture.add(1)
            fixture.courier.flush()
            try await fixture.rest()
            // Each comes before the moment is over in which records gather.
            let end = ContinuousClock.now + .seconds(60)
            while fixture.courier.progress.dropped.isEmpty, ContinuousClock.now < end { try await fixture.add(1) }
            #expect(fixture.courier.progress.dropped[.overflow] != nil)
        }
    }

    @Test("L3: without persistFailedLogs, what is not delivered at once is dropped: tried or not")
    func notKept() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2) { $0.keepsFailed = false }) { fixture in
            fixture.destination.outcomes = Self.away
            try await fixture.add(5)
            try await eventually("all is dropped") { fixture.courier.pending == 0 && fixture.courier.isResting }
            #expect(fixture.destination.batches == [[1, 2]])
            #expect(fixture.courier.progress.dropped == [.notKept: 5])
            try await fixture.add(2)
            try await eventually("all is dropped") { fixture.courier.pending == 0 && fixture.courier.isResting }
            #expect(fixture.destination.batches == [[1, 2]])
            fixture.destination.outcomes = []
            fixture.advance(seconds: 1_000)
            try await fixture.add(1)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [8])
            #expect(fixture.courier.progress.dropped == [.notKept: 7])
            #expect(try fixture.deadLetters().isEmpty)
        }
    }

    @Test("L5: what is older than the lane keeps is dropped instead of sent, a probe or not")
    func age() async throws {
        let destination = FakeDestination(batchLimit: 8) { $0.maxAge = 3_600 }
        try await CourierFixture.run(destination, policy: RetryPolicy()) { fixture in
            fixture.gate.isOnline = false
            destination.outcomes = Array(repeating: .failed(.network), count: 3)
            try await fixture.add(5)
            for _ in 0..<2 {
                try await fixture.rest()
                fixture.advance(seconds: 10)
            }
            try await fixture.rest()
            #expect(fixture.gate.breaker.state == .open)
            fixture.clock.advance(seconds: 3_580)
            try await fixture.add(3)
            // An age of exactly an hour is not too old.
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.courier.progress.dropped == [.age: 5])
            #expect(destination.accepted == [6, 7, 8])
            #expect(destination.batches.dropFirst(3) == [[6], [7, 8]])
            // Records that were too old went at once, not one with each probe.
            #expect(fixture.cursors.suffix(3) == [0, 6, 8])
            #expect(fixture.gate.breaker == Breaker())
        }
    }

    @Test("E11: what happened long ago, or is to come, is as old as the time since it came")
    func ownTime() async throws {
        // Nothing goes by itself, as the network's absence is a hint only, before the clock has moved.
        let destination = FakeDestination(batchLimit: 8, gatherMilliseconds: 3_600_000) { $0.maxAge = 3_600 }
        try await CourierFixture.run(destination, policy: RetryPolicy()) { fixture in
            fixture.gate.isOnline = false
            for timestamp in [Timestamp(milliseconds: 1_000), .latest] {
                try await fixture.add([(.event, 1)], timestamp: timestamp)
            }
            fixture.clock.advance(seconds: 3_601)
            try await fixture.add([(.event, 1)], timestamp: Timestamp(milliseconds: 1_000))
            fixture.gate.isOnline = true
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.courier.progress.dropped == [.age: 2])
            #expect(destination.accepted == [3])
        }
    }

    @Test("what is as old as the lane keeps, to the millisecond, is sent")
    func exactAge() async throws {
        try await CourierFixture.run(FakeDestination(gatherMilliseconds: 3_600_000) { $0.maxAge = 60 }) { fixture in
            try await fixture.add(1)
            fixture.clock.advance(seconds: 0.001)
            try await fixture.add(1)
            fixture.clock.advance(seconds: 60)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.accepted == [2])
            #expect(fixture.courier.progress.dropped == [.age: 1])
        }
    }
}
