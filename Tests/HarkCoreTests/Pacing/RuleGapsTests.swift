import HarkWire
import Testing

@testable import HarkCore

@Suite("What of the log a rule does not count yet")
struct RuleGapsTests {
    private static func gap(_ after: UInt64, _ through: UInt64, _ before: Int64? = nil) -> RuleGaps.Gap {
        RuleGaps.Gap(after: after, through: through, before: before.map { Timestamp(milliseconds: $0) })
    }

    @Test("a new rule lacks the whole log, one that was away what came meanwhile, and an empty log leaves nothing out")
    func inAndOut() {
        #expect(RuleGaps(newAt: 0).gaps.isEmpty)
        var gaps = RuleGaps(newAt: 7)
        #expect(gaps.gaps == [Self.gap(0, 7)])
        gaps.leave(at: 9)
        gaps.leave(at: 12)
        #expect(gaps.isOpen && !gaps.knows(within: nil, at: Stage.start))
        gaps.enter(counted: 20, last: 20)
        #expect(gaps.gaps == [Self.gap(0, 7), Self.gap(9, 20)])
        gaps.enter(counted: 20, last: 20)
        #expect(gaps.gaps.count == 2, "nothing came")
        gaps.enter(counted: 20, last: 23)
        #expect(gaps.gaps == [Self.gap(0, 7), Self.gap(9, 23)], "neighbours are one")
    }

    @Test("gaps are read the newest first, a page at a time, until none is left")
    func filled() throws {
        var gaps = RuleGaps(newAt: 5)
        gaps.leave(at: 8)
        gaps.enter(counted: 0, last: 20)
        var read: [RuleGaps.Gap] = []
        while let next = gaps.next(since: nil) {
            read.append(next.gap)
            gaps.fill(next.gap, downTo: max(next.gap.through, 4) - 4, since: nil)
        }
        #expect(read == [(8, 20), (8, 16), (8, 12), (0, 5), (0, 1)].map { Self.gap($0.0, $0.1) })
        #expect(gaps == RuleGaps() && gaps.knows(within: nil, at: Stage.start))
    }

    @Test("what is older than any rule looks back is left, and read once a rule looks back further")
    func lookingBack() throws {
        var gaps = RuleGaps(newAt: 10)
        let now = Timestamp(milliseconds: 1_000)
        let first = try #require(gaps.next(since: Timestamp(milliseconds: 800)))
        gaps.fill(first.gap, downTo: 6, since: first.since)
        #expect(gaps.gaps == [Self.gap(0, 6), Self.gap(6, 10, 800)] && !gaps.knows(within: 200, at: now))
        let second = try #require(gaps.next(since: Timestamp(milliseconds: 850)))
        #expect(second.since == Timestamp(milliseconds: 800), "as far back as what was read, so that both are one")
        gaps.fill(second.gap, downTo: 0, since: second.since)
        #expect(gaps.gaps == [Self.gap(0, 10, 800)])
        #expect(
            gaps.knows(within: 200, at: now) && !gaps.knows(within: 201, at: now) && !gaps.knows(within: nil, at: now))
        let further = try #require(gaps.next(since: Timestamp(milliseconds: 500)))
        #expect(further.gap == Self.gap(0, 10, 800) && gaps.next(since: Timestamp(milliseconds: 900)) == nil)
        gaps.fill(further.gap, downTo: 0, since: nil)
        #expect(gaps == RuleGaps())
    }

    @Test("they are packed as they are, at most so many of them, and what is not whole is left out")
    func packed() {
        var gaps = RuleGaps()
        for number in 0..<20 {
            gaps.leave(at: UInt64(number * 10 + 1))
            gaps.enter(counted: 0, last: UInt64(number * 10 + 5))
        }
        #expect(gaps.gaps.count == RuleGaps.most && gaps.gaps.last == Self.gap(191, 195))
        gaps.fill(Self.gap(191, 195), downTo: 191, since: Stage.start)
        gaps.leave(at: 300)
        #expect(RuleGaps(packed: gaps.packed) == gaps)
        #expect(RuleGaps(packed: Array(gaps.packed.dropLast())).gaps == gaps.gaps.dropLast())
        #expect(RuleGaps(packed: Array(gaps.packed.suffix(24) + gaps.packed.prefix(24))).gaps.count == 1)
    }
}
