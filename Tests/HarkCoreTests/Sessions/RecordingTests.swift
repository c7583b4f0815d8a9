import HarkCore
import HarkWire
import Testing

/// Recording and taking over (rows E2, E3, E10).
@Suite struct RecordingTests {
    private var under = EngineUnderTest()

    @Test("E2: recording without a session starts an anonymous one, and goes on in it")
    mutating func implicitSession() throws {
        let first = try under.record("one")
        let second = try under.record("two")
        #expect(under.story == ["started anonymous", "one", "two"])
        #expect(first.sessionId == second.sessionId)
        let session = try #require(under.current())
        #expect(session.identity.id == first.sessionId)
        #expect(session.identity.isImplicit)
        #expect(session.identity.userId == nil)
        #expect([first.sequence, second.sequence] == [2, 3])
    }

    @Test("E2: after the end of a session the next event starts another")
    mutating func afterTheEnd() throws {
        let first = try under.record("one")
        under.end()
        let second = try under.record("two")
        #expect(first.sessionId != second.sessionId)
        #expect(under.story == ["started anonymous", "one", "ended anonymous", "started anonymous", "two"])
    }

    @Test("E2: a user named with an event is the user of the session it starts")
    mutating func userOfImplicitSession() throws {
        try under.record("one", userId: "user-1")
        try under.record("two", userId: "user-1")
        try under.record("three")
        #expect(under.story == ["started user-1", "one", "two", "three"])
    }

    @Test("a user other than the session's is a conflict, and nothing has changed", arguments: [nil, "user-1"])
    func conflict(_ sessionUser: String?) throws {
        var under = EngineUnderTest()
        try under.start(sessionUser)
        let error = #expect(throws: WireError.self) { try under.record("one", userId: "user-2") }
        #expect(error?.reason == .conflict)
        #expect(error?.path == "userId")
        #expect(under.changes.records.count == 1)
        #expect(under.engine.lastSequence == 1)
    }

    @Test("E3: an event has id, number, name, time, properties, session and source")
    mutating func content() throws {
        let session = try under.start("user-1")
        under.advance(seconds: 2)
        under.source = Source(uid: 0, pid: 7)
        let properties = Properties([("a", .double(1.5)), ("b", .bool(true))])
        let recorded = try under.record("tap", properties)
        let record = try #require(under.changes.records.last)
        #expect(record.id == recorded.id)
        #expect(record.sequence == recorded.sequence)
        #expect(record.name == "tap")
        #expect(record.at == under.now)
        #expect(record.properties == properties)
        #expect(record.session === session.identity)
        #expect(record.source == Source(uid: 0, pid: 7))
        #expect(record.kind == .event)
    }

    @Test("E3: numbers rise over all scopes")
    mutating func sequence() throws {
        for turn in 0..<30 {
            let scope = Scope(uid: UInt32(turn % 3), app: turn % 2 == 0 ? "default" : "kiosk")
            try under.record("tap", in: scope)
        }
        #expect(under.changes.records.map(\.sequence) == Array(1...36))
        #expect(Set(under.changes.records.map(\.id)).count == 36)
    }

    @Test(
        "a name out of bounds is refused, and nothing has changed: no session either",
        arguments: [("", ErrorReason.invalidParams), (String(repeating: "é", count: 129), .tooLarge)])
    func name(_ name: String, _ reason: ErrorReason) {
        var under = EngineUnderTest()
        let error = #expect(throws: WireError.self) { try under.record(name) }
        #expect(error?.reason == reason)
        #expect(error?.path == "name")
        #expect(under.changes.isEmpty)
        #expect(under.current() == nil)
        #expect(under.engine.watermark == .init())
    }

    @Test("a user out of bounds is refused with the first event, and nothing has changed")
    mutating func userOutOfBounds() {
        let user = String(repeating: "u", count: 1025)
        let error = #expect(throws: WireError.self) { try under.record("tap", userId: user) }
        #expect(error?.reason == .tooLarge)
        #expect(error?.path == "userId")
        #expect(under.changes.isEmpty)
        #expect(under.current() == nil)
    }

    @Test("names that a person would call equal are kept apart, byte for byte")
    mutating func canonicalEquivalence() throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try under.start(composed)
        #expect(throws: WireError.self) { try under.record("tap", userId: decomposed) }
        try under.record("tap", in: Scope(uid: 1000, app: composed))
        #expect(under.current(Scope(uid: 1000, app: decomposed)) == nil)
    }

    @Test("E10: an imported session keeps its id and times, and is never the current one")
    mutating func importSession() throws {
        let current = try under.start()
        let id = try #require(Identifier("0199e0f4-8c7a-7000-8000-00000000abcd"))
        let started = Timestamp(milliseconds: 1_000)
        let ended = Timestamp(milliseconds: 2_000)
        for end in [ended, nil] {
            let session = try under.engine.importSession(
                id: id, scope: under.scope, userId: "old", metadata: .none, startedAt: started, endedAt: end,
                source: under.source, into: &under.changes)
            #expect(session.identity.id == id)
            #expect(session.endedAt == end)
        }
        #expect(under.current()?.identity === current.identity)
        #expect(under.story == ["started anonymous", "started old", "ended old", "started old"])
        #expect(under.changes.records.map(\.at) == [under.now, started, ended, started])
        #expect(under.rows == ["insert 1", "current default 1", "insert 2", "insert 3"])
    }

    @Test("E10: an imported event keeps its id, time and source, and gets a new number")
    mutating func importEvent() throws {
        let session = try under.start("user-1")
        let id = try #require(Identifier("0199e0f4-8c7a-7000-8000-00000000cafe"))
        let recorded = try under.engine.importEvent(
            id: id, name: "old", properties: .none, at: Timestamp(milliseconds: 5), session: session.identity,
            source: Source(uid: 7, pid: 8), into: &under.changes)
        #expect(recorded.id == id)
        #expect(recorded.sequence == 2)
        #expect(recorded.sessionId == session.identity.id)
        #expect(under.changes.records.last?.at == Timestamp(milliseconds: 5))
        #expect(under.changes.records.last?.source == Source(uid: 7, pid: 8))
    }
}
