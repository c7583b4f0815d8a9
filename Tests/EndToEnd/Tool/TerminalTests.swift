import Foundation
import Testing

/// What is different on a terminal, tried on a real one.
@Suite(.endToEnd) struct TerminalTests {
    private let home: DaemonHome
    private let daemon: DaemonProcess

    init() throws {
        home = try DaemonHome()
        daemon = try home.start()
    }

    /// Runs a command on a terminal of its own, types the keys once `prompt` is on the screen, and returns what the
    /// screen got.
    private func onTerminal(
        _ command: String, keys: String = "", after prompt: String = "", environment: [String: String] = [:]
    ) throws -> ToolRun {
        var variables = ["hark": Programs.hark, "TERM": "xterm"]
        variables.merge(environment) { $1 }
        let tool = try RunningTool(
            home, command: ["script", "--quiet", "--return", "--command", command, "/dev/null"], environment: variables)
        try waitUntil("the screen shows '\(prompt)'") { try prompt.isEmpty || tool.output.contains(prompt) }
        try tool.write(keys)
        if keys.isEmpty { tool.finishInput() }
        return ToolRun(ending: try tool.child.wait(), output: try tool.output, errors: try tool.errors)
    }

    @Test("colours are for a terminal that has them and a user who wants them")
    func colours() throws {
        try home.hark("record", "a", "b=c")
        #expect(try onTerminal("$hark events").output.contains("\u{1B}[36ma"))
        #expect(try !onTerminal("$hark events", environment: ["NO_COLOR": "1"]).output.contains("\u{1B}"))
        #expect(try !onTerminal("$hark events", environment: ["TERM": "dumb"]).output.contains("\u{1B}"))
        #expect(try !onTerminal("$hark events | cat").output.contains("\u{1B}"))
    }

    @Test("what was recorded is shown on a terminal, unless --quiet")
    func record() throws {
        #expect(try onTerminal("$hark record a").output.contains("recorded a as #"))
        #expect(try onTerminal("$hark record a --quiet").output == "")
        #expect(try onTerminal("$hark record a amount=59.5").output.contains("amount:=… records a number"))
        #expect(try !onTerminal("$hark record a amount:=59.5 name=x").output.contains("warning"))
    }

    @Test(
        "clearing asks first, and only a yes is a yes",
        arguments: [("n", 1), ("", 1), ("maybe", 1), ("y", 0), ("Yes", 0)])
    func clear(answer: String, code: Int32) throws {
        try home.hark("record", "a")
        let run = try onTerminal("$hark clear --all", keys: answer + "\n", after: "[y/N]")
        #expect(run.ending == .exited(code))
        #expect(run.output.contains("that is 1 event and 1 session"), "\(run.output)")
        #expect(run.output.contains("Remove all events and sessions of every user for good? [y/N]"))
        #expect(try home.hark("events").output.isEmpty == (code == 0))
    }

    @Test("Ctrl-C at the question removes nothing")
    func interrupted() throws {
        try home.hark("record", "a")
        let run = try onTerminal("$hark clear --all", keys: "\u{3}", after: "[y/N]")
        #expect(run.ending == .exited(130))
        #expect(try !home.hark("events").output.isEmpty)
    }

    @Test("events typed on a terminal are recorded up to Ctrl-D, with a summary at the end")
    func typed() throws {
        let run = try onTerminal("$hark record --stdin --bare", keys: "one\ntwo\n\u{4}", after: "Ctrl-D ends")
        #expect(run.ending == .exited(0))
        #expect(run.output.contains("recorded 2 events"))
    }
}
