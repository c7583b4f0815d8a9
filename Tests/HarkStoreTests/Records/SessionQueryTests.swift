import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

/// Listing sessions against a plain search through all of them (row E5).
@Suite struct SessionQueryTests {
    @Test("E5: every query finds what a search finds, page by page in both directions")
    func random() throws {
        var random = SplitMix64(state: 11)
        let store = try StoreUnderTest()
        let users: [String?] = [nil, "ada", "bob"]
        var current: [Scope: Int64] = [:]
        var events: [Int64: Int] = [:]
        for _ in 0..<80 {
            let count = random.below(4)
            let isCurrent = random.once(in: 3)
            let session = try store.add(
                random.pick(users), uid: random.pick([1000, 1001]), app: random.pick(["default", "kiosk"]),
                startedAt: Int64(random.below(40)), isCurrent: isCurrent, events: count)
            if isCurrent { current[session.scope] = session.row }
            events[session.row] = count
        }
        for _ in 0..<200 {
            var query = SessionQuery(limit: random.pick([1, 2, 7, 100]))
            if random.once(in: 2) { query.uid = random.pick([1000, 1001]) }
            if random.once(in: 2) { query.user = .user(random.pick(users)) }
            if random.once(in: 2) { query.app = random.pick(["default", "kiosk"]) }
            query.onlyCurrent = random.once(in: 4)
            query.descending = random.once(in: 2)
            if random.once(in: 3) { query.after = place(random.pick(store.sessions)) }
            let expected = store.sessions.filter { session in
                if let uid = query.uid, uid != session.scope.uid { return false }
                if case .user(let user) = query.user, user != session.userId { return false }
                if let app = query.app, app != session.scope.app { return false }
                if query.onlyCurrent, current[session.scope] != session.row { return false }
                guard let after = query.after else { return true }
                return query.descending ? isBefore(place(session), after) : isBefore(after, place(session))
            }.sorted { isBefore(place($0), place($1)) }.map(\.row)

            var found: [Int64] = []
            while true {
                let page = try store.reader.sessions(query)
                #expect(page.next == nil || page.sessions.count == query.limit)
                #expect(page.sessions.count <= query.limit)
                for (session, count) in page.sessions { #expect(count == events[session.identity.row]) }
                found += page.sessions.map(\.session.identity.row)
                guard let next = page.next else { break }
                query.after = SessionCursor(next.description)
            }
            #expect(found == (query.descending ? expected.reversed() : expected))
        }
    }

    private func place(_ session: SessionIdentity) -> SessionCursor {
        SessionCursor(startedAt: session.startedAt, row: session.row)
    }

    private func isBefore(_ one: SessionCursor, _ other: SessionCursor) -> Bool {
        (one.startedAt, one.row) < (other.startedAt, other.row)
    }

    @Test("what comes while somebody goes through the pages makes nothing come twice or be left out")
    func stability() throws {
        for descending in [false, true] {
            let store = try StoreUnderTest()
            for number in 0..<20 { try store.add(startedAt: Int64(number / 3) * 10) }
            let known = Set(store.sessions.map(\.row))
            var query = SessionQuery(limit: 3)
            query.descending = descending
            var found: [Int64] = []
            repeat {
                let page = try store.reader.sessions(query)
                found += page.sessions.map(\.session.identity.row)
                query.after = page.next
                // One before, one within and one behind all that there was.
                for startedAt: Int64 in [-5, 33, 500] where store.sessions.count < 40 {
                    try store.add(startedAt: startedAt)
                }
            } while query.after != nil
            #expect(Set(found).count == found.count)
            #expect(known.isSubset(of: found))
        }
    }

    @Test(
        "a cursor comes back from its text, and other text is none",
        arguments: [
            ("0.1", true), ("-7.9", true), ("1", false), ("", false), ("1.", false), ("1.2.3", false), ("a.b", false),
        ])
    func cursor(text: String, isOne: Bool) {
        #expect(SessionCursor(text)?.description == (isOne ? text : nil))
    }

    @Test("a page of sessions also ends at so much metadata, with one session at least")
    func maxBytes() throws {
        let store = try StoreUnderTest()
        for _ in 0..<5 { try store.add() }
        var query = SessionQuery(limit: 100)
        query.maxBytes = 0
        let page = try store.reader.sessions(query)
        #expect(page.sessions.count == 1)
        #expect(page.next == SessionCursor(startedAt: Timestamp(milliseconds: 0), row: 1))
    }

    @Test("a session comes back with everything it holds, by row and by id")
    func content() throws {
        let store = try StoreUnderTest()
        let session = try store.add("ada", uid: 4_000_000_000, app: "kiosk", startedAt: -7, endedAt: 9, events: 2)
        for found in [try store.reader.session(row: session.row), try store.reader.session(id: session.id)] {
            #expect(found?.identity.id == session.id)
            #expect(found?.identity.scope == session.scope)
            #expect(found?.identity.userId == "ada")
            #expect(found?.identity.startedAt == Timestamp(milliseconds: -7))
            #expect(found?.identity.metadata == session.metadata)
            #expect(found?.endedAt == Timestamp(milliseconds: 9))
        }
        #expect(try store.reader.eventCount(ofSession: session.row) == 2)
        #expect(try store.reader.session(row: 99) == nil)
        #expect(try store.reader.session(id: Identifier(high: 0, low: 0)) == nil)
    }

    @Test("the current session of a scope is the one that was set last, none once it was taken back")
    func current() throws {
        let store = try StoreUnderTest()
        let first = try store.add(isCurrent: true)
        #expect(try store.reader.currentSession(of: first.scope)?.identity.row == first.row)
        let second = try store.add(isCurrent: true)
        #expect(try store.reader.currentSession(of: first.scope)?.identity.row == second.row)
        #expect(try store.reader.currentSession(of: Scope(uid: 1000, app: "kiosk")) == nil)
        try store.commit(rows: [.session(.setCurrent(first.scope, sessionRow: nil))])
        #expect(try store.reader.currentSession(of: first.scope) == nil)
    }
}
