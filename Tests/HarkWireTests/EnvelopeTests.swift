import HarkWire
import Testing

@Suite("Envelope")
struct EnvelopeTests {
    private func line(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func id(_ text: String) -> RequestID {
        Array(text.utf8).withUnsafeBufferPointer { RequestID.string(utf8: $0) }
    }

    @Test("a reply is one line around the result")
    func result() {
        let written = line { writer in
            for id in [RequestID.int(7), .null, id("a\"b")] {
                Envelope.beginResult(id, in: &writer)
                writer.beginObject()
                writer.key("seq")
                writer.int(1)
                writer.endObject()
                Envelope.end(&writer)
            }
        }
        #expect(
            written == """
                {"jsonrpc":"2.0","id":7,"result":{"seq":1}}
                {"jsonrpc":"2.0","id":null,"result":{"seq":1}}
                {"jsonrpc":"2.0","id":"a\\"b","result":{"seq":1}}

                """)
    }

    @Test("a notification has no id")
    func notification() {
        let written = line { writer in
            Envelope.begin(.eventRecorded, in: &writer)
            writer.beginObject()
            writer.endObject()
            Envelope.end(&writer)
        }
        #expect(written == #"{"jsonrpc":"2.0","method":"event","params":{}}"# + "\n")
    }

    @Test("an error carries code, message, reason and path")
    func error() {
        let error = WireError(.invalidParams, "name must be a string", path: "$.params.name")
        #expect(
            line { Envelope.error(.int(7), error, in: &$0) } == """
                {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"name must be a string",\
                "data":{"reason":"invalidParams","path":"$.params.name"}}}

                """)
        #expect(
            line { Envelope.error(.null, WireError(.parseError, "x"), in: &$0) } == """
                {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":{"reason":"parseError"}}}

                """)
        #expect(error.description == "invalidParams at $.params.name: name must be a string")
    }

    @Test("no two reasons share a code")
    func codes() {
        #expect(Set(ErrorReason.allCases.map(\.code)).count == ErrorReason.allCases.count)
    }
}
