import HarkClient
import Testing

@testable import HarkTool

/// getopt keeps its place in globals, so these run one after the other.
@Suite(.serialized) struct ArgumentParserTests {
    private let size = Option("size", "s", value: "N", "How much.")
    private let force = Option("force", "f", "Anyway.")
    private let format = Option("format", value: "F", "How.")

    private func parse(_ words: String...) throws -> Arguments {
        try ArgumentParser(command: Command(name: "x", summary: "", options: [size, force, format])).parse(
            ["x"] + words)
    }

    @Test("options are understood in every spelling, before and after operands")
    func spellings() throws {
        for words in [["--size", "5"], ["--size=5"], ["-s", "5"], ["-s5"], ["--si", "5"]] {
            let arguments = try parse(["one"] + words + ["two", "-f"])
            #expect(arguments[size] == "5")
            #expect(arguments.has(force))
            #expect(!arguments.has(format))
            #expect(arguments.operands == ["one", "two"])
        }
    }

    private func parse(_ words: [String]) throws -> Arguments {
        try ArgumentParser(command: Command(name: "x", summary: "", options: [size, force, format])).parse(
            ["x"] + words)
    }

    @Test("two dashes end the options, one dash is an operand, an empty word too")
    func operands() throws {
        #expect(try parse("-f", "--", "--size", "-").operands == ["--size", "-"])
        #expect(try parse("", "-").operands == ["", "-"])
    }

    @Test(
        "what is wrong is named, with what may have been meant",
        arguments: [
            (["--sze", "5"], "unknown option '--sze'", "Did you mean '--size'?"),
            (["--unrelated"], "unknown option", nil),
            (["--sze=5"], "unknown option '--sze'", "Did you mean '--size'?"), (["-x"], "unknown option '-x'", nil),
            (["--size"], "'--size' needs a value", "Write --size N."), (["-s"], "'--size' needs a value", nil),
            (["--force=1"], "'--force' takes no value", nil), (["--fo"], "'--fo' can mean --force or --format", nil),
            (["-f", "-f"], "'--force' is given twice", nil), (["-fx"], "unknown option '-x'", nil),
            (["a", "--sze", "b"], "unknown option '--sze'", nil),
        ] as [([String], String, String?)])
    func problems(words: [String], message: String, hint: String?) {
        #expect {
            try parse(words)
        } throws: { error in
            guard let error = error as? ToolError else { return false }
            return error.exit == .usage && error.message.hasPrefix(message) && (hint == nil || error.hint == hint)
        }
    }

    @Test("numbers are whole and within their bounds", arguments: ["0", "x", "1.5", "", "9223372036854775808", "11"])
    func numbers(text: String) throws {
        let arguments = try parse("--size", text)
        #expect(throws: ToolError.self) { try arguments.integer(size, in: 1...10) }
    }

    @Test("contradicting options are named")
    func contradiction() throws {
        let arguments = try parse("-f", "-s1")
        #expect {
            try arguments.atMostOne(of: size, format, force)
        } throws: { error in
            (error as? ToolError)?.message == "'--size' and '--force' contradict each other"
        }
    }

    @Test(
        "a command is found by its words, or the nearest is named",
        arguments: [
            (["session", "start", "a=b"], ["hark", "session", "start"], nil),
            (["session"], ["hark", "session", "list"], nil),
            (["retention", "--json"], ["hark", "retention", "show"], nil), ([], ["hark"], nil),
            (["recrod"], ["hark"], "Did you mean 'record'?"),
            (["session", "strat"], ["hark", "session"], "Did you mean 'start'?"),
            (["status", "--jsn"], ["hark", "status"], "Did you mean '--json'?"), (["frobnicate"], ["hark"], nil),
            (
                ["delivery", "frob"], ["hark", "delivery"],
                "It is one of: status, flush, resume, dead, replay, drop, schema."
            ),
        ] as [([String], [String], String?)])
    func commands(words: [String], expected: [String], hint: String?) {
        var path = ["hark"]
        var problem: ToolError?
        do throws(ToolError) {
            _ = try Invocation(["hark"] + words, of: CommandTable.hark, path: &path)
        } catch {
            problem = error
        }
        #expect(path == expected)
        #expect(problem?.hint == hint)
    }

    @Test(
        "an argument that is missing is named, unless the forms of the command differ in it",
        arguments: [
            (["form"], "FORM is missing", "Usage: hark form [option …] FORM"),
            (["counter", "set", "clicks"], "VALUE is missing", "Usage: hark counter set [option …] NAME VALUE"),
            (["log"], nil, nil),
            (["form", "a", "b"], "unexpected argument 'b'", "A text with spaces is one argument only in quotes."),
            (["form", "a"], nil, nil),
        ] as [([String], String?, String?)])
    func operands(words: [String], message: String?, hint: String?) throws {
        var path = ["hark"]
        let invocation = try Invocation(["hark"] + words, of: CommandTable.hark, path: &path)
        var problem: ToolError?
        do throws(ToolError) {
            try invocation.checkOperands()
        } catch {
            problem = error
        }
        #expect(problem?.message == message)
        #expect(problem?.hint == hint)
    }
}
