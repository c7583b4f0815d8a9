import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// A clear as a hub reads it back, and its session on the machine.
@Suite struct ClearNoticeTests {
    private static let id = Identifier(high: 1, low: 2)
    private static let targets: [ClearNotice.Target] = [
        .all, .user(nil), .user("ada"), .user("caf\u{E9}"), .hashedUser(KeyedHash(of: "ada", key: id)), .session(id),
    ]

    @Test("each target comes back as it was, of one uid and of everybody")
    func roundTrip() throws {
        for target in Self.targets {
            for uid in [nil, 0, 1000, UInt32.max] as [UInt32?] {
                let notice = ClearNotice(target: target, uid: uid)
                let back = try #require(ClearNotice(record: notice.recordProperties))
                #expect(back == notice)
                #expect(back.uid == uid)
            }
        }
        let all = ClearNotice(target: .all, uid: nil)
        #expect(all != ClearNotice(target: .user(nil), uid: nil))
        #expect(
            ClearNotice(target: .user("cafe\u{301}"), uid: nil) != ClearNotice(target: .user("caf\u{E9}"), uid: nil))
    }

    @Test("what nobody packed is none")
    func forged() {
        func isRead(_ members: [(String, PropertyValue)]) -> Bool { ClearNotice(record: Properties(members)) != nil }
        let session = ("sessionId", PropertyValue.string(Self.id.description))
        #expect(isRead([("target", .string("user")), ("userId", .string("ada")), ("uid", .integer(7))]))
        #expect(!isRead([]))
        #expect(!isRead([("target", .string("some"))]))
        #expect(!isRead([("target", .bool(true))]))
        #expect(!isRead([("target", .string("all")), ("userId", .string("ada"))]))
        #expect(!isRead([("target", .string("all")), ("since", .integer(7))]))
        #expect(!isRead([("target", .string("all")), ("uid", .integer(-1))]))
        #expect(!isRead([("target", .string("all")), ("uid", .integer(1 << 32))]))
        #expect(!isRead([("target", .string("all")), ("uid", .double(7))]))
        #expect(!isRead([("uid", .integer(7)), ("target", .string("all"))]))
        #expect(!isRead([("target", .string("user")), ("userId", .string(""))]))
        #expect(!isRead([("target", .string("user")), ("userId", .string(String(repeating: "u", count: 1_025)))]))
        #expect(!isRead([("target", .string("user")), session]))
        #expect(!isRead([("target", .string("session"))]))
        #expect(!isRead([("target", .string("session")), ("sessionId", .string("x"))]))
        #expect(isRead([("target", .string("session")), session]))
        let hash = ("userHash", PropertyValue.string(KeyedHash(of: "ada", key: Self.id).description))
        #expect(isRead([("target", .string("user")), hash]))
        #expect(!isRead([("target", .string("user")), hash, ("userId", .string("ada"))]))
        #expect(!isRead([("target", .string("user")), ("userHash", .string("ada"))]))
        #expect(!isRead([("target", .string("all")), hash]))
    }

    @Test("damage is none, or reads as something that would be packed so; it never traps", arguments: 1...4)
    func damage(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<4_000 {
            var bytes = ClearNotice(target: random.pick(Self.targets), uid: random.pick([nil, 7])).recordProperties
                .bytes
            for _ in 0...random.below(2) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.once(in: 3) { bytes.removeLast(random.below(bytes.count)) }
            guard let read = ClearNotice(record: Properties(bytes: bytes)) else { continue }
            #expect(read.recordProperties.bytes == bytes)
        }
    }

    // MARK: Recording it

    @Test("without a fleet a clear leaves no record, and takes no number")
    func off() throws {
        var under = EngineUnderTest()
        try under.record("tap")
        let before = under.engine.watermark
        let selection = under.engine.clear(.all, uid: 1000, now: under.now, into: &under.changes)
        under.engine.recordClear(selection, source: under.source, now: under.now, into: &under.changes)
        #expect(under.engine.watermark == before)
    }

    @Test("with one it lies in a session of its own, which that clear and all later ones leave alone")
    func on() throws {
        var under = EngineUnderTest()
        under.engine.recordsForFleet = true
        try under.record("tap")
        under.changes = Changes()
        let selection = under.engine.clear(.user("zoe"), uid: 1000, now: under.now, into: &under.changes)
        under.engine.recordClear(selection, source: under.source, now: under.now, into: &under.changes)
        let record = try #require(under.changes.records.first)
        #expect(under.changes.records.count == 1)
        #expect(record.kind == .clear)
        #expect(record.sequence == 3)
        #expect(record.source == under.source)
        let session = record.session
        // Only a hub that knows the user can find out who it is.
        let hash = KeyedHash(of: "zoe", key: session.id)
        #expect(ClearNotice(record) == ClearNotice(target: .hashedUser(hash), uid: 1000))
        // No hash has these letters.
        #expect(!String(decoding: record.properties.bytes, as: UTF8.self).contains("zoe"))
        #expect(session.row == selection.upToRow + 1)
        #expect(session.scope == Scope(uid: 1000, app: "hark"))
        #expect(session.userId == nil)
        #expect(session.isForLogs && session.outlastsClears)
        #expect(under.current(session.scope) == nil)
        for target in [Selection.Target.all, .user(nil), .session(session.id)] {
            let later = under.engine.clear(target, uid: nil, now: under.now, into: &under.changes)
            #expect(!later.contains(session))
        }
        // Each clear has a session of its own, without other entries.
        let again = under.engine.clear(.all, uid: nil, now: under.now, into: &under.changes)
        under.engine.recordClear(again, source: under.source, now: under.now, into: &under.changes)
        #expect(under.changes.records.last?.session != session)
        _ = try under.engine.writeLog(
            LogEntry("m", userId: "d"), in: session.scope, owner: nil, source: under.source,
            now: under.now, into: &under.changes)
        #expect(under.changes.records.last?.session.outlastsClears == false)
    }

    @Test("what was set outlasts a refusal of the store")
    func restarted() {
        var under = EngineUnderTest()
        #expect(!under.engine.settings.recordsForFleet)
        under.engine.recordsForFleet = true
        #expect(under.engine.restarted(at: Engine.Watermark()).settings.recordsForFleet)
    }
}
