import HarkClient
import HarkWire

/// Checks whether agent hosts that are configured to start `hark mcp` can do so.
extension Examination {
    var hosts: [Finding] {
        AgentHost.files(machine.environment).flatMap { file in
            guard let bytes = machine.contents(file) else { return [Finding]() }
            let value: JSONValue
            do throws(JSONFault) {
                value = try JSONDocument(bytes, .json5).value
            } catch {
                // Another program's file matters only if it names Hark.
                guard String(decoding: bytes, as: UTF8.self).contains("hark") else { return [] }
                return [
                    .warning(
                        Self.agents, "\(file) is not JSON, so no agent gets Hark: \(error.problem) (\(error.place))"
                    )
                ]
            }
            return AgentHost.servers(in: value).map { look(at: $0, in: file) }
        }
    }

    private static let agents = "agents"

    private func look(at server: AgentHost.Server, in file: String) -> Finding {
        let command = VisibleText.make(server.command)
        let paste = Finding.Advice.look("hark mcp --config \(host(of: file).rawValue)")
        guard isThere(server.command) else {
            return .fault(Self.agents, "\(file) starts \(command) for agents, which does not exist", paste)
        }
        guard server.arguments.first == "mcp" else {
            return .fault(Self.agents, "\(file) starts \(command) without 'mcp', so agents get nothing", paste)
        }
        if let socket = server.socket {
            let address = SocketAddress(path: socket)
            guard address != self.socket || status == nil else {
                return .ok(Self.agents, "\(file) gives agents \(command) mcp")
            }
            guard case .answers = machine.contact(address) else {
                return .fault(
                    Self.agents,
                    "\(file) makes agents ask the daemon at \(VisibleText.make(socket)), where none answers", paste)
            }
        }
        return .ok(Self.agents, "\(file) gives agents \(command) mcp")
    }

    /// Whether a command can be run: by its path, or found on the PATH as a shell does.
    private func isThere(_ command: String) -> Bool {
        guard command.contains("/") else { return machine.program(command) != nil }
        guard let entry = machine.entry(command) else { return false }
        return entry.kind == .file && entry.mode & 0o111 != 0
    }

    private func host(of file: String) -> AgentHost {
        file.contains("cursor") ? .cursor : file.contains("Code/User") || file.contains(".vscode") ? .vscode : .claude
    }
}
