import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

/// Removed sessions leave the buffers, and are accounted for.
@Suite struct ForgetTests {
    @Test("what is not sent yet of a removed session never is; the others go on, in order")
    func pending() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(ofSessions: [1, 2, 1, 2, 3, 1])
            try await fixture.rest()
            try await fixture.remove(1)
            let forgotten = await fixture.courier.forget(fixture.session(1))
            #expect(forgotten.reason == nil)
            #expect(!forgotten.hadReceived)
            #expect(fixture.courier.progress.dropped == [.removed: 3])
            #expect(fixture.courier.pending == 3)
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [2, 4, 5])
            #expect(fixture.courier.progress.accepted == 3)
            #expect(fixture.courier.progress.dropped == [.removed: 3])
        }
    }

    @Test("a removal before anything was counted after a start leaves the count right", arguments: [1, 2, 3])
    func atStart(_ removed: Int) async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2) { $0.maxPending = 100 }) { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(ofSessions: [1, 2, 1, 2, 3, 1, 3])
            try await fixture.rest()
            try await fixture.restart()
            try await fixture.remove(removed)
            _ = await fixture.courier.forget(fixture.session(removed))
            let gone = [1: 3, 2: 2, 3: 2][removed] ?? 0
            #expect(fixture.courier.pending == 7 - gone)
            fixture.courier.begin()
            try await eventually("nothing is under way") { fixture.courier.isResting }
            #expect(fixture.courier.pending == 7 - gone)
            #expect(fixture.courier.progress.dropped == [.removed: gone])
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.courier.progress.accepted == 7 - gone)
            #expect(fixture.courier.progress.dropped == [.removed: gone])
        }
    }

    @Test("what is done beyond the cursor is not counted as pending after a start, removed since or not")
    func doneBeyond() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1, concurrency: 2)) { fixture in
            let destination = fixture.destination
            destination.isHeld = true
            destination.answer = { $0 == [1] ? .failed(.network) : nil }
            // Sessions 2 and 4 share a chain.
            try await fixture.add(ofSessions: [1, 2, 1, 4, 1])
            try await eventually("both chains have begun") { destination.underWay.count == 2 }
            destination.letGo { $0 == [2] }
            try await eventually("the second has its next") { destination.underWay.contains([4]) }
            destination.isHeld = false
            try await fixture.rest()
            #expect(fixture.courier.progress.done == [2, 4])
            #expect(fixture.courier.pending == 3)
            // The mark is set, but nobody was told to forget before the end.
            try await fixture.remove(2)
            try await fixture.restart()
            fixture.courier.begin()
            try await eventually("it is counted") { fixture.courier.pending != nil && fixture.courier.isResting }
            #expect(fixture.courier.pending == 3)
            #expect(await fixture.courier.forget(fixture.session(2)).hadReceived)
            destination.answer = { _ in nil }
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.courier.progress.accepted == 5)
            #expect(fixture.courier.progress.dropped == [:])
        }
    }

    @Test("whether the destination has received something of a session is told")
    func received() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1)) { fixture in
            try await fixture.add(ofSessions: [1, 2])
            try await fixture.settle()
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(ofSessions: [2, 3])
            try await fixture.rest()
            for (session, hadReceived) in [(1, true), (2, true), (3, false)] {
                try await fixture.remove(session)
                #expect(await fixture.courier.forget(fixture.session(session)).hadReceived == hadReceived)
            }
            #expect(fixture.courier.progress.dropped == [.removed: 2])
        }
    }

    @Test("a lane that began later has received nothing of what was before")
    func before() async throws {
        try await CourierFixture.run { fixture in
            try await fixture.add(2)
            try await fixture.settle()
            try fixture.makeCourier(cursor: 2)
            try await fixture.remove(1)
            let forgotten = await fixture.courier.forget(fixture.session())
            #expect(!forgotten.hadReceived)
            #expect(fixture.courier.progress.dropped == [:])
        }
    }

    @Test("a destination that cannot forget, or a store that refuses the account, says so, and counts once")
    func refused() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(3)
            try await fixture.rest()
            try await fixture.remove(1)
            fixture.refusals = 1
            #expect(await fixture.courier.forget(fixture.session()).reason == CourierState.refusedByStore)
            #expect(fixture.courier.progress.dropped == [:])
            #expect(fixture.destination.forgotten == [])
            fixture.destination.cannotForget = "the disk is full"
            #expect(await fixture.courier.forget(fixture.session()).reason == "the disk is full")
            fixture.destination.cannotForget = nil
            #expect(await fixture.courier.forget(fixture.session()).reason == nil)
            #expect(fixture.courier.progress.dropped == [.removed: 3])
            #expect(fixture.courier.pending == 0)
            #expect(fixture.destination.forgotten == [1, 1])
        }
    }

    @Test("a session whose removal nobody told of is passed over, and counted as removed")
    func hidden() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 2)) { fixture in
            fixture.destination.outcomes = [.failed(.network)]
            try await fixture.add(ofSessions: [1, 2, 2, 1, 1, 2])
            try await fixture.rest()
            try await fixture.remove(1)
            fixture.advance(seconds: 1)
            try await fixture.settle()
            #expect(fixture.destination.accepted == [2, 3, 6])
            #expect(fixture.courier.progress.dropped == [.removed: 3])
            #expect(fixture.courier.pending == 0)
            _ = await fixture.courier.forget(fixture.session(1))
            #expect(fixture.courier.progress.dropped == [.removed: 3])
        }
    }

    @Test("what is passed over of a session whose removal nobody told of is counted before a crash can come")
    func hiddenBeforeCrash() async throws {
        try await CourierFixture.run(FakeDestination(batchLimit: 1)) { fixture in
            let destination = fixture.destination
            destination.answer = { _ in .failed(.network) }
            // More than a page.
            try await fixture.add(ofSessions: [1, 2, 1] + Array(repeating: 2, count: 60))
            try await fixture.rest()
            try await fixture.remove(1)
            destination.answer = { $0[0] < 50 ? nil : .failed(.network) }
            fixture.advance(seconds: 10)
            try await eventually("some are delivered") { destination.accepted.last == 49 }
            try await fixture.rest()
            try await fixture.crash()
            await fixture.courier.count()
            #expect(fixture.courier.progress.accepted == 47)
            #expect(fixture.courier.progress.dropped == [.removed: 2])
            #expect(fixture.courier.pending == 14)
        }
    }

    @Test("a courier that was replaced keeps no account of a removal; the one in its place does")
    func replaced() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.answer = { _ in .failed(.network) }
            try await fixture.add(ofSessions: [1, 2])
            try await fixture.rest()
            try await fixture.remove(1)
            let old = try #require(fixture.courier)
            try await fixture.restart()
            let stored = fixture.cursors.count
            _ = await old.forget(fixture.session(1))
            #expect(fixture.cursors.count == stored)
            _ = await fixture.courier.forget(fixture.session(1))
            #expect(fixture.courier.progress.dropped == [.removed: 1])
            #expect(fixture.courier.pending == 1)
        }
    }

    @Test("sessions that are gone from the log are not carried along in the account for ever")
    func swept() async throws {
        try await CourierFixture.run { fixture in
            fixture.destination.answer = { _ in .failed(.network) }
            try await fixture.add(ofSessions: [9, 1, 2])
            try await fixture.rest()
            for session in 1...2 {
                try await fixture.remove(session)
                _ = await fixture.courier.forget(fixture.session(session))
            }
            #expect(fixture.courier.progress.removed.count == 2)
            try await fixture.sweep(1)
            fixture.advance(seconds: 10)
            try await eventually("it is tried again") { fixture.destination.batches.count >= 2 }
            try await fixture.rest()
            #expect(Array(fixture.courier.progress.removed.keys) == [2])
            #expect(fixture.courier.progress.dropped == [.removed: 2])
            #expect(fixture.courier.pending == 1)
        }
    }
}
