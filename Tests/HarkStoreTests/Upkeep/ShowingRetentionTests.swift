import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

/// Which closed showings go, against a plain model (row R1).
@Suite struct ShowingRetentionTests {
    private static let day: Int64 = 86_400_000
    private static let now = Timestamp(milliseconds: 2_000 * day)

    private static func fill(_ store: StoreUnderTest, _ random: inout SplitMix64) throws -> [Presentation] {
        var all: [Presentation] = []
        for number in 0..<80 {
            let closed = Timestamp(milliseconds: Int64(random.below(2_000)) * day)
            let user = UserKey(uid: random.pick([1000, 1001]), userId: random.pick([nil, "ada"]))
            var presentation = Presentation(
                id: Identifier(high: 3, low: UInt64(number)), survey: random.pick(["a", "b", "c"]), user: user,
                app: "default", origin: Identifier(high: 4, low: UInt64(number)), createdAt: closed,
                state: random.pick([.answered, .dismissed, .expired, .ready]), dueAt: closed)
            if !presentation.state.isOpen { presentation.closedAt = closed }
            all.append(presentation)
        }
        try store.commit(rows: all.map { .survey(.putPresentation($0)) })
        return all
    }

    private static func left(_ store: StoreUnderTest) throws -> Set<Identifier> {
        var found: Set<Identifier> = []
        _ = try store.reader.forEachPresentation(PresentationQuery()) { presentation, _ in found.insert(presentation.id)
        }
        return found
    }

    @Test("R1: age takes closed showings, a survey's own rule wins, and what is open stays", arguments: 1...6)
    func random(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let store = try StoreUnderTest()
        let all = try Self.fill(store, &random)
        var retention = ShowingRetention(
            uid: random.pick([nil, 1000]),
            cutoff: random.pick([nil, Self.now.adding(milliseconds: -730 * Self.day)]))
        if random.once(in: 2) { retention.ownCutoffs[ExactName("b")] = Self.now.adding(milliseconds: -100 * Self.day) }
        let gone = all.filter { presentation in
            guard let closed = presentation.closedAt, retention.uid.map({ $0 == presentation.user.uid }) ?? true else {
                return false
            }
            guard let cutoff = retention.ownCutoffs[ExactName(presentation.survey)] ?? retention.cutoff else {
                return false
            }
            return closed < cutoff
        }
        let rows = try store.reader.showings(beyond: retention, limit: .max)
        #expect((rows[.age] ?? []).count == gone.count)
        #expect(rows[.size] == nil)
        #expect(try store.reader.showings(beyond: retention, limit: 3)[.age, default: []].count == min(3, gone.count))
        let report = try store.commit(upkeep: [.removeShowings(rows[.age] ?? [], .age)])
        #expect(report.marked.map(\.showings) == [gone.count])
        #expect(try Self.left(store) == Set(all.map(\.id)).subtracting(gone.map(\.id)))
        #expect(try store.reader.totals().removedByRule[.age]?.showings == gone.count)
        try store.reopen()
        #expect(try store.reader.totals().removedByRule[.age]?.showings == gone.count)
    }

    @Test("R1: a store that is too large gives up showings last, and the oldest of them first")
    func size() throws {
        let store = try StoreUnderTest()
        try store.add("ada", endedAt: 1, events: 50, bytes: 1_000)
        var random = SplitMix64(state: 1)
        let all = try Self.fill(store, &random)
        let used = try store.reader.sessions(
            beyond: RetentionPolicy(maxStoreBytes: 1 << 40), of: .everybody, now: Self.now)
        #expect(used.rows.isEmpty && used.excess == 0)
        // The session alone is enough.
        let fileBytes = Int64(try store.writer.database.integer("PRAGMA page_count") ?? 0) * 4_096
        let enough = try store.reader.sessions(
            beyond: RetentionPolicy(maxStoreBytes: fileBytes - 20_000), of: .everybody, now: Self.now)
        #expect(enough.rows[.size]?.count == 1 && enough.excess == 0)
        // Nothing is small enough.
        let tooMuch = try store.reader.sessions(
            beyond: RetentionPolicy(maxStoreBytes: 1), of: .everybody, now: Self.now)
        #expect(tooMuch.rows[.size]?.count == 1 && tooMuch.excess > 0)
        var retention = ShowingRetention()
        retention.excess = 500
        let rows = try store.reader.showings(beyond: retention, limit: .max)
        #expect(rows[.age] == nil)
        try store.commit(upkeep: [.removeShowings(rows[.size] ?? [], .size)])
        let oldest = all.filter { $0.closedAt != nil }.sorted { ($0.closedAt ?? Self.now) < ($1.closedAt ?? Self.now) }
        let left = try Self.left(store)
        #expect(left.count == all.count - (rows[.size]?.count ?? 0) && rows[.size]?.isEmpty == false)
        #expect(oldest.first.map { left.contains($0.id) } == false)
        #expect(oldest.last.map { left.contains($0.id) } == true)
    }
}
