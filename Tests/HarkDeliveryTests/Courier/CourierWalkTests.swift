import Glibc
import HarkTesting
import Testing

@testable import HarkDelivery

/// After any events in a lane, its books are right, and nothing is lost, out of order or needlessly sent twice.
@Suite struct CourierWalkTests {
    /// `make fuzz` asks for more, and for others.
    private static let count = number("HARK_COURIER_WALKS") ?? 6
    private static let seed = UInt64(number("HARK_COURIER_SEED") ?? 1)

    private static func number(_ variable: String) -> Int? { getenv(variable).flatMap { Int(String(cString: $0)) } }

    private static let terms = [
        CourierWalk.Terms(entries: 1, concurrency: 1), .init(entries: 3, concurrency: 1),
        .init(entries: 1, concurrency: 4), .init(entries: 2, concurrency: 3, isPatient: false),
        .init(entries: 1, concurrency: 2, isPatient: false, maxPending: 12),
        .init(entries: 5, concurrency: 2, maxPending: 20),
    ]

    @Test(
        "L9: delivered, dropped and pending are what was written, over removals, failures and crashes",
        arguments: terms.indices)
    func books(_ place: Int) async throws {
        let terms = Self.terms[place]
        for number in 0..<UInt64(Self.count) {
            let seed = Self.seed &* 1_000_003 &+ number &* 31 &+ UInt64(place)
            try await CourierFixture.run(terms.destination, policy: terms.policy) { fixture in
                let walk = CourierWalk(terms, fixture, seed: seed)
                do {
                    try await walk.walk(steps: 120)
                } catch {
                    Issue.record("seed \(seed): \(error)")
                }
            }
        }
    }

    @Test(
        "L9: the same of the state alone, and it never waits for nothing, in a hundred thousand steps",
        arguments: terms.indices)
    func state(_ place: Int) {
        var pagesAtHand = 0
        for number in 0..<UInt64(56 * Self.count / 6) {
            let seed = Self.seed &* 1_000_003 &+ number &* 31 &+ UInt64(place)
            let walk = CourierStateWalk(Self.terms[place], seed: seed)
            walk.walk(steps: 300)
            if let fault = walk.faults.first { Issue.record("seed \(seed): \(fault)") }
            pagesAtHand += walk.pagesAtHand
        }
        #expect(pagesAtHand > Self.count)
    }
}
