import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// `hark doctor` checks the programs that agents' hosts start.
@Suite struct DoctorHostTests {
    private static let program = "/usr/bin/hark"

    private func found(_ files: [String: String], _ change: (inout MadeUpMachine) -> Void = { _ in }) -> [Finding] {
        var made = MadeUpMachine()
        made.variables["PWD"] = "/home/ada/project"
        made.entries[Self.program] = .init(kind: .file, owner: 0, mode: 0o755)
        made.contents = files
        change(&made)
        return made.findings.filter { $0.id == "agents" }
    }

    @Test("what 'hark mcp --config' prints is all right wherever it may stand, comments and others beside it included")
    func well() {
        for (host, files) in [
            (AgentHost.claude, ["/home/ada/.claude.json", "/home/ada/project/.mcp.json"]),
            (.cursor, ["/home/ada/.cursor/mcp.json", "/home/ada/project/.cursor/mcp.json"]),
            (.vscode, ["/home/ada/.config/Code/User/mcp.json", "/home/ada/project/.vscode/mcp.json"]),
        ] {
            for file in files {
                let text = "// mine\n" + host.entry(program: Self.program, socket: MadeUpMachine.socket)
                let states = found([file: text]).map(\.state)
                #expect(states == [.ok], "\(file)")
            }
        }
        #expect(found([:]) == [])
        #expect(found(["/home/ada/.claude.json": #"{"mcpServers":{"other":{"command":"/nowhere/other"}}}"#]) == [])
        #expect(found(["/home/ada/.claude.json": "{"]) == [])
        let project = #"{"projects":{"/a":{"mcpServers":{"hark":{"command":"\#(Self.program)","args":["mcp"]}}}}}"#
        #expect(found(["/home/ada/.claude.json": project]).map(\.state) == [.ok])
    }

    @Test(
        "a program that is not there, or is none, one that is started as something else, and a socket that is silent",
        arguments: [
            (#""command":"/opt/hark","args":["mcp"]"#, "/opt/hark"),
            (#""command":"hark","args":["mcp"]"#, "does not exist"),
            (#""command":"/usr/bin/hark"#, "without 'mcp'"), (#""command":"/usr/bin/hark","args":["ask"]"#, "'mcp'"),
            (#""command":"/usr/bin/hark","args":["mcp"],"env":{"HARK_SOCKET":"/nowhere"}"#, "/nowhere"),
        ])
    func broken(members: String, words: String) {
        let whole = members.hasSuffix("hark") ? members + "\"" : members
        let findings = found(["/home/ada/.cursor/mcp.json": #"{"mcpServers":{"hark":{\#(whole)}}}"#])
        #expect(findings.map(\.state) == [.fault], "\(findings)")
        #expect(findings.first?.message.contains(words) == true, "\(findings)")
        #expect(findings.first?.advice == .look("hark mcp --config cursor"))
    }

    @Test("a file that names Hark and cannot be read as JSON gives agents nothing")
    func noJSON() {
        #expect(found(["/home/ada/.claude.json": #"{"mcpServers":{"hark":"#]).map(\.state) == [.warning])
    }
}
