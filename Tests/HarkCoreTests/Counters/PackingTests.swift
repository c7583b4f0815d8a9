import HarkCore
import HarkTesting
import HarkWire
import Testing

@Suite("JSON values as the store keeps them") struct PackingTests {
    static let values: [JSONValue] = [
        nil, true, false, 0, -1, .int(.max), .int(.min), 0.0, -0.5, .double(.greatestFiniteMagnitude), "", "a\0b",
        "snö ❄️ \u{301}", [], [nil, [1, [2.5, "x"]]], [:], ["": nil, "a": ["b": [true]], "ä": "ö"],
    ]

    @Test("a value comes back as it was", arguments: values)
    func roundTrip(_ value: JSONValue) {
        let back = JSONValue(packed: value.packed)
        #expect(back == value)
        #expect(back?.description == value.description)
    }

    @Test("damaged bytes are no value, and never a crash")
    func damage() {
        var random = SplitMix64(state: 5)
        for value in Self.values {
            let bytes = value.packed
            for count in 0..<bytes.count { #expect(JSONValue(packed: Array(bytes.prefix(count))) == nil) }
            #expect(JSONValue(packed: bytes + [0]) == nil)
        }
        for _ in 0..<20_000 {
            var bytes = Self.values.randomElement(using: &random)!.packed
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = JSONValue(packed: bytes)
        }
        #expect(JSONValue(packed: [UInt8](repeating: 6, count: 1 << 20)) == nil)
        #expect(JSONValue(packed: [6] + [UInt8](repeating: 0xff, count: 8) + [0x7f]) == nil)
        #expect(JSONValue(packed: Array(repeatElement([6, 1], count: 100_000).joined())) == nil)
    }
}
