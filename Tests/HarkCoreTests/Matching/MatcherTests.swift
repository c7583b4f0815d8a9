import HarkCore
import HarkWire
import Testing

@Suite("Matchers (S3)")
struct MatcherTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let op: Matcher.Operator
        let operand: JSONValue
        let value: JSONValue?
        let matches: Bool

        init(_ value: JSONValue?, _ op: Matcher.Operator, _ operand: JSONValue = .null, _ matches: Bool) {
            self.op = op
            self.operand = operand
            self.value = value
            self.matches = matches
        }

        var testDescription: String { "\(value?.description ?? "missing") \(op) \(operand) is \(matches)" }
    }

    static let table: [Row] = [
        Row("pro", .eq, "pro", true), Row("Pro", .eq, "pro", false), Row(3, .eq, 3, true), Row(3.0, .eq, 3, true),
        Row(3, .eq, 3.0, true), Row(3.5, .eq, 3, false), Row(true, .eq, true, true), Row(true, .eq, 1, false),
        Row("3", .eq, 3, false), Row(nil, .eq, "pro", false),
        Row("é", .eq, "e\u{301}", false), Row("é", .ne, "e\u{301}", true), Row("é", .contains, "e\u{301}", false),
        Row(["é"], .contains, "e\u{301}", false), Row("pro", .ne, "free", true), Row("pro", .ne, "pro", false),
        Row(3, .ne, 3.0, false), Row(3, .ne, "3", true),
        Row(nil, .ne, "pro", false),
        Row(51, .gt, 50, true), Row(50, .gt, 50, false), Row(50.01, .gt, 50, true), Row("51", .gt, 50, false),
        Row(nil, .gt, 50, false), Row(true, .gt, 0, false),
        Row(50, .gte, 50, true), Row(50.0, .gte, 50, true), Row(49.99, .gte, 50, false), Row(nil, .gte, 0, false),
        Row(49, .lt, 50, true), Row(50, .lt, 50, false), Row(49.9, .lt, 50, true), Row(nil, .lt, 50, false),
        Row(50, .lte, 50, true), Row(50.5, .lte, 50, false), Row(-1, .lte, -0.5, true), Row(nil, .lte, 50, false),
        Row("spring-sale", .contains, "spring", true), Row("Spring", .contains, "spring", false),
        Row("", .contains, "", true), Row("aab", .contains, "ab", true), Row("a\r\nb", .contains, "\n", true),
        Row("sp", .contains, "spring", false), Row(12, .contains, "1", false), Row(nil, .contains, "", false),
        Row("summer", .notContains, "spring", true), Row("spring", .notContains, "spring", false),
        Row(12, .notContains, "spring", true), Row(true, .notContains, "spring", true),
        Row(nil, .notContains, "spring", false),
        Row("", .exists, .null, true), Row(false, .exists, .null, true), Row(0, .exists, .null, true),
        Row(nil, .exists, .null, false),
        Row(nil, .notExists, .null, true), Row(0, .notExists, .null, false), Row("", .notExists, .null, false),
        Row(["a", "b"], .contains, "b", true), Row(["a"], .notContains, "b", true), Row([], .contains, "", false),
    ]

    @Test("each operator on each kind of value", arguments: table)
    func operators(row: Row) {
        #expect(Matcher(row.op, row.operand).matches(row.value) == row.matches)
    }

    @Test("a missing property fails every operator but notExists", arguments: Matcher.Operator.allCases)
    func missing(op: Matcher.Operator) {
        #expect(Matcher(op, 1).matches(nil) == (op == .notExists))
    }

    static let big: Int64 = 1 << 53
    static let comparisons: [(JSONValue, JSONValue, less: Bool, equal: Bool)] = [
        (.int(big), .double(0x1p53), false, true), (.int(big + 1), .double(0x1p53), false, false),
        (.int(big - 1), .double(0x1p53), true, false), (.double(0x1p53), .int(big + 1), true, false),
        (.int(.max), .double(0x1p63), true, false), (.int(.min), .double(-0x1p63), false, true),
        (.double(-0x1p64), .int(.min), true, false), (.int(.max), .double(.infinity), true, false),
        (.int(-3), .double(-3.5), false, false), (.double(-3.5), .int(-3), true, false),
        (.int(3), .double(3.5), true, false), (.int(0), .double(-0.0), false, true),
        (.int(.max), .int(.max - 1), false, false), (.double(.nan), .int(1), false, false),
    ]

    @Test("integers and doubles compare by value, exactly, beyond 2^53 too", arguments: comparisons)
    func exactness(left: JSONValue, right: JSONValue, less: Bool, equal: Bool) {
        let isNaN = left.doubleValue?.isNaN ?? false
        #expect(Matcher(.lt, right).matches(left) == less)
        #expect(Matcher(.eq, right).matches(left) == equal)
        #expect(Matcher(.lte, right).matches(left) == (less || equal))
        #expect(Matcher(.gt, right).matches(left) == !(less || equal || isNaN))
        #expect(Matcher(.gte, right).matches(left) == (!less && !isNaN))
        #expect(Matcher(.ne, right).matches(left) == !equal)
    }
}

