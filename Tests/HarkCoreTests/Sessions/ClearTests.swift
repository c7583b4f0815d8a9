import HarkCore
import HarkWire
import Testing

/// The meaning of a removal (row E6).
@Suite struct ClearTests {
    private var under = EngineUnderTest()
    private let kiosk = Scope(uid: 1000, app: "kiosk")
    private let stranger = Scope(uid: 2000)

    private mutating func fill() throws {
        try under.start("ada")
        try under.start(nil, in: kiosk)
        try under.start("ada", in: stranger)
        under.changes = Changes()
    }

    @Test(
        "E6: clearing leaves those scopes without a session whose current one it takes, and no others",
        arguments: [
            (Selection.Target.all, nil as UInt32?, ["default/1000", "default/2000", "kiosk/1000"]),
            (.all, 1000, ["default/1000", "kiosk/1000"]),
            (.user("ada"), nil, ["default/1000", "default/2000"]),
            (.user("ada"), 2000, ["default/2000"]),
            (.user(nil), nil, ["kiosk/1000"]),
            (.user("nobody"), nil, []),
        ])
    func targets(_ target: Selection.Target, _ uid: UInt32?, _ gone: [String]) throws {
        var test = self
        try test.fill()
        let selection = test.under.engine.clear(target, uid: uid, now: test.under.now, into: &test.under.changes)
        #expect(selection == Selection(target: target, uid: uid, upToRow: 3))
        let scopes: [Scope] = [test.under.scope, test.kiosk, test.stranger].filter { test.under.current($0) == nil }
        #expect(scopes.map { "\($0.app)/\($0.uid)" }.sorted() == gone)
        #expect(test.under.rows.count == gone.count)
        guard case .remove(let asked)? = test.under.changes.upkeep.first else {
            Issue.record("nothing is removed")
            return
        }
        #expect(asked == selection)
    }

    @Test("E6: one session can be cleared by its id")
    mutating func session() throws {
        try fill()
        let id = try #require(under.current(kiosk)).identity.id
        _ = under.engine.clear(.session(id), uid: nil, now: under.now, into: &under.changes)
        #expect(under.current(kiosk) == nil)
        #expect(under.current() != nil)
        #expect(under.rows == ["current kiosk none"])
    }

    @Test("E6: what is recorded after a clear is not part of it")
    mutating func later() throws {
        try fill()
        let selection = under.engine.clear(.all, uid: nil, now: under.now, into: &under.changes)
        try under.record("after")
        let session = try #require(under.current())
        #expect(session.identity.row == 4)
        #expect(!selection.contains(session.identity))
    }
}
