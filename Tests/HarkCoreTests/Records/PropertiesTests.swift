import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// Properties, packed into bytes and taken out again.
@Suite struct PropertiesTests {
    static let values: [PropertyValue] = [
        .string(""), .string("text"), .string("emoji 👩‍👩‍👧, NUL \u{0}, quote \""),
        .string(String(repeating: "x", count: 70_000)), .integer(0), .integer(-1), .integer(1), .integer(63),
        .integer(64), .integer(.max), .integer(.min), .double(0), .double(-0.0), .double(1.5),
        .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .bool(true), .bool(false),
    ]

    @Test("every kind of value comes back as it was", arguments: values)
    func roundTrip(_ value: PropertyValue) {
        let properties = Properties([("before", .bool(true)), ("key", value), ("after", .integer(7))])
        #expect(properties["key"] == value)
        #expect(properties.members.map(\.key) == ["before", "key", "after"])
        #expect(Properties(bytes: properties.bytes).members.map(\.value) == [.bool(true), value, .integer(7)])
    }

    @Test("negative zero keeps its sign")
    func negativeZero() {
        guard case .double(let value)? = Properties([("z", .double(-0.0))])["z"] else {
            Issue.record("no double")
            return
        }
        #expect(value.sign == .minus)
    }

    @Test("random members come back in their order")
    func random() {
        var random = SplitMix64(state: 1)
        for _ in 0..<200 {
            let members = (0..<Int.random(in: 0...40, using: &random)).map { index in
                ("key-\(index)", Self.values.randomElement(using: &random)!)
            }
            let properties = Properties(members)
            #expect(properties.members.map(\.key) == members.map(\.0))
            #expect(properties.members.map(\.value) == members.map(\.1))
        }
    }

    @Test("a key that is absent has no value, nor does one that looks alike but has other bytes")
    func absent() {
        let properties = Properties([("caf\u{e9}", .integer(1))])
        #expect(properties["cafe\u{301}"] == nil)
        #expect(properties[""] == nil)
        #expect(Properties.none["x"] == nil)
    }

    @Test("properties are written as JSON in their order, integers and doubles told apart")
    func json() {
        var writer = JSONWriter()
        Properties([("b", .integer(1)), ("a", .double(1)), ("s", .string("\"")), ("y", .bool(true))]).write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"b":1,"a":1.0,"s":"\"","y":true}"#)
    }

    @Test("bytes cut off anywhere yield the members before the cut and none that was never there")
    func truncated() {
        let members: [(String, PropertyValue)] = [
            ("one", .string("first")), ("two", .integer(-300)), ("three", .double(0.1)), ("four", .bool(true)),
        ]
        let whole = Properties(members).bytes
        for count in 0..<whole.count {
            let found = Properties(bytes: Array(whole[..<count])).members
            #expect(found.count < members.count)
            for (member, original) in zip(found, members) {
                #expect(member.key == original.0)
                #expect(member.value == original.1)
            }
        }
    }

    @Test("damaged bytes never trap")
    func damaged() {
        var random = SplitMix64(state: 2)
        let whole = Properties(Self.values.prefix(3).map { ("key", $0) } + [("n", .integer(1)), ("d", .double(2))])
            .bytes
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = Properties(bytes: bytes).members
        }
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = Properties(bytes: bytes).members
        }
    }
}
