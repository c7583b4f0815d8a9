import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// Parcels that are refused as a whole, for the sake of some of their records (row L9).
@Suite struct SplittingTests {
    private static func refuse(_ refused: Set<UInt64>) -> ([UInt64]) -> DeliveryOutcome? {
        { refused.isDisjoint(with: $0) ? nil : .failed(.refused, status: 400) }
    }

    @Test("L9: only what is refused by itself is a dead letter; the rest arrives once, and each session in order")
    func order() async throws {
        let bad: Set<UInt64> = [5, 6, 17, 64]
        try await CourierFixture.run(FakeDestination(batchLimit: 16, concurrency: 2)) { fixture in
            fixture.destination.answer = Self.refuse(bad)
            let sessions = (0..<64).map { $0 % 5 + 1 }
            try await fixture.add(ofSessions: sessions)
            try await fixture.settle()
            #expect(fixture.destination.accepted.sorted() == (1...64).filter { !bad.contains($0) })
            #expect(fixture.destination.overlaps == 0)
            for session in 1...5 {
                let sequences = fixture.destination.accepted.filter { sessions[Int($0) - 1] == session }
                #expect(sequences == sequences.sorted(), "of session \(session)")
            }
            #expect(fixture.courier.progress.accepted == 60)
            #expect(fixture.courier.progress.dropped == [.refused: 4])
            #expect(try fixture.deadLetters().map(\.sequence) == bad.sorted())
        }
    }

    @Test("L9: a server that refuses everything is not asked twice for each record, nor when more comes")
    func everything() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 256)) { fixture in
            fixture.destination.answer = { _ in .failed(.refused, status: 400) }
            try await fixture.add(1_024)
            try await fixture.settle()
            // The first parcel is taken apart until 16 records were refused one by one; what lies apart by then goes so.
            #expect(
                fixture.destination.batches.map(\.count).filter { $0 != 1 } == [
                    256, 128, 64, 32, 16, 8, 4, 2, 2, 4, 2, 2, 8, 4, 2, 2, 4, 2, 2, 16, 32, 64, 128, 256, 256, 256,
                ])
            #expect(fixture.destination.batches.count { $0.count == 1 } == 16)
            #expect(fixture.courier.progress.dropped == [.refused: 1_024])
            let before = fixture.destination.batches.count
            try await fixture.add(512)
            try await fixture.settle()
            #expect(fixture.destination.batches.count == before + 2)
        }
    }

    @Test("L9: once something is accepted again, refused parcels are taken apart again")
    func again() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 64)) { fixture in
            fixture.destination.answer = { _ in .failed(.refused, status: 400) }
            try await fixture.add(64)
            try await fixture.settle()
            fixture.destination.answer = Self.refuse([70])
            try await fixture.add(4)
            try await fixture.settle()
            try await fixture.add(4)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [65, 66, 67, 68, 69, 71, 72])
            #expect(fixture.courier.progress.dropped == [.refused: 65])
        }
    }

    @Test("L9: after fifteen refusals in a row a parcel is still taken apart, after sixteen none")
    func count() async throws {
        for (row, dead) in [(15, 1), (16, 2)] {
            try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
                // Single records: each comes when the one before is through.
                fixture.destination.answer = { _ in .failed(.refused, status: 400) }
                for _ in 0..<row {
                    try await fixture.add(1)
                    try await fixture.settle()
                }
                let last = fixture.newest
                fixture.destination.answer = Self.refuse([last + 1])
                try await fixture.add(2)
                try await fixture.settle()
                #expect(fixture.courier.progress.dropped == [.refused: row + dead], "after \(row)")
            }
        }
    }

    @Test("L9: when the server goes away while a parcel is taken apart, what was not tried by itself waits for it")
    func failure() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 4)) { fixture in
            fixture.destination.outcomes = [.failed(.refused), .accepted, .failed(.network)]
            try await fixture.add(6)
            try await fixture.rest()
            #expect(fixture.destination.batches == [[1, 2, 3, 4], [1, 2], [3, 4]])
            #expect(fixture.courier.progress.cursor == 2)
            #expect(fixture.courier.pending == 4)
            #expect(fixture.courier.progress.dropped == [:])
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("a removal does not wait until a parcel is taken apart")
    func held() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 8)) { fixture in
            fixture.destination.answer = { _ in .failed(.refused, status: 400) }
            fixture.destination.isHeld = true
            try await fixture.add(8)
            try await eventually("the parcel is under way") { fixture.destination.isDelivering }
            let forgetting = DaemonActor.task { [courier = fixture.courier!, session = fixture.session(2)] in
                _ = await courier.forget(session)
            }
            try await eventually("the removal waits") { fixture.courier.isAwaited }
            fixture.destination.letGo { _ in true }
            try await eventually("the removal is through") { !fixture.courier.isAwaited }
            #expect(fixture.destination.batches.allSatisfy { $0.count == 8 })
            fixture.destination.isHeld = false
            await forgetting.value
            try await fixture.settle()
            #expect(fixture.courier.progress.dropped == [.refused: 8])
        }
    }

    @Test("L9: letters that are refused again do not keep what is new from being taken apart")
    func replay() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 4)) { fixture in
            fixture.destination.answer = Self.refuse(Set(1...40).union([42]))
            try await fixture.add(40)
            try await fixture.settle()
            // The server accepts something, and then the letters come.
            try await fixture.add(1)
            try await fixture.settle()
            try await fixture.haveTriedAgain()
            try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
            #expect(fixture.courier.progress.dropped == [.refused: 40])
            try await fixture.add(2)
            try await fixture.settle()
            #expect(fixture.courier.progress.dropped == [.refused: 41])
            #expect(fixture.destination.accepted == [41, 43])
        }
    }
}
