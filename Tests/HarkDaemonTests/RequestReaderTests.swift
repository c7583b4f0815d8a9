import HarkDaemon
import HarkServer
import HarkWire
import Testing

@Suite("Request reader")
struct RequestReaderTests {
    @Test("a request gives its id, method and params")
    func request() throws {
        let line = #"{"id":7,"method":"event.record","params":{"name":"x","properties":{"a":1,"b":[true,null,-0.5]}}}"#
        #expect(
            try read(line)
                == ReadLine(
                    id: .int(7), method: "event.record",
                    params: ["name": "x", "properties": ["a": 1, "b": [true, nil, -0.5]]], unknownMembers: []))
    }

    @Test("params keep the order of their members")
    func order() throws {
        let params = try read(#"{"method":"m","params":{"z":1,"a":2,"m":3}}"#).params
        #expect(params?.objectValue?.keys == ["z", "a", "m"])
    }

    @Test(
        "an id may be a string, an integer, null or left out",
        arguments: [
            (#"{"id":"a\"b","method":"m"}"#, RequestID.text(Array(#""a\"b""#.utf8))),
            (#"{"id":"","method":"m"}"#, .text(Array(#""""#.utf8))),
            (#"{"id":-9223372036854775808,"method":"m"}"#, .int(.min)),
            (#"{"id":9223372036854775807,"method":"m"}"#, .int(.max)),
            (#"{"id":null,"method":"m"}"#, .null), (#"{"method":"m"}"#, nil),
        ])
    func ids(line: String, id: RequestID?) throws {
        #expect(try read(line).id == id)
    }

    @Test("the version may be left out or 2.0; unknown members are listed")
    func envelope() throws {
        #expect(try read(#"{"jsonrpc":"2.0","method":"m"}"#).unknownMembers == [])
        #expect(try read(#"{"foo":1,"method":"m","bär":{},"Id":2}"#).unknownMembers == ["foo", "bär", "Id"])
    }

    @Test("white space, escapes and a carriage return change nothing")
    func spelling() throws {
        let plain = try read(#"{"id":1,"method":"mé","params":{"a":[]}}"#)
        #expect(try read(" {\t\"id\" : 1 , \"\\u006dethod\":\"m\\u00e9\",\"params\": {\"a\" :[ ] } } \r") == plain)
    }

    static let refused: [(String, ErrorReason, String?, RequestID)] = [
        ("", .parseError, nil, .null),
        (" ", .parseError, nil, .null),
        ("hello", .parseError, nil, .null),
        ("{", .parseError, nil, .null),
        (#"{"id":1,"method":"m""#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"m"}}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"id":2,"method":m}"#, .parseError, nil, .null),
        (#"{"id":1,"id":"1","method":"m",}"#, .parseError, nil, .null),
        (#"{"id":1,"method":"m"} {}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"m",}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":m}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"m}"#, .parseError, nil, .int(1)),
        (#"{"id":"é\n","method" "m"}"#, .parseError, nil, .text(Array(#""é\n""#.utf8))),
        (#"{"id":1,'method':"m"}"#, .parseError, nil, .int(1)),
        ("{\"id\":1,\"method\":\"a\tb\"}", .parseError, nil, .int(1)),
        ("{\"id\":1,\"method\":\"a\0b\"}", .parseError, nil, .int(1)),
        (#"{"id":1,"method":"\ud800"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"\udc00"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"\x"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"\u12g4"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"params":{"a":01},"method":"m"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"params":{"a":+1},"method":"m"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"params":{"a":1.},"method":"m"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"params":{"a":NaN},"method":"m"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"params":{"a":[1 2]},"method":"m"}"#, .parseError, nil, .int(1)),
        (#"{"id":1,"method":"m"/**/}"#, .parseError, nil, .int(1)),
        ("\u{FEFF}{\"id\":1,\"method\":\"m\"}", .parseError, nil, .null),
        ("[]", .invalidRequest, "$", .null),
        (#"[{"id":1,"method":"m"}]"#, .invalidRequest, "$", .null),
        ("7", .invalidRequest, "$", .null),
        (#""{}""#, .invalidRequest, "$", .null),
        ("null", .invalidRequest, "$", .null),
        ("{}", .invalidRequest, "$.method", .null),
        (#"{"id":1}"#, .invalidRequest, "$.method", .int(1)),
        (#"{"method":7,"id":1}"#, .invalidRequest, "$.method", .int(1)),
        (#"{"method":null,"id":"x"}"#, .invalidRequest, "$.method", .text(Array(#""x""#.utf8))),
        (#"{"method":"m","params":[],"id":1}"#, .invalidRequest, "$.params", .int(1)),
        (#"{"method":"m","params":null,"id":1}"#, .invalidRequest, "$.params", .int(1)),
        (#"{"method":"m","jsonrpc":"1.0","id":1}"#, .invalidRequest, "$.jsonrpc", .int(1)),
        (#"{"method":"m","jsonrpc":2,"id":1}"#, .invalidRequest, "$.jsonrpc", .int(1)),
        (#"{"method":"m","id":1.5}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","id":1e0}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","id":true}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","id":{}}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","id":9223372036854775808}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","id":18446744073709551616}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","method":"m","id":1}"#, .invalidRequest, "$.method", .int(1)),
        (#"{"method":"m","id":1,"id":2}"#, .invalidRequest, "$.id", .null),
        (#"{"method":"m","id":1,"x":0,"\u0078":0}"#, .invalidRequest, "$.x", .int(1)),
        (
            #"{"method":"m","params":{"a":{"b c":[0,{"k":1,"k":2}]}},"id":1}"#, .invalidRequest,
            #"$.params.a["b c"][1].k"#, .int(1)
        ),
        (#"{"method":"m","params":{"":1,"":2},"id":1}"#, .invalidRequest, #"$.params[""]"#, .int(1)),
        (#"{"method":"m","x":[[],[9223372036854775808]],"id":1}"#, .invalidRequest, "$.x[1][0]", .int(1)),
        (#"{"method":"m","id":1,"params":{"a":[0,18446744073709551616]}}"#, .invalidRequest, "$.params.a[1]", .int(1)),
        (#"{"method":"m","id":1,"params":{"a":-9223372036854775809}}"#, .invalidRequest, "$.params.a", .int(1)),
        (#"{"method":"m","id":1,"params":{"a":{"b":1e999}}}"#, .invalidRequest, "$.params.a.b", .int(1)),
    ]

    @Test("a line that is no request is refused with reason, path and id", arguments: refused)
    func refusals(line: String, reason: ErrorReason, path: String?, id: RequestID) throws {
        let refusal = try #require(refuse(line))
        #expect(refusal.error.reason == reason)
        #expect(refusal.error.path == path)
        #expect(refusal.id == id)
        // A message says what to do.
        #expect(
            refusal.error.message.contains("send") || refusal.error.message.contains("must be") || path == "$.method")
    }

    @Test(
        "bytes that are not UTF-8 are refused and counted",
        arguments: [
            [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) throws {
        let head = Array(#"{"method":"é"#.utf8)
        let refusal = try #require(refuse(head + bytes + Array(#""}"#.utf8)))
        #expect(refusal.error.reason == .parseError)
        #expect(refusal.error.message == "not UTF-8 at byte \(head.count); send text as UTF-8")
    }

    @Test("32 levels are taken, the 33rd is refused with its path", arguments: ["[", "{\"a\":"])
    func nesting(open: String) throws {
        func line(levels: Int) -> String {
            let close = open == "[" ? "]" : "}"
            let inner = open == "[" ? "" : "0"
            return #"{"method":"m","params":{"p":"# + String(repeating: open, count: levels) + inner
                + String(repeating: close, count: levels) + #"},"id":1}"#
        }
        #expect(refuse(line(levels: 30)) == nil)
        for levels in [31, 40, 1_000, 1_020] {
            let refusal = try #require(refuse(line(levels: levels)))
            #expect(refusal.error.reason == .tooLarge)
            #expect(refusal.error.path == "$.params.p" + String(repeating: open == "[" ? "[0]" : ".a", count: 30))
            #expect(refusal.id == .int(1))
        }
        // Deeper than the parser goes: it stops before it has seen the id.
        #expect(refuse(line(levels: 100_000))?.error.reason == .tooLarge)
        #expect(refuse(line(levels: 100_000))?.id == .null)
    }

    @Test("every line cut off anywhere is refused, and the reader goes on")
    func truncation() throws {
        let line = Array(#"{"id":"é","method":"m","params":{"a":[1,-2.5e3,true,null,"\u00e9\n"],"b":{}}}"#.utf8)
        var reader = RequestReader()
        let whole = try read(line, with: &reader)
        for length in 0..<line.count {
            do {
                _ = try read(Array(line[..<length]), with: &reader)
                Issue.record("\(length) bytes were taken for a request")
            } catch let refusal as Request.Refusal {
                #expect(refusal.error.reason == .parseError)
            }
            #expect(try read(line, with: &reader) == whole)
        }
    }

    @Test("a long line is read, and then short ones again")
    func longLines() throws {
        var reader = RequestReader(capacity: 1_024)
        for length in [10, 2_000, 1_000_000, 10, 5_000, 3_000_000, 10] {
            let text = String(repeating: "ü", count: length)
            let line = Array(#"{"method":"m","params":{"a":"\#(text)"}}"#.utf8)
            #expect(try read(line, with: &reader).params?["a"]?.stringValue == text)
        }
    }

    @Test("without memory for the parser the request is refused, and the daemon goes on")
    func noMemory() {
        // More than simdjson can ever have.
        var reader = RequestReader(capacity: 1 << 40)
        for _ in 1...2 {
            let refusal = #expect(throws: Request.Refusal.self) {
                try read(Array(#"{"id":7,"method":"hello"}"#.utf8), with: &reader)
            }
            #expect(refusal?.id == .int(7) && refusal?.error.reason == .internalError)
            #expect(refusal?.error.message.contains("no memory to read a request of 25 bytes") == true)
        }
    }

    @Test("a path shows long and odd keys cut and quoted")
    func paths() {
        let long = String(repeating: "k", count: 1_000)
        let line = #"{"method":"m","params":{"\#(long)":{"a\"b":{"é":1,"é":2}}}}"#
        let shown = String(repeating: "k", count: 64) + "…"
        #expect(refuse(line)?.error.path == #"$.params.\#(shown)["a\"b"]["é"]"#)
    }
}
