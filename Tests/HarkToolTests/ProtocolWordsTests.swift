import Foundation
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// The daemon's messages about the protocol's terms are put into the terms of the command line.
@Suite struct ProtocolWordsTests {
    private func message(_ text: String, _ path: String?, _ words: String...) throws -> String {
        var found = ["hark"]
        let invocation = try Invocation(["hark"] + words, of: CommandTable.hark, path: &found)
        return ProtocolWords.message(ClientError(.refused(-32001), text, path: path), of: invocation.command)
    }

    @Test("methods become commands, and parameters the options and arguments that were typed")
    func words() throws {
        #expect(
            try message(
                "app 'a' has no counter 'x'; register it first (counter.register), or", "$.params.name",
                "counter", "get", "x")
                == "app 'a' has no counter 'x'; register it first ('hark counter register'), or (NAME)")
        #expect(
            try message("there is no survey 'x'", "$.params.surveyId", "explain", "x")
                == "there is no survey 'x' (SURVEY)")
        #expect(
            try message("'userId' must not be empty", "$.params.userId", "session", "start", "--user", "")
                == "--user must not be empty")
        #expect(
            try message("start a session for this user first (session.start), or leave userId out", nil, "record", "x")
                == "start a session for this user first ('hark session start'), or leave --user out")
        #expect(
            try message("too long", "$.params.properties.cups", "record", "x", "cups=3")
                == "too long (KEY cups)")
        #expect(try message("empty", "$.params.name", "record", "") == "empty (NAME)")
        #expect(
            try message("'sessionId' must be an id", "$.params.sessionId", "session", "end", "x") == "ID must be an id")
        // What no argument stands for needs no place.
        #expect(try message("wrong", "$.params.limit", "surveys") == "wrong")
    }

    @Test("of a document that was sent the place is told within it")
    func document() {
        let error = ClientError(.refused(-32602), "too long", path: "$.params.properties.cups")
        #expect(ProtocolWords.message(error, of: nil) == "too long ($.properties.cups)")
    }

    @Test("every command that is named exists, and so does every method")
    func exist() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let protocolText = try String(contentsOf: root.appendingPathComponent("docs/protocol.md"), encoding: .utf8)
        for (method, command) in ProtocolWords.commands {
            var found: Command? = CommandTable.hark
            for word in command.split(separator: " ") where !word.hasPrefix("-") { found = found?.member(String(word)) }
            #expect(found != nil, "\(command)")
            let isDescribed = protocolText.contains("### \(method)\n")
            #expect(isDescribed, "\(method)")
        }
    }
}
