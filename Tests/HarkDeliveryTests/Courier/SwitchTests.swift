import Glibc
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Synchronization
import Testing

@testable import HarkDelivery

/// A lane that is turned off and on, and what was recorded meanwhile (row L3, `enabled`).
@Suite struct SwitchTests {
    private static func run(
        _ body: @escaping @DaemonActor @Sendable (CourierFixture) async throws -> Void
    ) async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 4) { $0.skipsWhileOff = true }, body)
    }

    @Test("L3: what is recorded while a lane is off is never sent, what came before is once it is on again")
    func skip() async throws {
        try await Self.run { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(3)
            try await fixture.rest()
            await fixture.courier.turn(on: false)
            #expect(fixture.courier.state == .off)
            try await fixture.add(4)
            fixture.advance(seconds: 100)
            #expect(fixture.courier.state == .off)
            #expect(fixture.courier.pending == 3)
            await fixture.courier.turn(on: true)
            try await fixture.add(2)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1, 2, 3, 8, 9])
            #expect(fixture.courier.progress.accepted == 5)
            #expect(fixture.courier.progress.dropped == [:])
            #expect(fixture.courier.pending == 0)
            #expect(fixture.courier.progress.skips.isEmpty)
        }
    }

    @Test("L3: it is off over a new start, and nothing of that time is sent")
    func restartWhileOff() async throws {
        try await Self.run { fixture in
            try await fixture.add(2)
            try await fixture.settle()
            await fixture.courier.turn(on: false)
            try await fixture.add(2)
            try await fixture.restart(isOn: false)
            try await fixture.add(2)
            try await fixture.restart(isOn: true)
            try await fixture.add(2)
            fixture.courier.flush()
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1, 2, 7, 8])
        }
    }

    @Test("L3: off and on more than once, with something left each time")
    func twice() async throws {
        try await Self.run { fixture in
            fixture.destination.answer = { _ in .failed(.network) }
            for _ in 0..<3 {
                try await fixture.add(2)
                try await fixture.rest()
                await fixture.courier.turn(on: false)
                try await fixture.add(2)
                await fixture.courier.turn(on: true)
            }
            #expect(fixture.courier.pending == 6)
            try await fixture.restart()
            #expect(fixture.courier.progress.skips == [3...4, 7...8, 11...12])
            fixture.destination.answer = { _ in nil }
            fixture.advance(seconds: 1_000)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [1, 2, 5, 6, 9, 10])
            #expect(fixture.courier.progress.accepted == 6)
        }
    }

    @Test("off and on again while a pass is under way, it ends as it was told last", arguments: [true, false])
    func quickly(_ isOn: Bool) async throws {
        try await Self.run { fixture in
            fixture.destination.isHeld = true
            try await fixture.add(1)
            try await eventually("a delivery is under way") { fixture.destination.isDelivering }
            let courier = try #require(fixture.courier)
            let turns = [!isOn, isOn, !isOn, isOn].map { on in DaemonActor.task { await courier.turn(on: on) } }
            fixture.destination.isHeld = false
            for turn in turns { await turn.value }
            #expect(courier.isOn == isOn)
            #expect(courier.progress.pausedAt == (isOn ? nil : 1))
        }
    }

    @Test(
        "turned on and off while what waits is being counted, it ends as it was told last",
        arguments: [[true, true], [true, false], [true, false, true], [true, true, true, false]])
    func whileCounting(_ turns: [Bool]) async throws {
        try await CourierFixture.run { fixture in
            await fixture.courier.turn(on: false)
            try await fixture.add(2)
            try await fixture.restart(isOn: false)
            let courier = try #require(fixture.courier)
            #expect(courier.pending == nil)
            let reader = fixture.reader
            let hold = Hold()
            DaemonActor.task { await reader.work { hold.wait() } }
            try await eventually("the reader is busy") { hold.isReached }
            let tasks = turns.map { on in DaemonActor.task { await courier.turn(on: on) } }
            await earlierJobs()
            hold.end()
            for task in tasks { await task.value }
            #expect(courier.isOn == turns.last)
        }
    }

    @Test("an event that comes while the lane is off is none of its records when its session is removed")
    func removedWhileOff() async throws {
        try await Self.run { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(ofSessions: [1, 2])
            try await fixture.rest()
            await fixture.courier.turn(on: false)
            try await fixture.add(ofSessions: [1, 1, 2])
            try await fixture.remove(1)
            #expect(await fixture.courier.forget(fixture.session(1)).reason == nil)
            #expect(fixture.courier.progress.dropped == [.removed: 1])
            #expect(fixture.courier.pending == 1)
            await fixture.courier.turn(on: true)
            fixture.advance(seconds: 100)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [2])
            #expect(fixture.courier.progress.accepted == 1)
        }
    }
}
