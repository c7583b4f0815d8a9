import HarkCore
import HarkSystem
import HarkTesting
import Testing

@testable import HarkDelivery

/// A caller that waits for a record to be confirmed gets one answer in every case (row L2).
@Suite struct WatcherTests {
    /// The answers that a caller got.
    @DaemonActor
    private final class Watcher {
        private(set) var answers: [String] = []

        init(_ sequence: UInt64, _ courier: Courier) {
            courier.watch(sequence) { [self] result in
                switch result {
                case .success: answers.append("accepted")
                case .failure(let failure): answers.append("\(failure.kind)")
                }
            }
        }
    }

    @Test(
        "L2: what the server says is told, once",
        arguments: [
            ([], "accepted"), ([.failed(.network)], "network"), ([.failed(.server, status: 500)], "server"),
            ([.failed(.throttled, status: 429)], "throttled"), ([.failed(.quota, status: 403)], "quota"),
            ([.failed(.refused, status: 400)], "refused"), ([.failed(.unauthorized, status: 401)], "unauthorized"),
            ([.failed(.tooLarge, status: 413)], "tooLarge"), ([.failed(.unsendable)], "unsendable"),
            ([.failed(.local)], "local"), ([.partlyRefused(1, reason: "no")], "refused"),
        ] as [([DeliveryOutcome], String)])
    func told(_ outcomes: [DeliveryOutcome], _ answer: String) async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1), policy: RetryPolicy()) { fixture in
            let watcher = Watcher(1, fixture.courier)
            fixture.destination.outcomes = outcomes
            try await fixture.add(1)
            try await eventually("there is an answer") { !watcher.answers.isEmpty }
            #expect(watcher.answers == [answer])
            // Later outcomes are not reported any more.
            try await fixture.rest()
            fixture.gate.resume()
            fixture.advance(seconds: 100_000)
            try await fixture.settle()
            #expect(watcher.answers == [answer])
        }
    }

    @Test("L2: while nothing passes, the reason is told at once", arguments: [false, true])
    func waiting(_ keeps: Bool) async throws {
        try await CourierFixture.run(FakeDestination { $0.keepsFailed = keeps }) { fixture in
            fixture.destination.outcomes = [.failed(.throttled, status: 429, retryAfter: 3_600)]
            try await fixture.add(1)
            try await fixture.rest()
            let watcher = Watcher(2, fixture.courier)
            try await fixture.add(1)
            fixture.courier.flush()
            try await eventually("there is an answer") { !watcher.answers.isEmpty }
            #expect(watcher.answers == ["throttled"])
            #expect(fixture.destination.batches == [[1]])
            // Answered is answered.
            fixture.advance(seconds: 3_600)
            try await fixture.settle()
            #expect(watcher.answers == ["throttled"])
        }
    }

    @Test("L2: what is too old, or removed, is told as not delivered")
    func dropped() async throws {
        try await CourierFixture.run(FakeDestination(gatherMilliseconds: 3_600_000) { $0.maxAge = 60 }) { fixture in
            let (old, gone) = (Watcher(1, fixture.courier), Watcher(2, fixture.courier))
            try await fixture.add(ofSessions: [1, 2])
            try await fixture.remove(2)
            _ = await fixture.courier.forget(fixture.session(2))
            #expect(gone.answers == ["dropped"])
            fixture.clock.advance(seconds: 61)
            fixture.courier.flush()
            try await eventually("there is an answer") { !old.answers.isEmpty }
            #expect(old.answers == ["dropped"])
            #expect(gone.answers == ["dropped"])
        }
    }

    @Test("L2: a record that vanished without a word is told as not delivered")
    func hidden() async throws {
        try await CourierFixture.run(FakeDestination(gatherMilliseconds: 3_600_000)) { fixture in
            let (gone, other) = (Watcher(1, fixture.courier), Watcher(2, fixture.courier))
            try await fixture.add(ofSessions: [1, 2])
            try await fixture.remove(1)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(gone.answers == ["dropped"])
            #expect(other.answers == ["accepted"])
        }
    }

    @Test("L2: an account that the store refuses confirms nothing; the next one does")
    func refusedAccount() async throws {
        try await CourierFixture.run { fixture in
            let watcher = Watcher(1, fixture.courier)
            fixture.refusals = 1
            try await fixture.add(1)
            try await eventually("the refusal is known") { fixture.courier.fault != nil }
            #expect(watcher.answers == [])
            fixture.courier.flush()
            try await fixture.settle()
            #expect(watcher.answers == ["accepted"])
            #expect(fixture.courier.fault == nil)
        }
    }

    @Test("L2: at the end everybody is told, and nobody twice")
    func stopped() async throws {
        try await CourierFixture.run { fixture in
            let watcher = Watcher(1, fixture.courier)
            fixture.destination.isHeld = true
            try await fixture.add(1)
            try await eventually("a delivery is under way") { fixture.destination.isDelivering }
            let courier = try #require(fixture.courier)
            courier.stop()
            #expect(watcher.answers == ["local"])
            fixture.destination.isHeld = false
            try await eventually("the pass is over") { courier.isResting }
            #expect(watcher.answers == ["local"])
        }
    }

    @Test("L2: who no longer watches is not told")
    func unwatched() async throws {
        try await CourierFixture.run { fixture in
            let watcher = Watcher(1, fixture.courier)
            fixture.courier.unwatch(1)
            try await fixture.add(1)
            try await fixture.settle()
            #expect(watcher.answers == [])
        }
    }
}
