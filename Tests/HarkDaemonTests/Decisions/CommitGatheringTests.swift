import Testing

@testable import HarkDaemon
@testable import HarkLedger

/// How long a commit waits for clients that have just been answered.
@Suite struct CommitGatheringTests {
    /// Commits of 400 µs. The last one ended at `now`, and answered that many clients.
    private func gathering(answered: Int, waiting: Int = 0, now: UInt64 = 1_000_000) -> CommitGathering {
        var gathering = CommitGathering()
        for _ in 0..<200 {
            gathering.commitEnded(microseconds: 400, answered: answered, waiting: waiting, at: now)
        }
        return gathering
    }

    @Test("one client alone never waits")
    func alone() {
        #expect(gathering(answered: 1).delay(waiting: 1, bytes: 300, at: 1_000_000) == nil)
        #expect(CommitGathering().delay(waiting: 1, bytes: 300, at: 0) == nil)
    }

    @Test("the first that is back waits for the others, for half of what a commit takes")
    func together() throws {
        let gathering = gathering(answered: 8)
        let delay = try #require(gathering.delay(waiting: 1, bytes: 300, at: 1_000_000))
        #expect((150...200).contains(delay))
        #expect(gathering.delay(waiting: 7, bytes: 300, at: 1_000_100) == delay - 100)
        #expect(gathering.delay(waiting: 8, bytes: 300, at: 1_000_100) == nil)
        #expect(gathering.delay(waiting: 1, bytes: 300, at: 1_000_000 + delay) == nil)
    }

    @Test("those who wait already are joined by those who were answered")
    func groups() {
        let gathering = gathering(answered: 4, waiting: 4)
        #expect(gathering.delay(waiting: 4, bytes: 300, at: 1_000_000) != nil)
        #expect(gathering.delay(waiting: 8, bytes: 300, at: 1_000_000) == nil)
    }

    @Test("where as much has gathered as the loop deals with while a commit takes, nobody waits for more")
    func muchGathered() {
        let gathering = gathering(answered: 8)
        // 400 µs, less the lag of the average.
        #expect(gathering.delay(waiting: 3, bytes: 90_000, at: 1_000_000) != nil)
        #expect(gathering.delay(waiting: 3, bytes: 110_000, at: 1_000_000) == nil)
        var slow = CommitGathering()
        for _ in 0..<200 { slow.commitEnded(microseconds: 20_000, answered: 8, waiting: 0, at: 0) }
        #expect(slow.delay(waiting: 3, bytes: 110_000, at: 0) != nil, "a slow disk is worth waiting for more")
    }

    @Test("nobody waits for a client that is gone")
    func gone() {
        var gathering = gathering(answered: 2)
        #expect(gathering.delay(waiting: 1, bytes: 300, at: 1_000_000) != nil)
        gathering.clientLeft()
        #expect(gathering.delay(waiting: 1, bytes: 300, at: 1_000_000) == nil)
        for _ in 0..<5 { gathering.clientLeft() }
        #expect(gathering.delay(waiting: 1, bytes: 300, at: 1_000_000) == nil)
    }

    @Test("what goes along with nobody waiting does not wait, and on a slow disk nobody waits for long")
    func bounds() {
        #expect(gathering(answered: 8).delay(waiting: 0, bytes: 300, at: 1_000_000) == nil)
        var slow = CommitGathering()
        for _ in 0..<200 { slow.commitEnded(microseconds: .max, answered: 8, waiting: 0, at: 0) }
        #expect(slow.delay(waiting: 1, bytes: 300, at: 0) == 500)
    }

    @Test("the loop waits for a commit itself where the disk is quick and there is little to write")
    func short() {
        #expect(!CommitGathering().isShort(records: 1, bytes: 100), "nothing is known of the disk")
        let quick = gathering(answered: 1)
        #expect(quick.isShort(records: 128, bytes: 65_536))
        #expect(!quick.isShort(records: 129, bytes: 100) && !quick.isShort(records: 1, bytes: 65_537))
        var slow = quick
        for _ in 0..<4 { slow.commitEnded(microseconds: 5_000, answered: 1, waiting: 0, at: 0) }
        #expect(!slow.isShort(records: 1, bytes: 100))
    }
}
