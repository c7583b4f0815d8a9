import HarkCore
import HarkWire
import Testing

/// Sessions starting and ending (row E1).
@Suite struct SessionTests {
    private var under = EngineUnderTest()

    @Test("E1: a started session is the current one, with id, user, time and metadata")
    mutating func start() throws {
        let metadata = Properties([("plan", .string("pro")), ("seats", .integer(3))])
        let session = try under.start("user-1", metadata: metadata)
        #expect(session.identity.userId == "user-1")
        #expect(session.identity.startedAt == under.now)
        #expect(session.identity.metadata == metadata)
        #expect(!session.identity.isImplicit)
        #expect(session.endedAt == nil)
        #expect(under.current()?.identity === session.identity)
        #expect(under.rows == ["insert 1", "current default 1"])
        #expect(under.story == ["started user-1"])
        #expect(under.changes.records[0].properties == metadata)
    }

    @Test("E1: a new session of a scope ends the one before")
    mutating func restart() throws {
        let first = try under.start("user-1")
        under.advance(seconds: 5)
        let second = try under.start("user-2")
        #expect(first.identity.id != second.identity.id)
        #expect(under.current()?.identity === second.identity)
        #expect(
            under.rows == [
                "insert 1", "current default 1", "end 1 at 5000", "current default none", "insert 2",
                "current default 2",
            ])
        #expect(under.story == ["started user-1", "ended user-1", "started user-2"])
        #expect(under.changes.records.map(\.sequence) == [1, 2, 3])
    }

    @Test("E1: sessions of other apps and other users of the machine are not touched")
    mutating func scopes() throws {
        let others = [Scope(uid: 1000, app: "kiosk"), Scope(uid: 1001), Scope(uid: 1001, app: "kiosk")]
        for scope in others { try under.start("other", in: scope) }
        try under.start("mine")
        under.end()
        for scope in others { #expect(under.current(scope)?.identity.userId == "other") }
        #expect(under.current() == nil)
    }

    @Test("E1: ending gives the session with its end, and leaves the scope without one")
    mutating func end() throws {
        let session = try under.start("user-1")
        under.advance(seconds: 60)
        let ended = under.end()
        #expect(ended?.identity === session.identity)
        #expect(ended?.endedAt == under.now)
        #expect(under.current() == nil)
        #expect(under.end() == nil)
        #expect(under.story == ["started user-1", "ended user-1"])
    }

    @Test("a clock that was set back does not make a session end before it began")
    mutating func clockSetBack() throws {
        let session = try under.start()
        under.advance(seconds: -3600)
        let recorded = try under.record("late")
        #expect(under.changes.records.last?.at == under.now)
        #expect(recorded.sequence == 2)
        let ended = under.end()
        #expect(ended?.endedAt == session.identity.startedAt)
        #expect(under.changes.records.last?.at == session.identity.startedAt)

        // The next one begins by the clock as it is now.
        #expect(try under.start().identity.startedAt == under.now)
    }

    @Test("ids are version 7 of the time, unique and rising within a clock that moves on")
    mutating func ids() throws {
        var ids: [Identifier] = []
        for _ in 0..<50 {
            ids.append(try under.start().identity.id)
            under.advance(seconds: 1)
        }
        #expect(Set(ids).count == 50)
        #expect(ids == ids.sorted())
        #expect(ids.allSatisfy { $0.description.dropFirst(14).first == "7" })
    }

    @Test(
        "a user id or app out of bounds is refused by name, and nothing has changed",
        arguments: [
            ("", "default", "userId", ErrorReason.invalidParams),
            (String(repeating: "é", count: 513), "default", "userId", .tooLarge),
            ("user", "", "app", .invalidParams),
            ("user", String(repeating: "a", count: 129), "app", .tooLarge),
        ])
    func bounds(_ userId: String, _ app: String, _ path: String, _ reason: ErrorReason) throws {
        var under = EngineUnderTest()
        let before = try under.start(
            "before", in: Scope(uid: 1000, app: app.isEmpty ? "default" : app.prefix(8).description))
        let changes = under.rows
        let error = #expect(throws: WireError.self) { try under.start(userId, in: Scope(uid: 1000, app: app)) }
        #expect(error?.path == path)
        #expect(error?.reason == reason)
        #expect(under.rows == changes)
        #expect(under.story == ["started before"])
        #expect(under.engine.lastSequence == 1)
        #expect(under.engine.lastSessionRow == before.identity.row)
    }

    @Test("a user id or app may be as long as its bound")
    mutating func longest() throws {
        try under.start(String(repeating: "é", count: 512), in: Scope(uid: 1, app: String(repeating: "a", count: 128)))
    }

    @Test("E9: a session start asks for retention of its user, unless nothing is limited")
    mutating func retention() throws {
        try under.start("user-1")
        #expect(under.changes.upkeep.isEmpty)

        under.engine.retention = .long
        try under.start("user-2")
        guard case .retire(let policy, .user(let uid, let userId), let now)? = under.changes.upkeep.first
        else {
            Issue.record("\(under.changes.upkeep)")
            return
        }
        #expect(policy == .long)
        #expect(uid == 1000)
        #expect(userId == "user-2")
        #expect(now == under.now)
    }

    @Test("numbers go on where the store stands")
    func watermark() throws {
        var under = EngineUnderTest(watermark: .init(lastSequence: 41, lastSessionRow: 7))
        let session = try under.start()
        #expect(session.identity.row == 8)
        #expect(under.changes.records[0].sequence == 42)
        #expect(under.engine.watermark == .init(lastSequence: 42, lastSessionRow: 8))
    }
}