@Suite("Conditions")
struct ConditionTests {
    static let counters: [String: JSONValue] = ["opens": 3, "shares": 2, "not": 1, "plan": "pro"]

    static let table: [(String, Bool)] = [
        (#"{"opens": 3}"#, true), (#"{"opens": 3, "shares": 3}"#, false),
        (#"{"all": [{"opens": {"op": "gte", "value": 3}}, {"shares": 2}]}"#, true),
        (#"{"any": [{"opens": 9}, {"shares": 2}]}"#, true), (#"{"any": [{"opens": 9}, {"shares": 9}]}"#, false),
        (#"{"not": {"opens": 3}}"#, false), (#"{"not": {"any": [{"opens": 9}, {"unknown": 1}]}}"#, true),
        (#"{"not": {"op": "eq", "value": 1}}"#, true), (#"{"not": 1}"#, true),
        (#"{"all": [{"any": [{"opens": 1}, {"not": {"shares": 7}}]}, {"plan": "pro"}]}"#, true),
        (#"{"unknown": {"op": "notExists"}}"#, true), (#"{}"#, true),
    ]

    @Test("all, any and not join matchers over any named values", arguments: table)
    func evaluation(text: String, holds: Bool) throws {
        let read = Condition.read(try Samples.json(text), path: "$.when")
        let condition = try #require(read.condition)
        #expect(condition.holds { Self.counters[$0] } == holds)
    }

    @Test("a condition knows the names it looks at")
    func names() throws {
        let text = #"{"any": [{"a": 1}, {"not": {"b": 2, "c": {"op": "exists"}}}]}"#
        let condition = try #require(Condition.read(try Samples.json(text), path: "$").condition)
        #expect(condition.names.map(\.text).sorted() == ["a", "b", "c"])
    }

    static let refused: [(String, String, String)] = [
        (#"[]"#, "$.when", "must be an object"),
        (#"{"a": null}"#, "$.when.a", "must be a string, a number, true, false, or an object with 'op'"),
        (#"{"a": [1]}"#, "$.when.a", "must be a string, a number, true, false, or an object with 'op'"),
        (#"{"a": {"op": "is", "value": 1}}"#, "$.when.a.op", "must be one of eq, ne,"),
        (#"{"a": {"value": 1}}"#, "$.when.a", "the member 'op' is missing"),
        (#"{"a": {"op": "eq"}}"#, "$.when.a", "the member 'value' is missing"),
        (#"{"a": {"op": "gt", "value": "5"}}"#, "$.when.a.value", "'gt' compares with a number"),
        (#"{"a": {"op": "contains", "value": 5}}"#, "$.when.a.value", "'contains' compares with a string"),
        (#"{"a": {"op": "eq", "value": {}}}"#, "$.when.a.value", "'eq' compares with a string, a number"),
        (#"{"any": []}"#, "$.when.any", "must hold at least one condition"),
        (#"{"all": [{"a": 1}, 5]}"#, "$.when.all[1]", "must be an object"),
        (#"{"a b": {"op": 5}}"#, #"$.when["a b"].op"#, "must be one of"),
    ]

    @Test("what is no condition is refused with path and reason", arguments: refused)
    func refusals(text: String, path: String, reason: String) throws {
        let read = Condition.read(try Samples.json(text), path: "$.when")
        #expect(read.condition == nil)
        let issue = try #require(read.issues.errors.first)
        #expect(issue.path == path)
        #expect(issue.message.hasPrefix(reason))
    }

    @Test("an unknown member of a matcher is warned of")
    func warnings() throws {
        let text = #"{"a": {"op": "exists", "value": 1, "case": "insensitive"}}"#
        let read = Condition.read(try Samples.json(text), path: "$")
        #expect(read.condition == .value("a", Matcher(.exists)))
        #expect(Set(read.issues.warnings.map(\.path)) == ["$.a.value", "$.a.case"])
    }
}
