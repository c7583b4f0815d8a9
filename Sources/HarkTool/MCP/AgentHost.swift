import HarkClient
import HarkWire

/// A program that starts MCP servers for its models, and its configuration for `hark mcp`.
enum AgentHost: String, CaseIterable, Sendable {
    case claude, cursor, vscode

    /// The member of the configuration file that holds servers.
    private var member: String { self == .vscode ? "servers" : "mcpServers" }

    /// Says where to put the printed entry, and names an alternative.
    func advice(program: String) -> String {
        switch self {
        case .claude:
            """
            Put this into .mcp.json of a project, into ~/.claude.json, or into claude_desktop_config.json; or run:
              claude mcp add hark -- \(Examination.quoted(program)) mcp
            """
        case .cursor: "Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json of a project."
        case .vscode:
            "Put this into .vscode/mcp.json of a project, or into the file that 'MCP: Open User Configuration' opens."
        }
    }

    /// Returns the configuration entry to paste.
    ///
    /// - Parameters:
    ///   - program: The full path of `hark`, because programs started from a desktop do not search the user's PATH.
    ///   - socket: The daemon's socket, if it is not the usual one.
    func entry(program: String, socket: String?) -> String {
        let json = JSONWriter.object { json in
            json.key(member)
            json.beginObject()
            json.key("hark")
            json.beginObject()
            json.key("type")
            json.string("stdio")
            json.key("command")
            json.string(program)
            json.key("args")
            MCPReply.texts(["mcp"], &json)
            if let socket {
                json.key("env")
                json.beginObject()
                json.key("HARK_SOCKET")
                json.string(socket)
                json.endObject()
            }
            json.endObject()
            json.endObject()
        }
        return PrettyJSON.text(JSONText(json[...]))
    }

    // MARK: Existing configurations

    /// Returns the files in which hosts look for servers: those of the account, and of the current project.
    static func files(_ environment: (String) -> String?) -> [String] {
        func named(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let home = named("HOME") ?? ""
        let settings = named("XDG_CONFIG_HOME") ?? home + "/.config"
        var files = [
            home + "/.claude.json", settings + "/Claude/claude_desktop_config.json", home + "/.cursor/mcp.json",
            settings + "/Code/User/mcp.json",
        ]
        if let folder = named("PWD") {
            files += ["/.mcp.json", "/.cursor/mcp.json", "/.vscode/mcp.json"].map { folder + $0 }
        }
        var seen: Set<String> = []
        return files.filter { seen.insert($0).inserted }
    }

    /// An entry for `hark mcp` in a host's configuration.
    struct Server: Equatable {
        let command: String
        let arguments: [String]
        let socket: String?
    }

    private static let mostServers = 100

    /// Returns the entries of a file that start `hark mcp`, by any path.
    ///
    /// - Parameter value: The parsed file.
    static func servers(in value: JSONValue) -> [Server] {
        let projects = (value["projects"]?.objectValue ?? [:]).map(\.value)
        let lists = ([value] + projects).flatMap { [$0["mcpServers"], $0["servers"]] }
        let entries = lists.compactMap { $0?.objectValue }.flatMap(\.members).prefix(mostServers)
        return entries.compactMap { entry in
            guard let command = entry.value["command"]?.stringValue else { return nil }
            let arguments = entry.value["args"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let isHark = command.split(separator: "/").last == "hark" || entry.key == "hark"
            let socket = entry.value["env"]?["HARK_SOCKET"]?.stringValue
            return isHark ? Server(command: command, arguments: arguments, socket: socket) : nil
        }
    }
}
