import Glibc
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// What a server will never take: dead letters, and having them tried again (row L9).
@Suite struct RefusalTests {
    @Test("L9: a record that is refused is a dead letter with the server's answer, and delivery goes on")
    func refused() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2), policy: RetryPolicy()) { fixture in
            fixture.destination.answer = { $0.contains(3) ? .failed(.refused, status: 422) : nil }
            try await fixture.add(6)
            try await fixture.settle()
            #expect(fixture.destination.batches == [[1, 2], [3, 4], [3], [4], [5, 6]])
            #expect(fixture.courier.progress.dropped == [.refused: 1])
            #expect(fixture.gate.breaker == Breaker())
            let letters = try fixture.deadLetters()
            #expect(letters.map(\.sequence) == [3])
            for letter in letters {
                #expect(letter.destination == "fake")
                #expect(letter.lane == "fake")
                #expect(letter.session == 1)
                #expect(letter.at == fixture.clock.now)
                #expect(letter.status == 422)
                #expect(letter.reason == "refused")
                #expect(letter.replays == 0)
            }
        }
    }

    @Test("L9: a wrong key makes a dead letter and a pause, so that it does not empty the buffer")
    func unauthorized() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1), policy: RetryPolicy()) { fixture in
            fixture.destination.outcomes = [.failed(.unauthorized, status: 401), .failed(.unauthorized, status: 401)]
            try await fixture.add(4)
            try await fixture.rest()
            #expect(fixture.destination.batches == [[1]])
            #expect(fixture.gate.breaker.state == .open)
            #expect(fixture.courier.pending == 3)
            fixture.advance(seconds: 1)
            try await eventually("the probe was refused") { fixture.destination.batches.count == 2 }
            try await fixture.rest()
            #expect(fixture.gate.breaker.state == .open)
            fixture.advance(seconds: 400)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [3, 4])
            #expect(fixture.courier.progress.dropped == [.refused: 2])
        }
    }

    @Test("what cannot be put into a request is a dead letter, and says nothing about the server")
    func unsendable() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1), policy: RetryPolicy()) { fixture in
            let destination = fixture.destination
            destination.outcomes = [.failed(.network), .failed(.unsendable), .failed(.network), .failed(.network)]
            try await fixture.add(5)
            try await fixture.rest()
            fixture.advance(seconds: 1)
            try await eventually("the letter is dead") { destination.batches.count == 3 }
            try await fixture.rest()
            #expect(fixture.courier.progress.dropped == [.tooLarge: 1])
            #expect(fixture.gate.breaker.failures == 2)
            fixture.advance(seconds: 10)
            try await eventually("the third failure") { destination.batches.count == 4 }
            try await fixture.rest()
            #expect(fixture.gate.breaker.state == .open)

            // As a probe it opens nothing: another one goes.
            destination.outcomes = [.failed(.unsendable), .failed(.network)]
            fixture.advance(seconds: 400)
            try await eventually("another probe was sent") { destination.batches.count == 6 }
            try await fixture.rest()
            #expect(destination.batches == [[1], [1], [2], [2], [2], [3]])
            #expect(fixture.gate.breaker.state == .open)
            #expect(fixture.gate.breaker.failures == 4)
        }
    }

    @Test("of a parcel taken in part, so many count as refused")
    func partly() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.outcomes = [.partlyRefused(2, reason: "no body")]
            try await fixture.add(5)
            try await fixture.settle()
            #expect(fixture.courier.progress.accepted == 3)
            #expect(fixture.courier.progress.dropped == [.refused: 2])
            #expect(try fixture.deadLetters().isEmpty)
        }
    }

    /// Records 1 to `count`, all of them dead letters.
    private static func withLetters(
        _ count: Int, batchLimit: Int = 2,
        _ body: @escaping @DaemonActor @Sendable (CourierFixture) async throws -> Void
    ) async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: batchLimit), policy: RetryPolicy()) { fixture in
            fixture.destination.answer = { _ in .failed(.refused, status: 400) }
            try await fixture.add(count)
            try await fixture.settle()
            #expect(fixture.courier.progress.dropped == [.refused: count])
            fixture.destination.answer = { _ in nil }
            try await body(fixture)
        }
    }

    @Test("L9: dead letters that are accepted on another try count as delivered, and are letters no more")
    func replay() async throws {
        try await Self.withLetters(5) { fixture in
            try await fixture.haveTriedAgain([1, 2, 4])
            try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
            #expect(fixture.destination.accepted == [1, 2, 4])
            #expect(fixture.courier.progress.accepted == 3)
            #expect(fixture.courier.progress.dropped == [.refused: 2])
            #expect(try fixture.deadLetters().map(\.sequence) == [3, 5])
        }
    }

    @Test("L9: dead letters are tried again too if that is asked for while a pass looks for others")
    func replayMeanwhile() async throws {
        try await Self.withLetters(2) { fixture in
            fixture.courier.hasReplays = true
            fixture.courier.flush()
            // The pass asks for letters; the loop then stands still until it has been answered that there are none.
            await earlierJobs()
            // Who stands still cannot ask whether it has been.
            usleep(20_000)
            fixture.markForAnotherTry()
            try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
            #expect(fixture.destination.accepted == [1, 2])
            #expect(try fixture.deadLetters().isEmpty)
        }
    }

    @Test("L9: a dead letter that is refused again stays one, and remembers that it was tried")
    func refusedAgain() async throws {
        try await Self.withLetters(2) { fixture in
            for turn in 1...2 {
                fixture.destination.answer = { _ in .failed(.refused, status: 409) }
                try await fixture.haveTriedAgain()
                try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
                let letters = try fixture.deadLetters()
                #expect(letters.map(\.replays) == [turn, turn])
                #expect(letters.map(\.status) == [409, 409])
                #expect(fixture.courier.progress.dropped == [.refused: 2])
                #expect(fixture.destination.batches.suffix(3) == [[1, 2], [1], [2]])
                #expect(fixture.destination.batches.count == 3 + 3 * turn)
            }
        }
    }

    @Test("L9: when the server is away, dead letters wait for it, over a new start too")
    func replayLater() async throws {
        try await Self.withLetters(3) { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.haveTriedAgain()
            try await fixture.rest()
            #expect(fixture.courier.progress.dropped == [.refused: 3])
            try await fixture.restart()
            fixture.courier.hasReplays = true
            fixture.advance(seconds: 10)
            try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
            #expect(fixture.destination.accepted == [1, 2, 3])
            #expect(try fixture.deadLetters().isEmpty)
        }
    }

    @Test("L9: the letter of a record that is gone goes, and sends nothing")
    func replayOfTheGone() async throws {
        try await Self.withLetters(2) { fixture in
            try await fixture.add(ofSessions: [2])
            try await fixture.settle()
            try await fixture.remove(1)
            let before = fixture.destination.batches.count
            try await fixture.haveTriedAgain()
            try await eventually("the letters are gone") { try fixture.deadLetters().isEmpty }
            #expect(fixture.destination.batches.count == before)
            #expect(fixture.courier.progress.dropped == [.refused: 2])
            #expect(fixture.courier.progress.accepted == 1)
        }
    }

    @Test("L9: of dead letters taken in part on another try, so many stay refused")
    func replayPartly() async throws {
        try await Self.withLetters(4, batchLimit: 4) { fixture in
            fixture.destination.outcomes = [.partlyRefused(1, reason: "no body")]
            try await fixture.haveTriedAgain()
            try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
            #expect(fixture.courier.progress.accepted == 3)
            #expect(fixture.courier.progress.dropped == [.refused: 1])
        }
    }

    @Test("L9: more dead letters than are tried at a time are all tried")
    func manyReplays() async throws {
        try await Self.withLetters(600, batchLimit: 100) { fixture in
            try await fixture.haveTriedAgain()
            try await eventually("they were tried") { !fixture.courier.hasReplays && fixture.courier.isResting }
            #expect(fixture.destination.accepted == Array(1...600))
            #expect(fixture.courier.progress.accepted == 600)
            #expect(fixture.courier.progress.dropped == [:])
        }
    }

    @Test("L6: with the breaker open, a dead letter is the probe, and one only")
    func replayAsProbe() async throws {
        try await Self.withLetters(3) { fixture in
            fixture.destination.outcomes = [.failed(.throttled, status: 429, retryAfter: 60)]
            try await fixture.add(1)
            try await fixture.rest()
            try await fixture.haveTriedAgain()
            let before = fixture.destination.batches.count
            fixture.advance(seconds: 60)
            try await eventually("all is delivered") {
                !fixture.courier.hasReplays && fixture.courier.pending == 0 && fixture.courier.isResting
            }
            #expect(fixture.destination.batches.dropFirst(before).first == [1])
            #expect(fixture.destination.accepted == [1, 2, 3, 4])
        }
    }
}
