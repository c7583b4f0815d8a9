import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// What costs an entry one of its tries, and what becomes of it when they are used up (row L5).
@Suite struct AttemptTests {
    private static func policy(_ maxAttempts: Int) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.maxAttempts = maxAttempts
        return policy
    }

    @Test(
        "L5: a server's fault costs a try, being offline or kept waiting none",
        arguments: [
            (.server, true, [1: 1, 2: 1]), (.server, false, [1: 1, 2: 1]), (.network, true, [1: 1, 2: 1]),
            (.network, false, [:]), (.throttled, true, [:]), (.quota, true, [:]), (.local, true, [:]),
        ] as [(DeliveryFailure.Kind, Bool, [UInt64: Int])])
    func cost(_ kind: DeliveryFailure.Kind, _ isOnline: Bool, _ attempts: [UInt64: Int]) async throws {
        try await CourierFixture.run(policy: Self.policy(5)) { fixture in
            fixture.gate.isOnline = isOnline
            fixture.destination.outcomes = [.failed(kind)]
            try await fixture.add(2)
            try await eventually("the failure is known") { fixture.gate.breaker.lastFailure?.kind == kind }
            try await fixture.rest()
            #expect(fixture.courier.progress.attempts == attempts)
            #expect(fixture.courier.progress.dropped == [:])
            #expect(fixture.courier.pending == 2)
        }
    }

    @Test("L5: an entry whose tries are used up is a dead letter, and the next one's turn comes", arguments: [1, 3])
    func usedUp(_ most: Int) async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1), policy: Self.policy(most)) { fixture in
            fixture.destination.answer = { $0 == [1] ? .failed(.server, status: 503) : nil }
            try await fixture.add(2)
            for _ in 0..<most {
                try await fixture.rest()
                fixture.advance(seconds: 1_000)
            }
            try await fixture.settle()
            #expect(fixture.destination.batches == Array(repeating: [1], count: most) + [[2]])
            #expect(fixture.courier.progress.dropped == [.attempts: 1])
            #expect(fixture.courier.progress.accepted == 1)
            #expect(fixture.courier.progress.attempts == [:])
            let letters = try fixture.deadLetters()
            #expect(letters.map(\.cause) == ["attempts"])
            #expect(letters.map(\.status) == [503])
        }
    }

    @Test("L5: without a limit nothing is given up, however often the server answers with a fault")
    func noLimit() async throws {
        var policy = RetryPolicy()
        policy.maxAttempts = nil
        try await CourierFixture.run(FakeDestination(batchLimit: 1), policy: policy) { fixture in
            fixture.destination.outcomes = Array(repeating: .failed(.server, status: 500), count: 12)
            try await fixture.add(2)
            for count in 1...12 {
                try await eventually("it was tried") { fixture.destination.batches.count == count }
                try await fixture.rest()
                fixture.advance(seconds: 1_000)
            }
            try await fixture.settle()
            #expect(fixture.courier.progress.accepted == 2)
            #expect(fixture.courier.progress.dropped == [:])
            #expect(fixture.courier.progress.attempts == [:])
        }
    }

    @Test("L5: tries are counted on after a new start")
    func restart() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2), policy: Self.policy(3)) { fixture in
            fixture.destination.answer = { $0.contains(1) ? .failed(.server, status: 500) : nil }
            try await fixture.add(3)
            for attempt in 1...2 {
                try await eventually("the failure is stored") { fixture.courier.progress.attempts[1] == attempt }
                try await fixture.restart()
                #expect(fixture.courier.progress.attempts == [1: attempt, 2: attempt])
                fixture.advance(seconds: 1_000)
            }
            try await fixture.rest()
            fixture.advance(seconds: 1_000)
            try await fixture.settle()
            #expect(fixture.courier.progress.dropped == [.attempts: 2])
            #expect(fixture.destination.accepted == [3])
        }
    }

    @Test("L6: the breaker lets one record pass as a probe; accepted, the rest follow")
    func probe() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 4), policy: Self.policy(50)) { fixture in
            fixture.destination.outcomes = Array(repeating: .failed(.network), count: 5)
            try await fixture.add(6)
            for _ in 0..<4 {
                try await fixture.rest()
                fixture.advance(seconds: 400)
            }
            try await fixture.rest()
            // The third failure opens it.
            #expect(fixture.destination.batches == [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1], [1]])
            #expect(fixture.gate.breaker.state == .open)
            fixture.advance(seconds: 400)
            try await fixture.settle()
            #expect(fixture.destination.batches.dropFirst(5) == [[1], [2, 3, 4, 5], [6]])
            // The probes did not reach the server, and cost nothing.
            #expect(fixture.courier.progress.accepted == 6)
            #expect(fixture.gate.breaker == Breaker())
        }
    }

    @Test("L5: a probe that the server answers with a fault costs a try, one that does not reach it none")
    func probeCost() async throws {
        for (kind, count) in [(DeliveryFailure.Kind.server, 4), (.network, 3)] {
            try await CourierFixture.run(policy: Self.policy(50)) { fixture in
                fixture.destination.outcomes = Array(repeating: .failed(kind), count: 4)
                try await fixture.add(2)
                for _ in 0..<3 {
                    try await fixture.rest()
                    fixture.advance(seconds: 400)
                }
                try await eventually("the probe has failed") { fixture.destination.batches.count == 4 }
                try await fixture.rest()
                #expect(fixture.courier.progress.attempts == [1: count, 2: 3], "\(kind)")
            }
        }
    }

    @Test("L6: while one lane probes, the other waits, and goes on when the probe was accepted")
    func probeOfTwoLanes() async throws {
        let logs = Lane("logs", DeliveryFilter(kinds: [.log]))
        try await CourierFixture.run(lanes: [logs], policy: Self.policy(50)) { fixture in
            fixture.destination.outcomes = Array(repeating: .failed(.network), count: 3)
            try await fixture.add(2)
            for _ in 0..<2 {
                try await fixture.rest()
                fixture.advance(seconds: 400)
            }
            try await fixture.rest()
            #expect(fixture.gate.breaker.state == .open)
            try await fixture.add([(.log, 1), (.log, 1)])
            fixture.destination.isHeld = true
            fixture.advance(seconds: 400)
            try await eventually("a probe is under way") { fixture.destination.isDelivering }
            for courier in fixture.couriers { courier.flush() }
            try await eventually("the other lane waits") { fixture.couriers.count { $0.isResting } == 1 }
            #expect(fixture.destination.underWay.map(\.count) == [1])
            fixture.destination.isHeld = false
            try await eventually("both lanes are through") { fixture.couriers.allSatisfy { $0.pending == 0 } }
            #expect(fixture.destination.accepted.sorted() == [1, 2, 3, 4])
        }
    }

    @Test("L6: a quota suspends until somebody resumes, over a new start too")
    func quota() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.outcomes = [.failed(.quota, status: 403)]
            try await fixture.add(1)
            try await fixture.rest()
            try await fixture.restart()
            fixture.advance(seconds: 1_000_000)
            try await fixture.rest()
            #expect(fixture.gate.breaker.state == .suspended)
            #expect(fixture.destination.batches == [[1]])
            fixture.gate.resume()
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1])
        }
    }

    @Test("L5: the return of the network ends the wait that its absence made, and no try was counted")
    func online() async throws {
        try await CourierFixture.run(policy: Self.policy(3)) { fixture in
            fixture.gate.isOnline = false
            fixture.destination.outcomes = Array(repeating: .failed(.network), count: 7)
            try await fixture.add(1)
            for _ in 0..<6 {
                try await fixture.rest()
                fixture.advance(seconds: 400)
            }
            try await fixture.rest()
            #expect(fixture.destination.batches.count == 7)
            fixture.gate.isOnline = true
            try await fixture.settle()
            #expect(fixture.destination.batches.count == 8)
            #expect(fixture.courier.progress.dropped == [:])
        }
    }
}
