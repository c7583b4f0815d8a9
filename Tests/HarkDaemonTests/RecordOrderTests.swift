import HarkCore
import HarkDaemon
import HarkServer
import HarkTesting
import HarkWire
import Testing

/// Orders of `event.record`, read from plain lines in one go and from others through a request.
@Suite("Record orders") struct RecordOrderTests {
    private let reader = RecordOrderReader()

    /// The comparable part of an order.
    private struct Content: Equatable {
        var id: RequestID?
        var name: String
        var app = "default"
        var userId: String?
        var isUnattended = false
        var timestamp: Timestamp?
        var producer: String?
        var members: [String] = []
    }

    private func content(_ order: borrowing RecordOrder) -> Content {
        Content(
            id: order.id, name: order.name, app: order.app, userId: order.userId,
            isUnattended: order.isUnattended, timestamp: order.timestamp,
            producer: order.producer.map { "\($0.id) \($0.seq)" },
            members: order.properties.members.map { "\($0.key)=\($0.value)" })
    }

    private func plain(_ line: String) -> Content? {
        withPadded(Array(line.utf8)) { line in
            guard let order = reader.read(plain: line) else { return nil }
            return content(order)
        }
    }

    private func general(_ line: String) throws -> Content {
        var requests = RequestReader()
        return try withPadded(Array(line.utf8)) { line in
            let request = try requests.read(line)
            #expect(request.method.elementsEqual("event.record".utf8))
            return content(try reader.read(request))
        }
    }

    private func line(_ properties: String) -> String {
        #"{"id":1,"method":"event.record","params":{"name":"x","properties":{\#(properties)}}}"#
    }

