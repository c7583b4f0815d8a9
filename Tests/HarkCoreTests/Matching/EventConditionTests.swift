import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Conditions on events")
struct EventConditionTests {
    private static func session(user: String?) -> SessionIdentity {
        SessionIdentity(
            row: 1, id: Identifier(high: 1, low: 2), scope: Scope(uid: 1000, app: "shop"), userId: user,
            startedAt: Timestamp(milliseconds: 0), metadata: .none, isImplicit: false)
    }

    private static func holds(_ text: String, _ properties: Properties = .none, user: String? = "ada") throws -> Bool {
        let record = Record(
            sequence: 7, id: Identifier(high: 0, low: 1), at: Timestamp(milliseconds: 0), kind: .event,
            session: session(user: user), name: "checkout", source: Source(uid: 1000, pid: 42), properties: properties)
        let condition = try EventCondition(try ConditionText.read(text))
        return record.withView { condition.holds($0, of: record.session) }
    }

    @Test("a condition that is larger than any that may be asked is refused before it is read")
    func tooLarge() throws {
        let part: JSONValue = ["a": ["op": "gt", "value": 1]]
        for (count, isRefused) in [(4_000, false), (7_000, true), (60_000, true)] {
            let read = Condition.read(["any": .array(Array(repeating: part, count: count))], path: "$.where")
            #expect((read.condition == nil) == isRefused)
            #expect(read.issues.errors.map(\.path) == (isRefused ? ["$.where"] : []), "\(count)")
        }
        var nested = part
        for _ in 0..<100 { nested = ["not": nested] }
        #expect(Condition.read(nested, path: "$").condition != nil)
    }

    @Test(
        "what every event has is asked for with @",
        arguments: [
            ("@name = checkout", true), ("@name != checkout", false), ("@user = ada", true), ("@app = shop", true),
            ("@uid = 1000 and @pid = 42 and @seq = 7", true), ("@seq > 7", false),
            ("@session = 00000000-0000-0001-0000-000000000002", true), ("@name contains eck", true),
            ("name exists", false),
        ])
    func fields(_ text: String, _ isMeant: Bool) throws {
        #expect(try Self.holds(text) == isMeant)
    }

    @Test("an anonymous session has no user, and a property may be called as anything")
    func names() throws {
        #expect(try !Self.holds("@user = ada", user: nil))
        #expect(try Self.holds("@user not exists", user: nil))
        #expect(try Self.holds("@@user = 3", Properties([("@user", .integer(3))])))
        #expect(throws: ConditionFault.self) { try Self.holds("@usr = ada") }
    }

    @Test("a condition that would take long is refused")
    func bounds() {
        let many = (0..<40).map { Condition.value("p\($0)", Matcher(.eq, 1)) }
        #expect(throws: ConditionFault.self) { try EventCondition(.any(many)) }
        let heavy = (0..<11).map { _ in Condition.value("p", Matcher(.contains, "x")) }
        #expect(throws: ConditionFault.self) { try EventCondition(.any(heavy)) }
        #expect(throws: ConditionFault.self) { try EventCondition(.all((0..<5_000).map { _ in .all([]) })) }
        #expect(throws: ConditionFault.self) { try EventCondition(.changed(["p"])) }
    }

    @Test("over random events it means what the condition means")
    func random() throws {
        var generator = SplitMix64(state: 11)
        let keys = ["a", "b", "c", "d"]
        let values: [PropertyValue] = [
            .integer(0), .integer(3), .integer(1 << 60), .double(3), .double(2.5), .double(-0.0), .bool(true),
            .string("x"),
            .string("xy"), .string("é"), .string("e\u{301}"), .string(""),
        ]
        func matcher() -> Matcher {
            let op = Matcher.Operator.allCases.randomElement(using: &generator) ?? .eq
            let value = JSONValue(values.randomElement(using: &generator) ?? .integer(0))
            switch op {
            case .exists, .notExists: return Matcher(op)
            case .contains, .notContains: return Matcher(op, .string(value.stringValue ?? "x"))
            default: return Matcher(op, value)
            }
        }
        func condition(_ depth: Int) -> Condition {
            switch Int.random(in: 0..<(depth > 3 ? 1 : 4), using: &generator) {
            case 1: .all((0..<Int.random(in: 0..<3, using: &generator)).map { _ in condition(depth + 1) })
            case 2: .any((0..<Int.random(in: 0..<3, using: &generator)).map { _ in condition(depth + 1) })
            case 3: .not(condition(depth + 1))
            default: .value(keys.randomElement(using: &generator) ?? "a", matcher())
            }
        }
        var held = 0
        for _ in 0..<2_000 {
            let wanted = condition(0)
            let ready = try EventCondition(wanted)
            let members = (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
                (keys.randomElement(using: &generator) ?? "a", values.randomElement(using: &generator) ?? .integer(0))
            }
            let record = Record(
                sequence: 1, id: Identifier(high: 0, low: 1), at: Timestamp(milliseconds: 0), kind: .event,
                session: Self.session(user: nil), name: "n", source: Source(uid: 1, pid: 1),
                properties: Properties(members))
            let holds = record.withView { ready.holds($0, of: record.session) }
            #expect(holds == wanted.holds(record.properties), "\(wanted) on \(members)")
            let gathered = record.withView { view in
                ready.holds(view, of: record.session, asked: AskedProperties(of: view, for: [ready]))
            }
            #expect(gathered == holds, "\(wanted) on \(members)")
            held += holds ? 1 : 0
        }
        #expect((200..<1_800).contains(held))
    }
}
