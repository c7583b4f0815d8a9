import HarkTesting

/// Makes valid request lines of all sorts: every kind of value, every way to write it, white space anywhere.
struct LineGenerator {
    private static let names = [
        "name", "properties", "app", "userId", "sessionId", "a", "b", "", "é", "日本", "a b", "x\\n",
    ]
    private static let texts = [
        "", "x", "checkout", "a\\\"b", "\\\\", "\\u0000", "\\ud83d\\ude00", "\\/", "é", "日本語", "😀", "\u{7F}", "\\u00e9",
        "a text that is longer than the sixteen bytes of a register, and than thirty-two",
    ]
    private static let numbers = [
        "0", "-0", "1", "-1", "42", "9223372036854775807", "-9223372036854775808", "0.0", "-0.0", "1.5", "1e5", "1E+5",
        "1e-5", "0.1", "1e308", "1.7976931348623157e308", "5e-324", "1e-400", "2.2250738585072014e-308", "1e22", "1e23",
        "9007199254740993.0", "123456789012345678.25", "0.30000000000000004",
    ]
    private static let methods = ["hello", "event.record", "session.start", "event.list", "nö", "", "a\\u0062"]

    private var bytes: [UInt8] = []

    /// An `event.record` as most programs write it, with a value that they rarely write here and there.
    mutating func record(_ random: inout SplitMix64) -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        let space = random.once(in: 3) ? " " : ""
        func member(_ name: String, _ value: String) -> String { "\"\(name)\":\(space)\(value)" }
        var params = [member("name", "\"tap\"")]
        if random.once(in: 4) { params.append(member("app", "\"till\"")) }
        if random.once(in: 6) { params.append(member("userId", "\"user-\(random.below(9))\"")) }
        if random.once(in: 6) { params.append(member("timestamp", "\"2026-11-20T19:30:0\(random.below(9))Z\"")) }
        let properties = (0..<random.below(random.once(in: 20) ? 40 : 12)).map { index -> String in
            let key = random.once(in: 40) ? random.pick(Self.names) : "key\(random.once(in: 90) ? 1 : index)"
            return member(key, plainValue(&random))
        }
        params.append(member("properties", "{\(properties.joined(separator: "," + space))}"))
        if random.once(in: 4) { params.shuffle(using: &random) }
        if random.once(in: 3) {
            let seq = random.once(in: 8) ? random.pick(Self.numbers) : String(random.below(1 << 20))
            params.append(member("producer", "{\(member("id", "\"till\"")),\(space)\(member("seq", seq))}"))
        }
        var members = [
            member("id", random.once(in: 5) ? "\"a-7\"" : String(random.below(1 << 40))),
            member("method", "\"event.record\""),
            member("params", "{\(params.joined(separator: "," + space))}"),
        ]
        if random.once(in: 4) { members.append(member("jsonrpc", random.once(in: 9) ? "\"1.0\"" : "\"2.0\"")) }
        if random.once(in: 6) { members.shuffle(using: &random) }
        put("{\(members.joined(separator: "," + space))}")
        return bytes
    }

    private func plainValue(_ random: inout SplitMix64) -> String {
        switch random.below(12) {
        case 0: "true"
        case 1: "false"
        case 2: random.pick(Self.numbers)
        case 3: "\"\(random.pick(Self.texts))\""
        case 4: "\(Int64(bitPattern: random.next()) >> random.below(63))"
        case 5, 6:
            "\(random.once(in: 2) ? "-" : "")\(random.below(1 << random.below(34)))."
                + String(String(random.below(1_000_000) + 1_000_000).dropFirst(1 + random.below(6)))
        default: "\"\(String(repeating: "abcdefghij", count: 4).prefix(random.below(40)))\""
        }
    }

    mutating func line(_ random: inout SplitMix64) -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        var members: [(inout LineGenerator, inout SplitMix64) -> Void] = [
            { generator, random in
                generator.put("\"method\"")
                generator.colon(&random)
                generator.put("\"" + random.pick(Self.methods) + "\"")
            }
        ]
        if !random.once(in: 4) { members.append { $0.id(&$1) } }
        if !random.once(in: 6) { members.append { $0.params(&$1) } }
        if random.once(in: 3) { members.append { generator, _ in generator.put(#""jsonrpc":"2.0""#) } }
        if random.once(in: 8) { members.append { $0.unknown(&$1) } }
        members.shuffle(using: &random)
        open("{", &random)
        for (index, member) in members.enumerated() {
            if index > 0 { comma(&random) }
            member(&self, &random)
        }
        close("}", &random)
        return bytes
    }

    private mutating func id(_ random: inout SplitMix64) {
        put("\"id\"")
        colon(&random)
        switch random.below(8) {
        case 0: put("null")
        case 1: put("\"" + random.pick(Self.texts) + "\"")
        default: put(String(Int64(bitPattern: random.next()) >> random.below(63)))
        }
    }

    private mutating func params(_ random: inout SplitMix64) {
        put("\"params\"")
        colon(&random)
        object(&random, depth: 2)
    }

    private mutating func unknown(_ random: inout SplitMix64) {
        put("\"unknown\"")
        colon(&random)
        value(&random, depth: 2)
    }

    private mutating func value(_ random: inout SplitMix64, depth: Int) {
        switch random.below(depth < 32 ? 12 : 9) {
        case 0: put("null")
        case 1: put("true")
        case 2: put("false")
        case 3, 4: put(random.pick(Self.numbers))
        case 5: put(String(Int64(bitPattern: random.next()) >> random.below(63)))
        case 6: put(String(Double(bitPattern: random.next() & 0xFFEF_FFFF_FFFF_FFFF)))
        case 7, 8: string(&random)
        case 9: array(&random, depth: depth + 1)
        default: object(&random, depth: depth + 1)
        }
    }

    private mutating func string(_ random: inout SplitMix64) {
        put("\"")
        for _ in 0...random.below(3) { put(random.pick(Self.texts)) }
        // Every control character and what lies next to them, at every place in a run of eight bytes.
        if random.once(in: 4) {
            let code = random.below(0x100)
            put("\\u00" + String(code / 16, radix: 16) + String(code % 16, radix: 16, uppercase: true))
        }
        put("\"")
    }

    private mutating func array(_ random: inout SplitMix64, depth: Int) {
        open("[", &random)
        for index in 0..<random.below(5) {
            if index > 0 { comma(&random) }
            value(&random, depth: depth)
        }
        close("]", &random)
    }

    private mutating func object(_ random: inout SplitMix64, depth: Int) {
        // Now and then more keys than are compared each with each.
        let count = random.once(in: 30) ? 7 + random.below(60) : random.below(6)
        open("{", &random)
        for index in 0..<count {
            if index > 0 { comma(&random) }
            // A number makes the name unlike the others, but for the odd one.
            put("\"" + random.pick(Self.names) + (random.once(in: 200) ? "" : String(index)) + "\"")
            colon(&random)
            if count < 7 { value(&random, depth: depth) } else { put(random.pick(Self.numbers)) }
        }
        close("}", &random)
    }
}

extension LineGenerator {
    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func open(_ bracket: String, _ random: inout SplitMix64) {
        put(bracket)
        space(&random)
    }

    private mutating func close(_ bracket: String, _ random: inout SplitMix64) {
        space(&random)
        put(bracket)
    }

    private mutating func comma(_ random: inout SplitMix64) { open(",", &random) }
    private mutating func colon(_ random: inout SplitMix64) { open(":", &random) }

    private mutating func space(_ random: inout SplitMix64) {
        if random.once(in: 10) { put(random.pick([" ", "\t", "\r", "   "])) }
    }
}