    @Test("a plain line is read in one go")
    func plain() {
        #expect(
            plain(#"{"id":"a-7","method":"event.record","params":{"name":"tap","app":"till","userId":"u"}}"#)
                == Content(id: .text(Array(#""a-7""#.utf8)), name: "tap", app: "till", userId: "u"))
        #expect(
            plain(
                #"{"method": "event.record", "params": {"properties": {"a": 1, "b": "x", "c": true, "d": 0.5}, "name": "tap"}}"#
            ) == Content(name: "tap", members: ["a=integer(1)", "b=string(\"x\")", "c=bool(true)", "d=double(0.5)"]))
        #expect(
            plain(
                #"{"method":"event.record","params":{"name":"x","producer":{"id":"a","seq":7}},"jsonrpc":"2.0","id":1}"#
            )
                == Content(id: .int(1), name: "x", producer: "a 7"))
        #expect(
            plain(#"{"method":"event.record","params":{"name":"job","unattended":true}}"#)
                == Content(name: "job", isUnattended: true))
        let time = #"{"id":-3,"method":"event.record","params":{"name":"tür","timestamp":"2026-11-20T19:30:00+01:00"}}"#
        #expect(
            plain(time)
                == Content(id: .int(-3), name: "tür", timestamp: Timestamp("2026-11-20T18:30:00Z")))
    }

    @Test(
        "what is out of the ordinary is left to the way by a request, which takes it",
        arguments: [
            #"{"id":null,"method":"event.record","params":{"name":"x"}}"#,
            #"{"params":{"name":"x"},"method":"event.record"}"#,
            #"{"method":"event.record","params":{"name":"x","app":null}}"#,
            #"{"method":"event.record","params":{"name":"x","unattended":null}}"#,
            #"{"method":"event.record","params":{"name":"x","unknown":1}}"#,
            #"{"method":"event.record","params":{"name":"x","producer":{"id":"a","seq":1,"more":0}}}"#,
            #"{"method":"event.record","params":{"name":"x","producer":{"id":"a","seq":1.0}}}"#,
            #"{"method":"event.record","params":{"name":"\u0078"}}"#,
            #"{"method":"event.record","params":{"n\u0061me":"x"}}"#,
            #"{"method":"event.record","params":{"name":"x"}} "# + "\t",
            #"{"method":"event.record","params":{"name":"x","properties":{"a":1e3}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":9223372036854775807}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":0.1234567890123456}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":null}}}"#,
            #"{"method":"event.record","params":{"name":"x","timestamp":"2026-11-20 19:30:00+0100"}}"#,
        ])
    func general(line: String) throws {
        #expect(plain(line) == nil)
        #expect(try general(line).name == "x")
    }

    @Test(
        "what is wrong is left to it as well, which says why",
        arguments: [
            "", "{", "{}", "[1]", #"{"method":"event.record"}"#,
            #"{"method":"event.record","params":{}}"#,
            #"{"method":"event.record","params":{"name":1}}"#,
            #"{"method":"event.record","params":{"name":"x"}}}"#,
            #"{"method":"event.record","params":{"name":"x"}"#,
            #"{"method":"event.record","params":{"name":"x",}}"#,
            #"{"method":"event.record","params":{,"name":"x"}}"#,
            #"{"method":"event.record","params":{"name":"x" "app":"a"}}"#,
            #"{"method":"event.record","params":{"name":"x","name":"x"}}"#,
            #"{"id":1,"id":1,"method":"event.record","params":{"name":"x"}}"#,
            #"{"method":"event.record","method":"event.record","params":{"name":"x"}}"#,
            #"{"method":"event.record","params":{"name":"x"},"params":{"name":"x"}}"#,
            #"{"method":"event.record","params":{"name":"x","timestamp":"yesterday"}}"#,
            #"{"method":"event.record","params":{"name":"x","producer":{"id":"a"}}}"#,
            #"{"method":"event.record","params":{"name":"x","producer":{"id":"a","seq":0}}}"#,
            #"{"method":"event.record","params":{"name":"x","producer":{"id":"a","seq":1,"seq":2}}}"#,
            #"{"jsonrpc":"1.0","method":"event.record","params":{"name":"x"}}"#,
            #"{"jsonrpc":"2.0","method":"event.record","params":{"name":"x"},"jsonrpc":"2.0"}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":1,"b":2,"a":3}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":{}}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":01}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":1.}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":.5}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":-}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":+1}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":truE}}}"#,
            #"{"method":"event.record","params":{"name":"x","properties":{"a":tru"#,
            "{\"method\":\"event.record\",\"params\":{\"name\":\"a\tb\"}}",
        ])
    func wrong(line: String) {
        #expect(plain(line) == nil)
        #expect(throws: (any Error).self) { try general(line) }
    }

    @Test("a property that is null is left out and named, among others and at the end of a piece of memory")
    func null() throws {
        var requests = RequestReader()
        for count in [1, 3, 400] {
            let members = (0..<count).map { #""n\#($0)":null,"v\#($0)":\#($0)"# }.joined(separator: ",")
            try withPadded(Array(line(members).utf8)) { line in
                let order = try reader.read(try requests.read(line))
                #expect(order.properties.members.map(\.key) == (0..<count).map { "v\($0)" })
                #expect(order.dropped == (0..<count).map { "n\($0)" })
            }
        }
        #expect(throws: (any Error).self) { try general(line(#""a":null,"a":1"#)) }
    }

    @Test("keys that look alike are compared, with all kinds of values between them")
    func alike() throws {
        // Both have the same mark.
        let long = String(repeating: "x", count: 200)
        let between = #""b":-1.5,"c":true,"d":"\#(long)","\#(long)":123456789,"e":false"#
        #expect(plain(line(#""ah":1,\#(between),"ba":2"#))?.members.count == 7)
        let twice = line(#""ah":1,\#(between),"ba":2,"ah":3"#)
        #expect(plain(twice) == nil)
        #expect(throws: (any Error).self) { try general(twice) }
    }

    @Test("a line that is cut off is left alone, whatever lies behind it in memory")
    func cut() {
        let line = Array(
            #"{"id":1,"method":"event.record","params":{"name":"ä","properties":{"a":1.5,"b":true,"c":"text of more"}}}"#
                .utf8)
        let padded = line + Array(repeating: UInt8(ascii: "}"), count: JSONTape.padding)
        padded.withUnsafeBufferPointer { padded in
            for end in 0...line.count {
                let order = reader.read(plain: UnsafeBufferPointer(rebasing: padded[..<end]))
                let isRead = order != nil
                #expect(isRead == (end == line.count))
            }
        }
    }

    @Test("properties take no more memory than they have bytes, however long the line is behind them")
    func memory() throws {
        let id = String(repeating: "i", count: 20_000)
        let line = #"{"method":"event.record","params":{"name":"x","properties":{"a":1}},"id":"\#(id)"}"#
        #expect(plain(line) == nil)
        #expect(try general(line).members == ["a=integer(1)"])
        let text = String(repeating: "x", count: 20_000)
        #expect(plain(self.line(#""a":"\#(text)""#)) == nil)
        #expect(try general(self.line(#""a":"\#(text)""#)).members == ["a=string(\"\(text)\")"])
    }

    @Test("a name that is too long is not made a text of, however much of it is wrong")
    func longNames() {
        for member in ["name", "app", "userId"] {
            let start = Array(#"{"method":"event.record","params":{"\#(member)":""#.utf8)
            let line = start + [UInt8](repeating: 0x80, count: 1 << 20) + Array(#""}}"#.utf8)
            let took = processorTime {
                withPadded(line) { line in
                    for _ in 0..<20 { if reader.read(plain: line) != nil { Issue.record("it was read") } }
                }
            }
            // Mending a megabyte of it takes longer than going through it a hundred times.
            #expect(took < .seconds(2))
        }
    }

    @Test("another method is nobody's of this, however plain")
    func method() { #expect(plain(#"{"method":"event.recorD","params":{"name":"x"}}"#) == nil) }

    @Test("a text ends, or is left alone, at whatever place a byte stands in it")
    func texts() throws {
        for length in 0...20 {
            for place in 0...length {
                for byte in ["", "\\n", "\u{1F}", "\u{20}", "\u{7F}", "é", "日本", "!", "#", "[", "]"] {
                    var text = String(repeating: "a", count: length)
                    text.insert(contentsOf: byte, at: text.index(text.startIndex, offsetBy: place))
                    let line = line(#""key":"\#(text)""#)
                    let isPlain = byte != "\\n" && byte != "\u{1F}"
                    #expect((plain(line) != nil) == isPlain, "\(text)")
                    if isPlain { #expect(try plain(line) == general(line)) }
                }
            }
        }
    }

    @Test(
        "what is not UTF-8 is left alone, wherever it stands",
        arguments: [[0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80]])
    func notUTF8(bytes: [UInt8]) {
        for part in ["tap", "key", "value"] {
            let line = #"{"method":"event.record","params":{"name":"tap","properties":{"key":"value"}}}"#
            let parts = line.split(separator: part)
            let damaged = Array(parts[0].utf8) + part.utf8 + bytes + parts[1].utf8
            #expect(plain(line) != nil)
            #expect(
                withPadded(damaged) { line in
                    if reader.read(plain: line) != nil { return false }
                    return true
                })
        }
    }

    @Test("a number with a point is the double next to it")
    func doubles() throws {
        var random = SplitMix64(state: 11)
        for _ in 0..<20_000 {
            let digits = 1 + random.below(17)
            let number = random.below(Int(("1" + String(repeating: "0", count: digits)))!)
            var literal = String(number)
            let places = 1 + random.below(16)
            literal = String(repeating: "0", count: max(0, places + 1 - literal.count)) + literal
            literal.insert(".", at: literal.index(literal.endIndex, offsetBy: -places))
            if random.once(in: 2) { literal = "-" + literal }
            guard let read = plain(line(#""a":\#(literal)"#)) else {
                #expect(literal.filter(\.isNumber).count > 15, "\(literal)")
                continue
            }
            #expect(read.members == ["a=double(\(Double(literal)!))"], "\(literal)")
        }
    }

    @Test("of many members, and at the end of a piece of memory, none is lost")
    func many() throws {
        for count in [0, 1, 31, 32, 33, 200] {
            let properties = (0..<count).map { #""key\#($0)":"value \#($0)""# }.joined(separator: ",")
            let line = line(properties)
            #expect((plain(line) != nil) == (count <= 32))
            #expect(try general(line).members.count == count)
        }
        for number in 0..<5_000 {
            let line = line(#""number":\#(number),"text":"\#(String(repeating: "x", count: number % 300))""#)
            #expect(try plain(line) == general(line))
        }
    }
}
