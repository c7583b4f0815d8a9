import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// Parcels under way at the same time: sessions side by side, records of one session one after the other.
@Suite struct ChainTests {
    @Test("sessions go side by side, and those of one session one after the other")
    func order() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2, concurrency: 3)) { fixture in
            fixture.destination.isHeld = true
            let order = [1, 2, 3, 1, 2, 3, 4, 1, 1, 2, 4, 1]
            try await fixture.add(ofSessions: order)
            try await eventually("each chain has a parcel under way") { fixture.destination.underWay.count == 3 }
            // Sessions 1 and 4 share a chain.
            #expect(Set(fixture.destination.underWay) == [[1, 4], [2, 5], [3, 6]])
            fixture.destination.isHeld = false
            try await fixture.settle()
            #expect(fixture.destination.overlaps == 0)
            #expect(fixture.destination.peak == 3)
            for session in 1...4 {
                let sequences = fixture.destination.accepted.filter { order[Int($0) - 1] == session }
                #expect(sequences == sequences.sorted(), "of session \(session)")
            }
            #expect(fixture.destination.accepted.sorted() == Array(1...12))
            #expect(fixture.courier.progress.accepted == 12)
        }
    }

    @Test("a parcel that fails stops the other chains after what they have under way, and nothing of it is lost")
    func stopped() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1, concurrency: 2)) { fixture in
            let destination = fixture.destination
            destination.isHeld = true
            destination.answer = { $0 == [1] ? .failed(.network) : nil }
            try await fixture.add(ofSessions: [1, 2, 1, 2, 1, 2])
            try await eventually("both chains have begun") { destination.underWay.count == 2 }
            destination.letGo { $0 == [1] }
            try await eventually("the first has failed") { fixture.gate.breaker.state == .waiting }
            #expect(destination.underWay == [[2]])
            destination.isHeld = false
            try await fixture.rest()
            #expect(Set(destination.batches) == [[1], [2]])
            // The other chain's records are done, although the cursor waits for the first chain.
            #expect(fixture.courier.progress.cursor == 0)
            #expect(fixture.courier.progress.done == [2])
            #expect(fixture.courier.pending == 5)

            // A new start knows it as well.
            destination.answer = { _ in nil }
            try await fixture.restart()
            fixture.advance(seconds: 10)
            try await fixture.settle()
            #expect(destination.accepted.sorted() == [1, 2, 3, 4, 5, 6])
            #expect(fixture.courier.progress.accepted == 6)
            #expect(fixture.courier.pending == 0)
        }
    }

    @Test("several chains that fail at once are one failure, and each entry has lost one try")
    func together() async throws {
        var policy = RetryPolicy()
        policy.maxAttempts = 5
        try await CourierFixture.run(FakeDestination(batchLimit: 1, concurrency: 3), policy: policy) { fixture in
            fixture.destination.isHeld = true
            fixture.destination.answer = { _ in .failed(.server, status: 500) }
            try await fixture.add(ofSessions: [1, 2, 3, 1, 2, 3])
            try await eventually("all chains have begun") { fixture.destination.underWay.count == 3 }
            fixture.destination.isHeld = false
            try await fixture.rest()
            #expect(fixture.destination.batches.count == 3)
            #expect(fixture.gate.breaker.failures == 1)
            #expect(fixture.gate.breaker.state == .waiting)
            #expect(fixture.courier.progress.attempts == [1: 1, 2: 1, 3: 1])
        }
    }

    @Test("413 splits a parcel down to the record that is too large, which is a dead letter; the others arrive once")
    func split() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 8)) { fixture in
            fixture.destination.answer = { $0.contains(6) ? .failed(.tooLarge, status: 413) : nil }
            try await fixture.add(10)
            try await fixture.settle()
            #expect(
                fixture.destination.batches == [
                    [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4], [5, 6, 7, 8], [5, 6], [5], [6], [7, 8], [9, 10],
                ])
            #expect(fixture.destination.accepted == [1, 2, 3, 4, 5, 7, 8, 9, 10])
            #expect(fixture.courier.progress.accepted == 9)
            #expect(fixture.courier.progress.dropped == [.tooLarge: 1])
            let letters = try fixture.deadLetters()
            #expect(letters.map(\.sequence) == [6])
            #expect(letters.first?.cause == "tooLarge")
            #expect(letters.first?.status == 413)
            #expect(fixture.gate.breaker == Breaker())
        }
    }

    @Test("a failure among the halves leaves only what did not arrive")
    func splitAndFailure() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 4)) { fixture in
            fixture.destination.outcomes = [.failed(.tooLarge), .accepted, .failed(.network)]
            try await fixture.add(6)
            try await fixture.rest()
            #expect(fixture.destination.batches == [[1, 2, 3, 4], [1, 2], [3, 4]])
            #expect(fixture.courier.progress.cursor == 2)
            #expect(fixture.courier.pending == 4)
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("a parcel holds what fits into its bytes, and a record that is larger goes alone")
    func bytes() async throws {
        try await CourierFixture.run(FakeDestination(batchBytes: 1_000, gatherMilliseconds: 3_600_000)) { fixture in
            for count in [100, 100, 5_000, 400, 400, 400] {
                let text = Properties([("text", .string(String(repeating: "x", count: count)))])
                try await fixture.add([(.event, 1)], properties: text)
            }
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3], [4], [5], [6]])
        }
    }

    @Test("L9: no parcel follows another of its chain before the store knows what became of that one")
    func accounts() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1, concurrency: 3)) { fixture in
            let destination = fixture.destination
            fixture.isStoreHeld = true
            try await fixture.add(ofSessions: [1, 2, 3, 1, 2, 3, 1, 2, 3])
            try await eventually("each chain has delivered one") {
                destination.accepted.count >= 3 && destination.underWay.isEmpty
            }
            #expect(destination.accepted.sorted() == [1, 2, 3])
            #expect(fixture.courier.progress.accepted == 0)
            fixture.isStoreHeld = false
            try await fixture.settle()
            #expect(destination.accepted.count == 9)
            // Records that were delivered while the store wrote share an account.
            #expect(fixture.cursors.count < 9)
        }
    }
}
