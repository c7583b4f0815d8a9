import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

/// Which sessions a policy removes, against a plain model (row E9).
@Suite struct RetentionTests {
    private static let day: Int64 = 86_400_000
    private static let now = Timestamp(milliseconds: 100 * day)

    private struct Kept {
        let session: SessionIdentity
        let endedAt: Int64?
        let isCurrent: Bool
        let events: Int
    }

    /// Sessions of several users of two uids over a hundred days, in an order that is not that of their starts.
    private static func fill(_ store: StoreUnderTest, _ random: inout SplitMix64) throws -> [Kept] {
        var kept: [Kept] = []
        var currentScopes: Set<Scope> = []
        for _ in 0..<90 {
            let uid = random.pick([1000, 1001] as [UInt32])
            let app = random.pick(["default", "kiosk"])
            let startedAt = Int64(random.below(100)) * day + Int64(random.below(3))
            let isCurrent = random.once(in: 12) && currentScopes.insert(Scope(uid: uid, app: app)).inserted
            let endedAt = isCurrent || random.once(in: 6) ? nil : startedAt + Int64(random.below(3)) * day
            let events = random.below(3)
            let session = try store.add(
                random.pick([nil, "ada", "bob"]), uid: uid, app: app, startedAt: startedAt, endedAt: endedAt,
                isCurrent: isCurrent, events: events)
            kept.append(Kept(session: session, endedAt: endedAt, isCurrent: isCurrent, events: events))
        }
        return kept
    }

    /// The rows that must go, by the words of the policy.
    private static func expected(_ policy: RetentionPolicy, _ scope: RetentionScope, _ kept: [Kept]) -> Set<Int64> {
        func isMeant(_ session: SessionIdentity) -> Bool {
            switch scope {
            case .everybody: true
            case .uid(let uid): session.scope.uid == uid
            case .user(let uid, let userId): session.scope.uid == uid && session.userId == userId
            }
        }
        var gone: Set<Int64> = []
        if let days = policy.maxAgeDays {
            let cutoff = now.milliseconds - Int64(days) * day
            for entry in kept where (entry.endedAt ?? entry.session.startedAt.milliseconds) < cutoff {
                gone.insert(entry.session.row)
            }
            gone = gone.filter { row in kept.contains { $0.session.row == row && isMeant($0.session) && !$0.isCurrent }
            }
        }
        if let most = policy.maxSessionsPerUser {
            let left = kept.filter { !gone.contains($0.session.row) && isMeant($0.session) }
            let users = Dictionary(grouping: left) { "\($0.session.scope.uid) \($0.session.userId ?? "/")" }
            for sessions in users.values {
                let newestFirst = sessions.sorted {
                    ($0.session.startedAt, $0.session.row) > ($1.session.startedAt, $1.session.row)
                }
                for entry in newestFirst.dropFirst(most) where !entry.isCurrent { gone.insert(entry.session.row) }
            }
        }
        return gone
    }

