import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// From the log to a destination: in order, at least once, never in the middle of a removal.
@Suite struct CourierTests {
    @Test("records come in order, each once, in batches of bounded size")
    func order() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 4)) { fixture in
            for count in [1, 3, 9, 1, 20] { try await fixture.add(count) }
            try await fixture.settle()
            #expect(fixture.destination.batches.flatMap(\.self) == Array(1...34))
            #expect(fixture.destination.batches.allSatisfy { (1...4).contains($0.count) })
            #expect(fixture.cursors == fixture.cursors.sorted())
            #expect(fixture.cursors.last == 34)
            #expect(fixture.courier.progress.accepted == 34)
            #expect(fixture.courier.pending == 0)
        }
    }

    @Test("kinds that a destination does not want are passed over, and the cursor passes them too")
    func kinds() async throws {
        try await CourierFixture.run(FakeDestination(kinds: [.sessionEnded], events: .none)) { fixture in
            try await fixture.add([.sessionStarted, .event, .sessionEnded, .event])
            try await fixture.settle()
            #expect(fixture.destination.batches == [[3]])
            try await fixture.add([.event, .event])
            try await fixture.settle()
            #expect(fixture.destination.batches == [[3]])
            #expect(fixture.courier.progress.cursor == 6)
        }
    }

    @Test("a batch that is refused comes again, and nothing overtakes it")
    func retry() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            fixture.destination.outcomes = [
                .accepted, .failed(DeliveryFailure(.local, retryAfter: 0, "not now")),
                .failed(DeliveryFailure(.local, retryAfter: 0, "still not")),
            ]
            try await fixture.add(5)
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3, 4], [3, 4], [3, 4], [5]])
            #expect(fixture.courier.gate.breaker.lastFailure == nil)
            #expect(fixture.courier.progress.accepted == 5)
        }
    }

    @Test("while a destination refuses, the reason and what is pending can be seen")
    func lastError() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.outcomes = [.failed(DeliveryFailure(.local, retryAfter: 3600, "closed for today"))]
            try await fixture.add(3)
            try await eventually("the refusal is known") { fixture.courier.gate.breaker.lastFailure != nil }
            try await fixture.rest()
            #expect(fixture.courier.gate.breaker.lastFailure?.reason == "closed for today")
            #expect(fixture.courier.state == .waiting)
            #expect(fixture.courier.pending == 3)
            // More of the same does not make it come earlier; asking does.
            try await fixture.add(1)
            #expect(fixture.destination.batches == [[1, 2, 3]])
            fixture.courier.gate.hurry()
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2, 3], [1, 2, 3, 4]])
        }
    }

    @Test("a batch whose cursor was not stored comes again after a crash; a store that refuses has nothing sent twice")
    func cursorLost() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            try await fixture.add(4)
            try await fixture.settle()
            // The daemon ends after the delivery and before the cursor is on disk.
            fixture.courier.stop()
            try fixture.makeCourier(cursor: 2)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3, 4], [3, 4]])

            fixture.refusals = 1
            try await fixture.add(1)
            try await eventually("the store's refusal is known") { fixture.courier.fault != nil }
            #expect(fixture.courier.progress.cursor == 4)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3, 4], [3, 4], [5]])
        }
    }

    @Test("a session is forgotten between two passes, and delivery goes on after it")
    func forget() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            fixture.destination.isHeld = true
            try await fixture.add(6)
            try await eventually("a delivery is under way") { fixture.destination.isDelivering }
            let session = fixture.session()
            let courier = try #require(fixture.courier)
            let forgetting = DaemonActor.task { await courier.forget(session).reason }
            try await fixture.add(1)
            #expect(fixture.destination.forgotten.isEmpty)
            fixture.destination.isHeld = false
            #expect(await forgetting.value == nil)
            #expect(fixture.destination.forgotten == [1])
            // What was on its way had arrived; the rest will never be delivered, and is accounted for.
            try await fixture.add(1)
            try await fixture.settle()
            #expect(fixture.destination.batches.flatMap(\.self) == [1, 2, 8])
            #expect(fixture.courier.progress.dropped == [.removed: 5])
            #expect(fixture.courier.pending == 0)
        }
    }

    @Test("once stopped the pass under way goes on to its cursor, and none begins after it")
    func stop() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            fixture.destination.isHeld = true
            try await fixture.add(6)
            try await eventually("a delivery is under way") { fixture.destination.isDelivering }
            let courier = try #require(fixture.courier)
            courier.stop()
            #expect(!courier.isResting)
            fixture.destination.isHeld = false
            try await eventually("the pass is over") { courier.isResting }
            #expect(fixture.cursors == [2])
            try await fixture.add(1)
            courier.flush()
            #expect(courier.state == .idle)
            #expect(fixture.destination.batches == [[1, 2]])
        }
    }

    @Test("a courier that is off delivers nothing, and all of it once it is on")
    func off() async throws {
        try await CourierFixture.run { fixture in
            await fixture.courier.turn(on: false)
            #expect(fixture.courier.state == .off)
            try await fixture.add(3)
            fixture.courier.flush()
            #expect(fixture.courier.state == .off)
            #expect(fixture.courier.pending == 3)
            await fixture.courier.turn(on: true)
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2, 3]])
        }
    }

    @Test("records gather for a while, unless somebody asks for them at once")
    func gathering() async throws {
        try await CourierFixture.run(FakeDestination(gatherMilliseconds: 3_600_000)) { fixture in
            for _ in 0..<5 { try await fixture.add(1) }
            #expect(fixture.courier.state == .waiting)
            #expect(fixture.destination.batches.isEmpty)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2, 3, 4, 5]])
        }
    }
}
