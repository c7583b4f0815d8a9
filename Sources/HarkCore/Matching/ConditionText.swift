internal import HarkWire

/// Parses a condition as people write it: `amount > 50 and (plan = "pro" or plan not exists)`.
///
/// The text can express the same conditions as the JSON form, and is stored in that form. `and` binds closer than `or`, `not`
/// closer than both.
struct ConditionText {
    private let tokens: [ConditionToken]
    private let seesChange: Bool
    private var position = 0
    private var depth = 0

    private static let maxDepth = 32

    static func read(_ text: String, seesChange: Bool = false) throws(ConditionFault) -> Condition {
        guard text.utf8.count <= Condition.maxTextBytes else {
            throw ConditionFault("a condition has at most \(Condition.maxTextBytes) bytes, this one \(text.utf8.count)")
        }
        var reader = ConditionText(tokens: try ConditionToken.split(text), seesChange: seesChange)
        let condition = try reader.alternatives()
        guard reader.next.kind == .end else { throw ConditionFault(at: reader.next, "expected 'and', 'or' or the end") }
        return condition
    }

    private init(tokens: [ConditionToken], seesChange: Bool) {
        self.tokens = tokens
        self.seesChange = seesChange
    }

    private var next: ConditionToken { tokens[min(position, tokens.count - 1)] }
    private var afterNext: ConditionToken { tokens[min(position + 1, tokens.count - 1)] }

    private mutating func take() -> ConditionToken {
        defer { position += 1 }
        return next
    }

    private mutating func takes(word: String) -> Bool {
        guard next.isWord(word) else { return false }
        position += 1
        return true
    }

    private mutating func takes(sign: String) -> Bool {
        guard next.isSign(sign) else { return false }
        position += 1
        return true
    }

    private mutating func alternatives() throws(ConditionFault) -> Condition {
        var parts = [try all()]
        while takes(word: "or") { parts.append(try all()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all() throws(ConditionFault) -> Condition {
        var parts = [try one()]
        while takes(word: "and") { parts.append(try one()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func one() throws(ConditionFault) -> Condition {
        let start = next
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else {
            throw ConditionFault(at: start, "conditions lie within each other at most \(Self.maxDepth) deep")
        }
        if takes(word: "not") { return .not(try one()) }
        guard takes(sign: "(") else { return try comparison() }
        let inner = try alternatives()
        guard takes(sign: ")") else { throw ConditionFault(at: next, "expected 'and', 'or' or ')'") }
        return inner
    }

    private mutating func comparison() throws(ConditionFault) -> Condition {
        let name = take()
        guard isName(name) else {
            throw ConditionFault(at: name, "expected the name of a value, as in 'amount > 50'")
        }
        if seesChange, name.isWord("changed"), isName(next), !beginsTest(next) { return .changed([take().text]) }
        if takes(word: "exists") { return .value(name.text, Matcher(.exists)) }
        if takes(word: "contains") { return try contains(name, .contains) }
        if takes(word: "in") { return .any(try list(name, .eq)) }
        if next.isWord("not") {
            position += 1
            if takes(word: "exists") { return .value(name.text, Matcher(.notExists)) }
            if takes(word: "contains") { return try contains(name, .notContains) }
            if takes(word: "in") { return .all(try list(name, .ne)) }
            throw ConditionFault(at: next, "expected 'exists', 'contains' or 'in' after 'not'")
        }
        let sign = take()
        guard sign.kind == .sign, let op = Self.operators[sign.text] else {
            throw ConditionFault(
                at: sign, "expected a comparison of \(name.words): = != > >= < <=, contains, in (…) or exists")
        }
        return .value(name.text, Matcher(op, try operand(of: op, sign.text)))
    }

    private static let operators: [String: Matcher.Operator] = [
        "=": .eq, "==": .eq, "!=": .ne, "<>": .ne, ">": .gt, ">=": .gte, "<": .lt, "<=": .lte,
    ]
    private static let reserved: Set<String> = ["and", "or", "not", "in", "contains", "exists"]

    private func isName(_ token: ConditionToken) -> Bool {
        switch token.kind {
        case .word: !Self.reserved.contains(token.text.lowercased())
        case .quoted: !token.text.isEmpty
        case .sign, .end: false
        }
    }

    /// Whether a preceding `changed` is itself a name.
    private func beginsTest(_ token: ConditionToken) -> Bool {
        token.kind == .sign || token.kind == .word && Self.reserved.contains(token.text.lowercased())
    }

    private mutating func contains(
        _ name: ConditionToken, _ op: Matcher.Operator
    ) throws(ConditionFault) -> Condition {
        let token = take()
        guard token.kind == .quoted || isName(token) else {
            throw ConditionFault(at: token, "expected the text that is looked for")
        }
        return .value(name.text, Matcher(op, .string(token.text)))
    }

    private mutating func list(_ name: ConditionToken, _ op: Matcher.Operator) throws(ConditionFault) -> [Condition] {
        guard takes(sign: "(") else { throw ConditionFault(at: next, "expected '(' and values with ',' between them") }
        var parts: [Condition] = []
        repeat {
            parts.append(.value(name.text, Matcher(op, try operand(of: op, "in"))))
        } while takes(sign: ",")
        guard takes(sign: ")") else { throw ConditionFault(at: next, "expected ',' or ')'") }
        return parts
    }

    private mutating func operand(of op: Matcher.Operator, _ sign: String) throws(ConditionFault) -> JSONValue {
        let token = take()
        guard token.kind == .quoted || isName(token) else {
            let isWord = token.kind == .word
            throw ConditionFault(
                at: token, isWord ? "a text that is '\(token.text)' needs quotes" : "expected a value after '\(sign)'")
        }
        let value = token.kind == .quoted ? .string(token.text) : ConditionText.value(token.text)
        if case .null = value {
            throw ConditionFault(
                at: token, "nothing is null here: ask with 'exists' or 'not exists', or put it in quotes")
        }
        switch op {
        case .gt, .gte, .lt, .lte:
            guard let number = value.doubleValue, number.isFinite else {
                throw ConditionFault(at: token, "'\(sign)' compares with a number")
            }
        default: break
        }
        if token.kind == .word, next.kind == .word, !["and", "or"].contains(next.text.lowercased()) {
            throw ConditionFault(at: next, "a text of several words needs quotes")
        }
        return value
    }

    /// The value of an unquoted word: a number, true, false, or a text.
    private static func value(_ word: String) -> JSONValue {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: break
        }
        guard isNumber(word) else { return .string(word) }
        return Int64(word).map(JSONValue.int) ?? Double(word).map(JSONValue.double) ?? .string(word)
    }

    /// Whether the word is a number in JSON's syntax: `-`, digits without a needless leading 0, a fraction, an
    /// exponent. `03` is a text.
    private static func isNumber(_ word: String) -> Bool {
        var rest = word.utf8[...]
        func dropDigits() -> Int {
            let digits = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }.count
            rest = rest.dropFirst(digits)
            return digits
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let hasZero = rest.first == UInt8(ascii: "0")
        let whole = dropDigits()
        guard whole == 1 || whole > 1 && !hasZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard dropDigits() > 0 else { return false }
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard dropDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