    @Test(
        "E9: age and number remove what the policy says, of those it is applied to, and never a current session",
        arguments: 1...8)
    func random(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let store = try StoreUnderTest()
        let kept = try Self.fill(store, &random)
        let policy = RetentionPolicy(
            maxAgeDays: random.pick([nil, 7, 30, 90]), maxSessionsPerUser: random.pick([nil, 1, 3, 8]))
        let scope: RetentionScope = random.pick([
            .everybody, .uid(1001), .user(uid: 1000, userId: "ada"), .user(uid: 1000, userId: nil),
        ])
        let gone = Self.expected(policy, scope, kept)
        let events = kept.filter { gone.contains($0.session.row) }.reduce(0) { $0 + $1.events }

        let rows = try store.reader.sessions(beyond: policy, of: scope, now: Self.now).rows.values.flatMap { $0 }
        #expect(Set(rows) == gone && rows.count == gone.count)
        let preview = try store.reader.preview(rows)
        #expect(preview.sessions == gone.count && preview.events == events)
        #expect(try store.visible().count == kept.count)

        let report = try store.commit(upkeep: [.retire(policy, of: scope, now: Self.now)])
        #expect(report.marked.map(\.sessions) == [gone.count])
        #expect(report.marked.map(\.events) == [events])
        let counted = try store.reader.totals().removedByRule
        #expect(counted.values.reduce(0) { $0 + $1.sessions } == gone.count)
        #expect(counted.values.reduce(0) { $0 + $1.events } == events)
        if policy.maxAgeDays == nil { #expect(counted[.age]?.sessions == 0) }
        if policy.maxSessionsPerUser == nil { #expect(counted[.count]?.sessions == 0) }
        #expect(Set(try store.visible()) == Set(kept.map(\.session.row)).subtracting(gone))
        // A second time there is nothing left to do.
        #expect(try store.commit(upkeep: [.retire(policy, of: scope, now: Self.now)]).marked.map(\.sessions) == [0])
    }

    private func used(_ store: StoreUnderTest) throws -> Int64 {
        try store.writer.database.integer(
            """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """) ?? 0
    }

    @Test("E9: over the cap the oldest sessions go until the rest fits, the current ones stay")
    func cap() throws {
        let store = try StoreUnderTest()
        let empty = try used(store)
        for number in 0..<40 { try store.add("user-\(number)", isCurrent: number == 0, events: 20, bytes: 1000) }
        let before = try used(store)
        let cap = (empty + before) / 2
        let report = try store.commit(upkeep: [
            .retire(RetentionPolicy(maxStoreBytes: cap), of: .everybody, now: Self.now)
        ])
        let gone = report.marked[0].sessions
        #expect((18...24).contains(gone))
        #expect(try store.visible() == [1] + Array(Int64(gone + 2)...40))
        try store.sweep()
        try store.commit(upkeep: [.shrink(maxPages: 10_000)])
        #expect(try used(store) <= cap)
        #expect(try used(store) > cap - before / 8)

        // Sessions being removed are not counted twice, and sessions within the limit stay.
        let again = try store.commit(upkeep: [
            .retire(RetentionPolicy(maxStoreBytes: cap), of: .everybody, now: Self.now)
        ])
        #expect(again.marked.map(\.sessions) == [0])
    }

    @Test("E9: a cap asked for twice before the sweep removes no more than once")
    func capTwice() throws {
        let store = try StoreUnderTest()
        for number in 0..<40 { try store.add("user-\(number)", events: 20, bytes: 1000) }
        let policy = RetentionPolicy(maxStoreBytes: try used(store) / 2)
        let first = try store.commit(upkeep: [.retire(policy, of: .everybody, now: Self.now)])
        #expect(first.marked[0].sessions > 10)
        let second = try store.commit(upkeep: [.retire(policy, of: .everybody, now: Self.now)])
        #expect(second.marked[0].sessions <= 1)
    }

    @Test("E9: at each session start as many are left as the policy says, also where nobody counts them each time")
    func starts() throws {
        let store = try StoreUnderTest()
        var policy = RetentionPolicy(maxSessionsPerUser: 5)
        func start(_ user: String?) throws -> Int {
            try store.add(user, startedAt: 1, endedAt: 2)
            let report = try store.commit(upkeep: [
                .retire(policy, of: .user(uid: 1000, userId: user), now: Self.now)
            ])
            return report.marked[0].sessions
        }
        #expect(try (0..<8).map { _ in try start("ada") } == [0, 0, 0, 0, 0, 1, 1, 1])
        #expect(try (0..<7).map { _ in try start(nil) } == [0, 0, 0, 0, 0, 1, 1])
        policy.maxSessionsPerUser = 3
        #expect(try start("ada") == 3)
        policy.maxSessionsPerUser = 6
        #expect(try (0..<5).map { _ in try start("ada") } == [0, 0, 0, 1, 1])
    }

    @Test("E9: without limits nothing goes")
    func none() throws {
        let store = try StoreUnderTest()
        for _ in 0..<5 { try store.add(startedAt: 0, endedAt: 1) }
        #expect(
            try store.commit(upkeep: [.retire(RetentionPolicy(), of: .everybody, now: .latest)]).marked[0].sessions == 0
        )
        #expect(try store.visible().count == 5)
    }
}
