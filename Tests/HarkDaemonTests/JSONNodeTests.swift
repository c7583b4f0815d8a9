import HarkDaemon
import HarkServer
import HarkWire
import Testing

@Suite("JSON node")
struct JSONNodeTests {
    private func withNode<R>(_ text: String, _ body: (JSONNode) throws -> R) throws -> R {
        var tape = JSONTape()
        let padded = Array(text.utf8) + [UInt8](repeating: 0, count: JSONTape.padding)
        return try padded.withUnsafeBufferPointer { buffer in
            try body(try tape.parse(UnsafeBufferPointer(rebasing: buffer.dropLast(JSONTape.padding))))
        }
    }

    @Test("each kind answers for itself and is nil for the others")
    func kinds() throws {
        let text = #"[null,true,false,-1,9223372036854775808,0.5,"a\u0000é",[],{}]"#
        try withNode(text) { root in
            let nodes = Array(try #require(root.elements))
            #expect(nodes.map(\.kind) == [.null, .bool, .bool, .int, .bigInt, .double, .string, .array, .object])
            #expect(nodes.map(\.isNull) == [true] + Array(repeating: false, count: 8))
            #expect(nodes.map(\.bool) == [nil, true, false, nil, nil, nil, nil, nil, nil])
            #expect(nodes.map(\.int) == [nil, nil, nil, -1, nil, nil, nil, nil, nil])
            #expect(nodes.map(\.double) == [nil, nil, nil, -1, 9_223_372_036_854_775_808, 0.5, nil, nil, nil])
            #expect(nodes.map(\.string) == [nil, nil, nil, nil, nil, nil, "a\0é", nil, nil])
            #expect(nodes.map { $0.elements != nil } == Array(repeating: false, count: 7) + [true, false])
            #expect(nodes.map { $0.members != nil } == Array(repeating: false, count: 8) + [true])
        }
    }

    @Test("members are found by name behind values of every kind")
    func members() throws {
        let text = #"{"a":{"x":[1,{"b":0}]},"ab":"b","":1.5,"c":[[],[]],"b":7,"é":null}"#
        try withNode(text) { root in
            #expect(root.member("b")?.int == 7)
            #expect(root.member("")?.double == 1.5)
            #expect(root.member("é")?.isNull == true)
            #expect(root.member("x") == nil)
            #expect(root.member("a")?.member("x")?.elements?.map { $0.kind } == [.int, .object])
            #expect(root.member("b")?.member("b") == nil)
            let keys = try #require(root.members).map { String(decoding: $0.key, as: UTF8.self) }
            #expect(keys == ["a", "ab", "", "c", "b", "é"])
        }
    }

    @Test(
        "a node written again is the same JSON in its shortest form",
        arguments: [
            (
                #" { "a" : [ 1 , -2 , 3.0 , 1e2 , "\u0041\/\u001f" ] , "b\n" : { } } "#,
                #"{"a":[1,-2,3.0,100.0,"A/\u001f"],"b\n":{}}"#
            ),
            (#"[[],{},null,true,false,18446744073709551615]"#, #"[[],{},null,true,false,18446744073709551615]"#),
            (#""""#, #""""#),
        ])
    func writing(text: String, expected: String) throws {
        try withNode(text) { node in
            var writer = JSONWriter()
            writer.node(node)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
            guard !text.contains("18446744073709551615") else { return }
            #expect(node.toValue().description == expected)
        }
    }
}
