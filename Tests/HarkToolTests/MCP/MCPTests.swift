import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The input and output of `hark mcp` without a daemon.
@Suite struct MCPTests {
    private func read(_ line: String) -> [MCPMessage] { MCPMessage.read(Array(line.utf8)[...]) }

    @Test("requests, notifications and replies are told apart, and ids are texts or whole numbers")
    func messages() {
        guard case .request(.int(1), "ping", let params)? = read(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).first
        else { return #expect(Bool(false)) }
        #expect(params.isEmpty)
        guard case .request(.text(let id), _, _)? = read(#"{"jsonrpc":"2.0","id":"é\n","method":"ping"}"#).first
        else { return #expect(Bool(false)) }
        #expect(String(decoding: id, as: UTF8.self) == #""é\n""#)
        guard case .notification("x", _)? = read(#"{"jsonrpc":"2.0","method":"x"}"#).first else {
            return #expect(Bool(false))
        }
        guard case .reply? = read(#"{"jsonrpc":"2.0","id":1,"result":{}}"#).first else { return #expect(Bool(false)) }
        #expect(
            read("[" + Array(repeating: #"{"jsonrpc":"2.0","method":"x"}"#, count: 100).joined(separator: ",") + "]")
                .count == 100)
        guard
            case .fault(nil, let error)? = read("[" + Array(repeating: "1", count: 101).joined(separator: ",") + "]")
                .first
        else { return #expect(Bool(false)) }
        #expect(error.code == .invalidRequest)
    }

    @Test("what tools tell of themselves is JSON in one line, and each argument is in the schema and known")
    func tools() throws {
        for tool in MCPTool.all {
            var json = JSONWriter()
            tool.write(to: &json)
            #expect(!json.bytes.contains(UInt8(ascii: "\n")), "\(tool.name)")
            let value = try JSONDocument(json.bytes, .json).value
            let properties = try #require(value["inputSchema"]?["properties"]?.objectValue)
            #expect(properties.keys.sorted() == tool.arguments.sorted(), "\(tool.name)")
            #expect(value["inputSchema"]?["type"] == "object")
            if tool.output != nil { #expect(value["outputSchema"]?["type"] == "object") }
        }
    }

    @Test("a client is one line of at most 64 letters, whatever it calls itself")
    func client() {
        #expect(
            MCPClient(["name": "Code", "version": "1"]) == MCPClient(["title": "Code", "name": "x", "version": "1"]))
        #expect(MCPClient(nil).name == "unknown" && MCPClient(["name": ""]).name == "unknown")
        let long = MCPClient(["name": .string(String(repeating: "a\n\u{202E}", count: 100))]).name
        let accents = MCPClient(["name": .string("a" + String(repeating: "\u{301}", count: 100_000))]).name
        #expect(accents.utf8.count < 200)
        #expect(long.unicodeScalars.count == 64 && !long.contains("\n") && !long.contains("\u{202E}"))
    }

    @Test("what is wrong with an argument is told with what would be right")
    func arguments() {
        let given = MCPArguments(["a": 5, "b": "text", "c": 1.5, "d": ["x", 1], "e": nil])
        func message(_ body: () throws(MCPArguments.Fault) -> Void) -> String {
            do throws(MCPArguments.Fault) { try body() } catch { return error.message }
            return ""
        }
        #expect(message { () throws(MCPArguments.Fault) in _ = try given.text("a") } == "'a' is a text")
        #expect(message { () throws(MCPArguments.Fault) in _ = try given.text("b", atMost: 3) }.contains("at most 3"))
        #expect(message { () throws(MCPArguments.Fault) in _ = try given.integer("c", in: 0...9) }.contains("whole"))
        #expect(
            message { () throws(MCPArguments.Fault) in _ = try given.integer("a", in: 6...9) }.contains("from 6 to 9"))
        #expect(
            message { () throws(MCPArguments.Fault) in _ = try given.texts("d", atMost: 5) }.contains("list of texts"))
        #expect(message { () throws(MCPArguments.Fault) in _ = try given.required("e") } == "'e' is missing")
        #expect(
            message { () throws(MCPArguments.Fault) in try given.check(known: ["a", "bb"]) }.contains("did you mean"))
    }

    @Test("a text that is too long for an event is cut between two characters")
    func cut() {
        let text = String(repeating: "é", count: 10_000)
        let cut = MCPNote.cut("x" + text)
        #expect(cut.utf8.count <= MCPLimits.notedBytes + 3 && cut.hasSuffix("é…") && !cut.contains("\u{FFFD}"))
        #expect(MCPNote.cut("short") == "short")
    }
}
