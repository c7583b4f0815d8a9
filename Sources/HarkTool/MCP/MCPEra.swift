import HarkWire

/// The set of protocol rules for a request. They changed with revision 2026-07-28.
enum MCPEra: Sendable {
    /// Revisions that start with `initialize`.
    case legacy
    /// Revision 2026-07-28, in which each request is self-contained.
    case modern

    /// Newest first.
    static let legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    static let modernVersions = ["2026-07-28"]

    private static let prefix = "io.modelcontextprotocol/"
    static let versionKey = prefix + "protocolVersion"
    static let capabilitiesKey = prefix + "clientCapabilities"
    static let clientKey = prefix + "clientInfo"
    static let serverKey = prefix + "serverInfo"

    /// How long clients may cache the server's lists and documents, in milliseconds. They do not change while it runs.
    static let lifetime: Int64 = 3_600_000
}

/// The client's name and version, as it gives them.
struct MCPClient: Sendable, Equatable {
    let name: String
    let version: String?

    static let unknown = MCPClient(name: "unknown", version: nil)

    /// - Parameter info: `clientInfo`.
    init(_ info: JSONValue?) {
        let name = MCPNote.name(info?["title"]?.stringValue ?? info?["name"]?.stringValue ?? "")
        self.init(
            name: name.isEmpty ? Self.unknown.name : name, version: info?["version"]?.stringValue.map(MCPNote.name))
    }

    private init(name: String, version: String?) {
        self.name = name
        self.version = version
    }
}
